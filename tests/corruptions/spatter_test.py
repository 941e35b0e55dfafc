"""Is spatter the reference's, by the same draws and by its own?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import skimage.data
from corruptions import checks, golden, reference_spatter, statistics

from biases_jax.corruptions.spatter import Spatter, equalised

SEVERITIES = (1, 2, 3, 4, 5)
# Water: where float32 puts a drop's thickness on the other side of a level, its light
# changes by a level; an edge of it may move, which is rare. Mud: where a value is
# within float32's rounding of a whole level. Measured: at most 1.5e-4 and 8e-5.
SHARE = {1: 1e-3, 2: 1e-3, 3: 1e-3, 4: 3e-4, 5: 3e-4}


@pytest.fixture(scope="module")
def corrupt():
    """Return a function of severity, image and normal noise, compiled once."""
    compiled = jax.jit(Spatter(1).corrupt)

    def run(severity, image, normal):
        draws = {"normal": normal.astype(np.float32)}
        parameters = Spatter(severity).parameters(image.shape)
        return np.asarray(compiled(image, draws, parameters))

    return run


@pytest.mark.parametrize(("image", "severity"), golden.cases("weather", "spatter"))
def test_recorded_draws_give_the_recorded_images(corrupt, image, severity):
    normal = golden.random_state(image, severity).standard_normal((224, 224))
    whole = corrupt(severity, golden.image(image), normal)
    name = golden.key("spatter", image, severity)
    got, expected = golden.thinned(whole), golden.extract("weather")[name]
    if not golden.is_whole("weather", name, whole):
        most, share = golden.differences(got, expected)
        assert most <= 1 and share <= 2e-3  # 4 of the 2352 values


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize(("height", "width"), [(224, 224), (97, 75)])
def test_it_is_what_float64_says(corrupt, severity, height, width):
    image = skimage.data.coffee()[50 : 50 + height, 120 : 120 + width]
    normal = np.random.RandomState(severity).standard_normal((height, width))
    expected = reference_spatter.spatter(image, normal, severity)
    got = corrupt(severity, image, normal)
    most, share = golden.differences(got, expected)
    assert most <= 1 and share <= SHARE[severity]


@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_pane_without_a_drop_changes_nothing(corrupt, severity):
    image = skimage.data.coffee()[50:274, 120:344]
    found = corrupt(severity, image, np.full((224, 224), -3.0))
    np.testing.assert_array_equal(found, image)


@pytest.mark.parametrize("severity", [4, 5])
def test_a_pane_of_mud_is_of_one_colour(corrupt, severity):
    image = skimage.data.coffee()[50:274, 120:344]
    found = corrupt(severity, image, np.full((224, 224), 3.0))
    assert (found == [63, 42, 20]).all()


def test_levels_are_spread_by_their_frequency():
    levels = np.random.RandomState(2).binomial(20, 0.3, (40, 30)).astype(np.int32)
    found = equalised(jnp.asarray(levels), 20)
    np.testing.assert_array_equal(found, reference_spatter.equalised(levels))
    same = jnp.full((4, 5), 7, jnp.int32)
    np.testing.assert_array_equal(equalised(same, 20), same)


@pytest.fixture(scope="module")
def fresh():
    """Return the images of 24 keys and a severity."""
    return checks.of_fresh_keys(Spatter)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_fresh_draws_look_like_the_reference(fresh, severity):
    assert statistics.unlike("spatter", severity, fresh(severity)) == []


@pytest.mark.parametrize("severity", [2, 5])
def test_a_key_gives_its_bytes_in_any_batch(fresh, severity):
    image = jnp.asarray(golden.image("astronaut"))
    key = jax.random.split(jax.random.key(7), 24)[5]
    alone = jax.jit(Spatter(severity))(key, image)
    np.testing.assert_array_equal(fresh(severity)[5], alone)
