"""Do models see what the published files would show, from draws of an image's own?"""

import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from corruptions import golden
from PIL import Image

from biases_jax import corruptions, levels, transforms
from biases_jax.corruptions import names
from biases_jax.corruptions.corrupted import Corrupted, benchmarks

KEY = jax.random.key(7)


def photograph():
    return np.asarray(golden.image("chelsea"))


def pillow(image, quality):
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "JPEG", quality=quality, optimize=True)
    return np.asarray(Image.open(buffer))


@pytest.mark.parametrize("name", ["gaussian_noise", "contrast", "fog"])
@pytest.mark.parametrize("quality", [85, 30, None])
def test_the_stimulus_is_the_corrupted_image_in_a_file(name, quality):
    made = corruptions.get(name, 3)
    bytes_ = np.asarray(made(KEY, photograph()))
    expected = bytes_ if quality is None else pillow(bytes_, quality)
    found = Corrupted(made, quality)(KEY, jnp.asarray(levels.UNIT[photograph()]))
    np.testing.assert_array_equal(found, levels.UNIT[expected])


def test_severities_compile_once_and_draw_alike():
    mild, strong = (Corrupted(corruptions.get("speckle_noise", s)) for s in (1, 5))
    assert transforms.compiled_part(mild) == transforms.compiled_part(strong)
    assert mild.preparation == strong.preparation
    image = jnp.asarray(levels.UNIT[photograph()])
    first, second = (t.preparation(KEY, image) for t in (mild, strong))
    np.testing.assert_array_equal(first[1]["normal"], second[1]["normal"])


def test_the_file_is_a_program_of_its_own_that_corruptions_share():
    fog, contrast = (Corrupted(corruptions.get(n, 2)) for n in ("fog", "contrast"))
    assert fog.finishing == contrast.finishing
    assert fog.finishing != Corrupted(fog.corruption, 95).finishing
    image = jnp.asarray(levels.UNIT[photograph()])
    prepared = contrast.preparation(KEY, image)
    shown = contrast.apply(prepared, KEY, contrast.parameters(image.shape))
    expected = contrast.corruption(KEY, photograph())
    np.testing.assert_array_equal(shown, expected)


def test_other_files_are_other_measurements():
    made = corruptions.get("contrast", 2)
    assert repr(Corrupted(made)) != repr(Corrupted(made, 95))
    assert "jpeg_quality=85" in repr(Corrupted(made))


def test_a_quality_that_no_file_has_is_refused():
    image = jnp.asarray(levels.UNIT[photograph()])
    with pytest.raises(ValueError, match="got JPEG quality 101"):
        Corrupted(corruptions.get("contrast", 2), 101)(KEY, image)


def test_benchmarks_are_all_severities_under_one_stream():
    found = list(benchmarks("mine", ("fog", "contrast")))
    assert [b.name for b in found] == [
        f"mine/{name}/{severity}"
        for name in ("fog", "contrast")
        for severity in range(1, 6)
    ]
    assert {b.stream for b in found} == {"mine/fog", "mine/contrast"}
    assert {b.source for b in found} == {"imagenet"}
    assert found[2].transform == Corrupted(corruptions.get("fog", 3))
    assert names.SEVERITIES == (1, 2, 3, 4, 5)
