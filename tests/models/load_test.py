"""Does a model load as what it is, and is one that cannot answer refused?"""

import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.models import checkpoints, load, names, resnet, zoo
from convert import mapping

SMALL = names.Reference("small", path="x")


@pytest.fixture
def save(tmp_path):
    """Return a function that saves one random checkpoint with a given stem stride."""
    generator = np.random.default_rng(0)
    state = {
        name: np.abs(generator.normal(size=leaf.shape)).astype(np.float32)
        for name, leaf in mapping.leaves(8, 10).items()
    }
    tree = mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)

    def write(stem_stride=2):
        sizes = {"width": 8, "num_classes": 10, "stem_stride": stem_stride}
        checkpoints.save(tmp_path / "small", tree, {"model": "small", **sizes})
        return tree

    return write


def test_a_converted_checkpoint_loads_with_its_sizes(save, tmp_path):
    tree = save(stem_stride=4)
    model = load.load(SMALL, tmp_path, "float32")
    assert model.apply is resnet.apply_function(8, 10, 4, "float32")
    assert model.variables["params"]["conv1"]["kernel"].shape == (7, 7, 3, 8)
    assert load.weights_sha256(SMALL, tmp_path) != checkpoints.weights_sha256(tree)


def test_the_stride_of_the_stem_is_part_of_what_a_model_is(save, tmp_path):
    tree = save()
    usual = load.weights_sha256(SMALL, tmp_path)
    assert usual == checkpoints.weights_sha256(tree)
    found = {usual}
    for stride in (1, 4):
        save(stride)
        found.add(load.weights_sha256(SMALL, tmp_path))
    assert len(found) == 3


def test_absent_and_damaged_checkpoints_are_named(save, tmp_path):
    with pytest.raises(load.ModelError, match="small.*no converted checkpoint"):
        load.weights_sha256(SMALL, tmp_path)
    save()
    for path in (tmp_path / "small/arrays").rglob("*"):
        if path.is_file():
            path.write_bytes(b"")
    with pytest.raises(load.ModelError, match="small.*convert again"):
        load.load(SMALL, tmp_path, "float32")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":', "damaged"),
        ('{"a": 1}', "lacks weights_sha256"),
        ("[]", "got .. as the manifest, expected an object"),
        ('{"fingerprint": null}', "got None as fingerprint"),
        ('{"sources": null}', "got None as sources"),
        ('{"sources": {"backbone": "x"}}', "got 'x' as the source 'backbone'"),
    ],
)
def test_a_damaged_manifest_is_named_with_the_remedy(save, tmp_path, text, message):
    save()
    (tmp_path / "small/manifest.json").write_text(text)
    for use in (load.weights_sha256, lambda *a: load.load(*a, "float32")):
        with pytest.raises(load.ModelError, match=f"{message}.*convert again") as error:
            use(SMALL, tmp_path)
        assert "small/manifest.json" in str(error.value)


def logits_of(shape, dtype=jnp.float32):
    return lambda variables, images: jnp.zeros(shape, dtype)


@pytest.mark.parametrize(
    ("apply", "message"),
    [
        (logits_of((2, 1)), "2 classes or more"),
        (logits_of((2,)), "expected floating-point logits"),
        (logits_of((2, 7, 7)), "expected floating-point logits"),
        (logits_of((3, 10)), "expected floating-point logits"),
        (logits_of((2, 10), jnp.int32), "int32 of shape"),
        (lambda variables, images: (images, images), "gives a tuple"),
        (lambda variables, images: variables["head"], "KeyError: 'head'"),
        (lambda variables, images: images @ images, "fails on float32 images"),
        (logits_of((2, 9)), "got 9 classes, expected more than 9"),
        (logits_of((2, 40_000)), "at most 32768"),
        (logits_of((2, 1001)), r"background .* off by one.*apply return logits.:, 1:"),
    ],
)
def test_a_model_that_cannot_answer_is_refused(apply, message):
    with pytest.raises(load.ModelError, match=message) as caught:
        load.check(load.Loaded("mine", apply, {}), 32, largest_label=9)
    assert str(caught.value).startswith("mine: ")


def test_a_model_that_can_answer_passes():
    load.check(load.Loaded("mine", logits_of((2, 10)), {}), 32, largest_label=9)
    load.check(load.Loaded("mine", logits_of((2, 32_768)), {}), 32, largest_label=0)


@pytest.mark.parametrize("classes", [1000, 1002])
def test_no_other_number_of_classes_is_taken_for_a_background(classes):
    model = load.Loaded("mine", logits_of((2, classes)), {})
    assert load.check(model, 32, largest_label=999) == classes
