"""Is frost the reference's, and are its crops from anywhere in the textures?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from corruptions import frost_files, golden, statistics

from biases_jax.corruptions import frost_textures
from biases_jax.corruptions.frost import Frost

SHARES = {1: (1, 0.4), 2: (0.8, 0.6), 3: (0.7, 0.7), 4: (0.65, 0.7), 5: (0.6, 0.75)}
REAL = frost_textures.find()


@pytest.fixture
def small(tmp_path):
    """Return the name of small textures."""
    return frost_textures.find(frost_files.write(tmp_path))


@pytest.mark.parametrize(("image", "severity"), golden.cases("weather", "frost"))
def test_recorded_crops_give_the_recorded_images(image, severity):
    # Thinned: the corruption treats every value alone.
    known = golden.extract("weather")
    crop = known[golden.key("frost_crop", image, severity)]
    thinned = np.ascontiguousarray(golden.thinned(golden.image(image)))
    got = Frost(severity, "imagecorruptions").apply(thinned, {"crop": crop})
    expected = known[golden.key("frost", image, severity)]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
def test_every_sum_is_float64s(severity):
    image, crop = np.meshgrid(*[np.arange(256, dtype=np.uint8)] * 2)
    image, crop = (np.stack([a, a[::-1], a.T], -1) for a in (image, crop))
    of_image, of_frost = SHARES[severity]
    sums = of_image * image.astype(float) + of_frost * crop.astype(float)
    expected = np.floor(sums.clip(0, 255))
    got = Frost(severity).apply(image, {"crop": crop})
    assert got.dtype == jnp.uint8
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("flavour", ["original", "imagecorruptions"])
def test_crops_are_from_anywhere_in_the_textures(small, flavour):
    shape, count = (24, 20, 3), 2000
    keys = jax.random.split(jax.random.key(2), count)
    frost = Frost(1, flavour, small)
    crops = jax.jit(jax.vmap(lambda key: frost.sample(key, shape)["crop"]))(keys)
    crops = np.asarray(crops)
    found = frost_textures.textures(small, flavour, *shape[:2])
    every = {}
    for index, (texture, starts) in enumerate(zip(*found, strict=True)):
        for top in range(starts[0]):
            for left in range(starts[1]):
                crop = texture[top : top + 24, left : left + 20]
                every.setdefault(crop.tobytes(), (index, top, left))
    places = np.array([every[crop.tobytes()] for crop in crops])
    counts = np.bincount(places[:, 0], minlength=5)
    # The second and the third are one; 4.5 standard errors of binomials.
    np.testing.assert_allclose(counts / count, [0.2, 0.4, 0, 0.2, 0.2], atol=0.05)
    for index in (0, 1, 3, 4):
        chosen = places[places[:, 0] == index][:, 1:]
        last = found.starts[index] - 1
        assert (chosen.min(0) == 0).all() and (chosen.max(0) == last).all()
        error = 0.29 / len(chosen) ** 0.5
        np.testing.assert_allclose((chosen / last).mean(0), 0.5, atol=4.5 * error)


def test_a_key_gives_its_bytes_in_any_batch(small):
    keys = jax.random.split(jax.random.key(7), 6)
    image = jnp.asarray(golden.image("chelsea")[:24, :20])
    frost = Frost(2, "original", small)
    batch = jax.jit(jax.vmap(frost, in_axes=(0, None)))(keys, image)
    for key, expected in zip(keys, batch, strict=True):
        np.testing.assert_array_equal(jax.jit(frost)(key, image), expected)


def test_it_is_named_by_its_textures(small):
    assert repr(Frost(1, "original", small)) == (
        f"Frost(severity=1, flavour='original', textures='{small}')"
    )
    assert Frost(1).textures == REAL
    with pytest.raises(ValueError, match="got flavour 'tfds', expected one of"):
        Frost(1, "tfds")


@pytest.mark.skipif(REAL == "synthetic-v1", reason="imagecorruptions is not installed")
@pytest.mark.parametrize("severity", [1, 3, 5])
def test_fresh_crops_look_like_the_reference(severity):
    frost = Frost(severity, "imagecorruptions", REAL)
    keys = jax.random.split(jax.random.key(5), 32)
    image = jnp.asarray(golden.image("astronaut"))
    outputs = jax.jit(jax.vmap(frost, in_axes=(0, None)))(keys, image)
    assert statistics.unlike("frost", severity, outputs) == []


@pytest.mark.skipif(REAL == "synthetic-v1", reason="imagecorruptions is not installed")
@pytest.mark.parametrize(("image", "severity"), golden.cases("weather", "frost"))
def test_recorded_places_give_the_recorded_crops(image, severity):
    known = golden.extract("weather")
    found = frost_textures.textures(REAL, "imagecorruptions", 224, 224)
    index, top, left = known[golden.key("frost_pos", image, severity)]
    crop = found.stack[index, top : top + 224, left : left + 224]
    expected = known[golden.key("frost_crop", image, severity)]
    most, share = golden.differences(golden.thinned(crop), expected)
    # OpenCV rounds its cubic weights: of whole crops, 2e-5 of the values differ.
    assert most <= 1 and share <= 1e-3
