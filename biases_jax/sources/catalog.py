"""Which image sets are known, and what makes each of them complete?"""

from biases_jax import labels
from biases_jax.corruptions import names
from biases_jax.sources import model_vs_human, own
from biases_jax.sources.source import Counts, IdFrom, Source, TfdsCopy

_RESIZED = "pil_bilinear_256_224"
_AS_PUBLISHED = "none_224"
_VALIDATION = Counts(classes=1000, examples=50_000, per_class=50)

_C_ROOTS = ("imagenet-c", "imagenet_c", "ImageNet-C")
_CBAR_ROOTS = ("imagenet-c-bar", "imagenet_c_bar", "imagenet-cbar", "imagenet_cbar")


def _imagenet() -> Source:
    real = (("imagenet", ("original_label",)), ("real", ("real_label",)))
    return Source(
        name="imagenet",
        folders=("imagenet/val", "imagenet", "val", ""),
        id_from="base_name",
        preprocessing=_RESIZED,
        expected=_VALIDATION,
        # First the one that knows more: the images are the same.
        copies=(
            TfdsCopy("imagenet2012_real", "validation", real),
            TfdsCopy("imagenet2012", "validation"),
        ),
        archives=(
            ("ILSVRC2012_img_val.tar", ""),
            ("imagenet/ILSVRC2012_img_val.tar", ""),
        ),
        numbered=True,
        reassessed=True,
        original=True,
    )


def _second_version(variant: str, tfds: str, published: str) -> Source:
    return Source(
        name=f"imagenet_v2/{variant}",
        folders=(
            f"imagenetv2-{published}-format-val",
            f"imagenetv2-{published}",
            f"imagenet_v2/{variant}",
        ),
        # The first release had the base names 0 to 9 in every class.
        id_from="class_and_base_name",
        preprocessing=_RESIZED,
        expected=Counts(classes=1000, examples=10_000, per_class=10),
        copies=(TfdsCopy(f"imagenet_v2/{tfds}", "test"),),
    )


def _variant(
    letter: str, examples: int, classes: tuple[int, ...], id_from: IdFrom
) -> Source:
    return Source(
        name=f"imagenet_{letter}",
        folders=(f"imagenet-{letter}", f"imagenet_{letter}"),
        id_from=id_from,
        preprocessing=_RESIZED,
        expected=Counts(classes=200, examples=examples),
        copies=(TfdsCopy(f"imagenet_{letter}", "test"),),
        classes=classes,
    )


def _corrupted(
    family: str, corruption: str, severity: int, roots: tuple[str, ...], archive: str
) -> Source:
    place = f"{corruption}/{severity}"
    archives = tuple((f"{root}/{archive}.tar", place) for root in roots)
    return Source(
        name=f"{family}/{place}",
        folders=tuple(f"{root}/{place}" for root in roots),
        id_from="base_name",
        preprocessing=_AS_PUBLISHED,
        expected=_VALIDATION,
        archives=(archives if archive else ())
        + tuple((f"{root}.tar", place) for root in roots),
        numbered=True,
    )


def _remade(corruption: str, severity: int) -> Source:
    """Return TFDS' own ImageNet-C, whose files are not the published ones."""
    name = f"imagenet2012_corrupted/{corruption}_{severity}"
    return Source(
        name=f"imagenet_c_tfds/{corruption}/{severity}",
        folders=(name,),
        id_from="base_name",
        preprocessing=_AS_PUBLISHED,
        expected=_VALIDATION,
        copies=(TfdsCopy(name, "validation"),),
        numbered=True,
    )


def _sets() -> tuple[Source, ...]:
    return (
        _imagenet(),
        _second_version("matched_frequency", "matched-frequency", "matched-frequency"),
        _second_version("threshold_0.7", "threshold-0.7", "threshold0.7"),
        _second_version("top_images", "topimages", "top-images"),
        _variant("a", 7_500, labels.IMAGENET_A, "base_name"),
        _variant("r", 30_000, labels.IMAGENET_R, "class_and_base_name"),
        Source(
            name="imagenet_sketch",
            folders=("imagenet-sketch/sketch", "imagenet-sketch", "sketch"),
            id_from="class_and_base_name",
            preprocessing=_RESIZED,
            expected=Counts(classes=1000, examples=50_889),
            copies=(TfdsCopy("imagenet_sketch", "test"),),
        ),
        Source(
            name="stylized_imagenet",
            folders=("stylized-imagenet/val", "Stylized-ImageNet/val"),
            id_from="base_name",
            preprocessing=_AS_PUBLISHED,
            expected=_VALIDATION,
            numbered=True,
        ),
        *model_vs_human.sources(len(labels.CATEGORIES), _AS_PUBLISHED),
        Source(
            name="cue_conflict",
            folders=(
                "model-vs-human/cue-conflict",
                "cue-conflict",
                "texture-vs-shape/stimuli/style-transfer-preprocessed-512",
            ),
            id_from="base_name",
            preprocessing=_AS_PUBLISHED,
            expected=Counts(classes=16, examples=1_280, per_class=80),
            copies=(
                TfdsCopy(
                    "geirhos_conflict_stimuli",
                    "test",
                    (("shape_texture", ("shape_label", "texture_label")),),
                ),
            ),
            layout="category_folders",
        ),
        Source(
            # The category of the low frequencies is named first.
            name="frequency_cue_conflict",
            folders=("frequency-cue-conflict", "frequency_cue_conflict"),
            id_from="base_name",
            preprocessing=_AS_PUBLISHED,
            expected=None,
            layout="category_folders",
        ),
        *(
            _corrupted("imagenet_c", corruption, severity, _C_ROOTS, archive)
            for archive, corruptions in names.IMAGENET_C.items()
            for corruption in corruptions
            for severity in names.SEVERITIES
        ),
        *(
            _corrupted("imagenet_cbar", corruption, severity, _CBAR_ROOTS, "")
            for corruption in names.IMAGENET_CBAR
            for severity in names.SEVERITIES
        ),
        *(
            _remade(corruption, severity)
            for corruption in names.NINETEEN
            for severity in names.SEVERITIES
        ),
    )


SOURCES = own.Catalogue({source.name: source for source in _sets()}, _AS_PUBLISHED)
