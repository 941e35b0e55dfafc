"""Are the parts of an image moved as far, and as much together, as it is asked?"""

import numpy as np
import pytest

from biases_jax.miniature import eidolons

RNG = np.random.default_rng(0)
PLACE = np.indices((128, 128))


def photograph():
    waves = np.sin(PLACE[0] / 3) * np.sin(PLACE[1] / 5) + np.sin(PLACE[1] / 20)
    return 0.5 + 0.2 * waves


def test_layers_add_up_to_the_image():
    image = photograph()
    # Sums of differences in float64.
    total = np.sum(eidolons.layers(image), axis=0) + eidolons.MEAN_GREY
    assert np.allclose(total, image, atol=1e-12)
    assert len(eidolons.layers(image)) == len(eidolons.SCALES) + 1


def test_without_reach_the_image_stays():
    found = eidolons.eidolon(photograph(), 0.0, 0.3, 10.0, np.random.default_rng(1))
    assert np.allclose(found, photograph(), atol=1e-12)


def test_a_coherent_eidolon_is_one_smooth_warp():
    """Then and only then a gradient of grey keeps its steps: it tells each place."""
    gradient = 0.2 + 0.6 * PLACE[1] / 127
    arguments = (gradient, 3.0)
    own = [
        eidolons.eidolon(*arguments, coherence, 10.0, np.random.default_rng(2))
        for coherence in (1.0, 0.0)
    ]
    field = eidolons._field(gradient.shape, 10.0, np.random.default_rng(2))
    inner = (slice(20, -20),) * 2
    expected = gradient + 0.6 / 127 * 3.0 * field[1]
    # Linear interpolation of layers that are no gradients; steps are 0.005.
    assert np.abs(own[0] - expected)[inner].max() < 2e-3
    assert np.abs(own[1] - expected)[inner].max() > 1e-2


def test_fields_have_the_grain_and_the_size_asked_for():
    field = eidolons._field((256, 256), 8.0, RNG)
    assert np.allclose((field**2).mean((1, 2)), 1)
    # The autocorrelation of white noise under a Gaussian s is exp(-d^2 / 4 s^2).
    near = (field * np.roll(field, 8, axis=2)).mean()
    assert near == pytest.approx(np.exp(-0.25), abs=0.1)


def test_less_is_left_the_further_things_are_moved():
    image = 0.5 + 0.2 * np.sin(PLACE[0] / 3) * np.sin(PLACE[1] / 5)  # fine parts only
    left = [
        np.corrcoef(
            eidolons.eidolon(image, reach, 1.0, 10.0, RNG).ravel(), image.ravel()
        )[0, 1]
        for reach in (1.0, 4.0, 16.0)
    ]
    assert np.all(np.diff(left) < 0) and left[0] > 0.8 and left[-1] < 0.5
