"""Is each row of the catalogue what its authors published?

Written down here once more, from the sets' own pages; nothing is computed.
"""

import csv
import importlib.resources

import pytest

from biases_jax.sources import catalog

SOURCES = catalog.SOURCES
RESIZED, AS_PUBLISHED = "pil_bilinear_256_224", "none_224"

# Classes, images, images of each class (None: uneven), and the policy.
PUBLISHED = {
    "imagenet": (1000, 50_000, 50, RESIZED),
    "imagenet_v2/matched_frequency": (1000, 10_000, 10, RESIZED),
    "imagenet_v2/threshold_0.7": (1000, 10_000, 10, RESIZED),
    "imagenet_v2/top_images": (1000, 10_000, 10, RESIZED),
    "imagenet_a": (200, 7_500, None, RESIZED),
    "imagenet_r": (200, 30_000, None, RESIZED),
    "imagenet_sketch": (1000, 50_889, None, RESIZED),
    "stylized_imagenet": (1000, 50_000, 50, AS_PUBLISHED),
    "model_vs_human/edge": (16, 160, 10, AS_PUBLISHED),
    "model_vs_human/silhouette": (16, 160, 10, AS_PUBLISHED),
    "model_vs_human/colour": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/contrast": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/high-pass": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/low-pass": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/phase-scrambling": (16, 1_120, 70, AS_PUBLISHED),
    "model_vs_human/power-equalisation": (16, 1_120, 70, AS_PUBLISHED),
    "model_vs_human/false-colour": (16, 1_120, 70, AS_PUBLISHED),
    "model_vs_human/rotation": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/eidolonI": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/eidolonII": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/eidolonIII": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/uniform-noise": (16, 1_280, 80, AS_PUBLISHED),
    "model_vs_human/sketch": (16, 800, 50, AS_PUBLISHED),
    "model_vs_human/stylized": (16, 800, 50, AS_PUBLISHED),
    "cue_conflict": (16, 1_280, 80, AS_PUBLISHED),
}
# Images of each condition, and the conditions, the control first.
CONDITIONS = {
    "colour": (640, "cr bw"),
    "contrast": (160, "c100 c50 c30 c15 c10 c05 c03 c01"),
    "high-pass": (160, "inf 3.0 1.5 1.0 0.7 0.55 0.45 0.4"),
    "low-pass": (160, "0 1 3 5 7 10 15 40"),
    "phase-scrambling": (160, "0 30 60 90 120 150 180"),
    "power-equalisation": (560, "0 pow"),
    "false-colour": (560, "True False"),
    "rotation": (320, "0 90 180 270"),
    "eidolonI": (
        160,
        "1-10-10 2-10-10 4-10-10 8-10-10 16-10-10 32-10-10 64-10-10 128-10-10",
    ),
    "eidolonII": (160, "1-3-10 2-3-10 4-3-10 8-3-10 16-3-10 32-3-10 64-3-10 128-3-10"),
    "eidolonIII": (
        160,
        "1-0-10 2-0-10 4-0-10 8-0-10 16-0-10 32-0-10 64-0-10 128-0-10",
    ),
    "uniform-noise": (160, "0.0 0.03 0.05 0.1 0.2 0.35 0.6 0.9"),
}
ANY_SIZE = {"frequency_cue_conflict"}
# What the published archives unpack to, or lie under in their repositories.
FOLDERS = {
    "imagenet": {"imagenet/val", "val"},
    "imagenet_v2/matched_frequency": {"imagenetv2-matched-frequency-format-val"},
    "imagenet_v2/threshold_0.7": {"imagenetv2-threshold0.7-format-val"},
    "imagenet_v2/top_images": {"imagenetv2-top-images-format-val"},
    "imagenet_a": {"imagenet-a"},
    "imagenet_r": {"imagenet-r"},
    "imagenet_sketch": {"imagenet-sketch", "sketch"},
    "stylized_imagenet": {"stylized-imagenet/val"},
    **{
        f"model_vs_human/{name}": {
            f"model-vs-human/{name}",
            f"model_vs_human/{name}",
            name,
        }
        for name in ("edge", "contrast", "eidolonII", "false-colour", "stylized")
    },
    "frequency_cue_conflict": {"frequency-cue-conflict", "frequency_cue_conflict"},
    "cue_conflict": {
        "model-vs-human/cue-conflict",
        "texture-vs-shape/stimuli/style-transfer-preprocessed-512",
    },
    "imagenet_c/fog/3": {"imagenet-c/fog/3", "ImageNet-C/fog/3"},
    "imagenet_cbar/sparkles/1": {"imagenet-c-bar/sparkles/1"},
}
COPIES = {  # of TFDS, in the order in which they are looked for
    # The one with ReaL's labels first: the images are the same.
    "imagenet": [("imagenet2012_real", "validation"), ("imagenet2012", "validation")],
    "imagenet_v2/matched_frequency": [("imagenet_v2/matched-frequency", "test")],
    "imagenet_v2/threshold_0.7": [("imagenet_v2/threshold-0.7", "test")],
    "imagenet_v2/top_images": [("imagenet_v2/topimages", "test")],
    "imagenet_a": [("imagenet_a", "test")],
    "imagenet_r": [("imagenet_r", "test")],
    "imagenet_sketch": [("imagenet_sketch", "test")],
    "cue_conflict": [("geirhos_conflict_stimuli", "test")],
}
ARCHIVES = {  # of ImageNet-C, by corruption (https://zenodo.org/records/2235448)
    "gaussian_noise": "noise",
    "shot_noise": "noise",
    "impulse_noise": "noise",
    "defocus_blur": "blur",
    "glass_blur": "blur",
    "motion_blur": "blur",
    "zoom_blur": "blur",
    "snow": "weather",
    "frost": "weather",
    "fog": "weather",
    "brightness": "weather",
    "contrast": "digital",
    "elastic_transform": "digital",
    "pixelate": "digital",
    "jpeg_compression": "digital",
    "gaussian_blur": "extra",
    "saturate": "extra",
    "spatter": "extra",
    "speckle_noise": "extra",
}


def corruptions(family: str) -> list[str]:
    return [name for name in SOURCES if name.startswith(f"{family}/")]


@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_and_policies_are_the_published_ones(name):
    source = SOURCES[name]
    found = source.expected.classes, source.expected.examples, source.expected.per_class
    assert (*found, source.preprocessing) == PUBLISHED[name]


def test_no_other_sets_are_there_but_corruptions():
    families = ("imagenet_c", "imagenet_cbar", "imagenet_c_tfds")
    corrupted = [name for family in families for name in corruptions(family)]
    assert set(SOURCES) == set(PUBLISHED) | set(corrupted) | ANY_SIZE
    assert all(SOURCES[name].expected is None for name in ANY_SIZE)


def test_conditions_and_their_counts_are_the_published_ones():
    found = {
        name.removeprefix("model_vs_human/"): (
            source.expected.per_condition,
            " ".join(source.conditions),
        )
        for name, source in SOURCES.items()
        if source.conditions
    }
    assert found == CONDITIONS
    for name in set(SOURCES) - {f"model_vs_human/{name}" for name in CONDITIONS}:
        expected = SOURCES[name].expected
        assert expected is None or expected.per_condition is None


def test_images_that_people_saw_are_laid_out_as_published():
    layouts = {
        name.removeprefix("model_vs_human/"): (source.layout, source.experiment)
        for name, source in SOURCES.items()
        if name.startswith("model_vs_human/")
    }
    in_folders = ("plain_category_folders", "")
    codes = {
        "colour": "cl",
        "contrast": "cop",
        "high-pass": "hp",
        "low-pass": "lp",
        "phase-scrambling": "ps",
        "power-equalisation": "pow",
        "false-colour": "fc",
        "rotation": "rot",
        "eidolonI": "",
        "eidolonII": "",
        "eidolonIII": "",
        "uniform-noise": "nse",
        "sketch": "ske",
        "stylized": "sty",
    }
    assert layouts == {
        "edge": in_folders,
        "silhouette": in_folders,
        **{name: ("session", code) for name, code in codes.items()},
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_sets_are_looked_for_under_their_published_names(name):
    assert FOLDERS[name] <= set(SOURCES[name].folders)


def test_copies_are_those_of_tfds():
    remade = {
        f"imagenet_c_tfds/{corruption}/{severity}": [
            (f"imagenet2012_corrupted/{corruption}_{severity}", "validation")
        ]
        for corruption in ARCHIVES
        for severity in range(1, 6)
    }
    found = {
        name: [(copy.name, copy.split) for copy in source.copies]
        for name, source in SOURCES.items()
        if source.copies
    }
    assert found == COPIES | remade


def test_the_copy_that_is_preferred_has_reals_labels():
    reassessed, plain = SOURCES["imagenet"].copies
    assert dict(reassessed.labels) == {
        "imagenet": ("original_label",),
        "real": ("real_label",),
    }
    assert dict(plain.labels) == {"imagenet": ("label",)}


def test_each_corruption_is_looked_for_in_its_published_archive():
    cells = [f"imagenet_c/{c}/{s}" for c in ARCHIVES for s in range(1, 6)]
    assert sorted(corruptions("imagenet_c")) == sorted(cells)
    for name in cells:
        _, corruption, severity = name.split("/")
        place = f"{corruption}/{severity}"
        archive = f"imagenet-c/{ARCHIVES[corruption]}.tar"
        assert (archive, place) in SOURCES[name].archives
        others = {"noise", "blur", "weather", "digital", "extra"} - {
            ARCHIVES[corruption]
        }
        stems = {file.rpartition("/")[2] for file, _ in SOURCES[name].archives}
        assert not stems & {f"{other}.tar" for other in others}


def test_corruptions_are_those_of_which_figures_were_published():
    path = importlib.resources.files("biases_jax") / "data/published_corruptions.csv"
    header = next(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    found = corruptions("imagenet_c") + corruptions("imagenet_cbar")
    assert sorted(found) == sorted(header[1:])
    for name in found:
        source = SOURCES[name]
        assert source.preprocessing == AS_PUBLISHED
        expected = source.expected
        assert (expected.classes, expected.examples, expected.per_class) == (
            1000,
            50_000,
            50,
        )
