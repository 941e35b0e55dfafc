"""Are balls, directions and draws what geometry says they are?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from biases_jax.attacks import norms

BOTH = pytest.mark.parametrize("name", norms.BY_NAME)
ORDERS = {"linf": np.inf, "l2": 2}


def differences(count=6, dtype=np.float64):
    return np.random.default_rng(2).normal(size=(count, 4, 5, 3)).astype(dtype)


def length(name, delta):
    return np.linalg.norm(np.asarray(delta).reshape(len(delta), -1), ORDERS[name], 1)


@BOTH
def test_lengths_are_those_of_numpy(name):
    with jax.enable_x64(True):
        delta = jnp.asarray(differences())
        ours = norms.BY_NAME[name].length(delta)
        np.testing.assert_allclose(ours, length(name, delta), rtol=1e-14)
        single = norms.BY_NAME[name].length(delta[0])
        np.testing.assert_allclose(single, ours[0], rtol=1e-14)


@BOTH
def test_the_projection_is_the_nearest_point_of_the_ball(name):
    norm, generator = norms.BY_NAME[name], np.random.default_rng(3)
    with jax.enable_x64(True):
        delta = jnp.asarray(differences())
        radius = jnp.float64(0.9 * length(name, delta).min())
        found = norm.project(delta, radius)
        np.testing.assert_allclose(norm.length(found), radius, rtol=1e-14)
        np.testing.assert_allclose(
            norm.project(found, radius), found, rtol=1e-14, atol=0
        )
        # A point p of a convex set is nearest to x if (x - p)(q - p) <= 0 for all q.
        for _ in range(200):
            other = generator.normal(size=delta.shape)
            other *= float(radius) / length(name, other)[:, None, None, None]
            towards = ((delta - found) * (jnp.asarray(other) - found)).sum((1, 2, 3))
            assert (np.asarray(towards) <= 1e-12).all()
        inside = delta * 1e-3
        np.testing.assert_array_equal(norm.project(inside, radius), inside)


@BOTH
def test_projection_handles_no_radius_and_no_difference(name):
    norm, delta = norms.BY_NAME[name], jnp.asarray(differences(dtype=np.float32))
    np.testing.assert_array_equal(norm.project(delta, jnp.float32(0)), 0)
    np.testing.assert_array_equal(norm.project(0 * delta, jnp.float32(1)), 0)


@BOTH
def test_the_ascent_has_length_1_and_gains_the_dual_norm(name):
    norm, dual = norms.BY_NAME[name], {"linf": 1, "l2": 2}[name]
    with jax.enable_x64(True):
        gradient = jnp.asarray(differences())
        ascent = norm.ascent(gradient)
        np.testing.assert_allclose(norm.length(ascent), 1, rtol=1e-14)
        # Hoelder's inequality: no difference of length 1 gains more.
        gain = (ascent * gradient).sum((1, 2, 3))
        most = np.linalg.norm(np.asarray(gradient).reshape(6, -1), dual, 1)
        np.testing.assert_allclose(gain, most, rtol=1e-13)
    np.testing.assert_array_equal(norm.ascent(jnp.zeros((4, 5, 3))), 0)


@BOTH
def test_noise_is_uniform_in_the_ball(name):
    count, shape = 20_000, (1, 2, 3)
    noise = norms.BY_NAME[name].unit_noise(jax.random.key(0), (count, *shape))
    assert noise.dtype == jnp.float32 and noise.shape == (count, *shape)
    flat = np.asarray(noise, np.float64).reshape(count, -1)
    # In six dimensions, the share of the ball within radius r is r^6 in both norms.
    radius = np.linalg.norm(flat, ORDERS[name], 1)
    assert radius.max() <= 1 + 1e-6
    assert stats.kstest(radius**6, "uniform").pvalue > 1e-3
    signs = (flat > 0).mean(0)
    assert np.abs(signs - 0.5).max() < 4 * 0.5 / np.sqrt(count)
    # Neighbouring examples and coordinates are independent.
    matrix = np.corrcoef(np.concatenate([flat[1:], flat[:-1]], 1).T)
    assert np.abs(matrix - np.eye(12)).max() < 5 / np.sqrt(count)
    # Each coordinate's variance: 1/3 in the cube, 1/(n + 2) in the ball.
    variance = {"linf": 1 / 3, "l2": 1 / 8}[name]
    np.testing.assert_allclose(flat.var(0), variance, rtol=0.05)


@BOTH
def test_noise_does_not_depend_on_the_precision_in_use(name):
    def draw():
        return norms.BY_NAME[name].unit_noise(jax.random.key(7), (4, 4, 3))

    expected = np.asarray(draw())
    with jax.enable_x64(True):
        found = draw()
        assert found.dtype == jnp.float32
        np.testing.assert_array_equal(found, expected)


@BOTH
def test_the_surface_is_reached_in_the_direction_given(name):
    norm = norms.BY_NAME[name]
    with jax.enable_x64(True):
        delta = jnp.asarray(differences())
        found = norm.on_surface(delta)
        expected = np.asarray(delta) / length(name, delta)[:, None, None, None]
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_array_equal(norm.on_surface(jnp.zeros((4, 5, 3))), 0)


@BOTH
def test_what_is_moved_inside_is_in_the_ball_and_between_0_and_1(name):
    norm = norms.BY_NAME[name]
    with jax.enable_x64(True):
        image = jnp.asarray(np.random.default_rng(4).uniform(size=(6, 4, 5, 3)))
        x = image + jnp.asarray(differences())
        found = norm.inside(x, image, jnp.float64(0.5))
        expected = jnp.clip(image + norm.project(x - image, jnp.float64(0.5)), 0, 1)
        np.testing.assert_array_equal(found, expected)
        assert 0 == found.min() and found.max() == 1
        assert (length(name, found - image) <= 0.5 + 1e-15).all()
        np.testing.assert_array_equal(norm.inside(image, image, jnp.float64(0)), image)


@pytest.mark.parametrize(
    ("norm", "sizes", "message"),
    [
        ("l1", {"epsilon": 1.0}, "'l1'.*'l2', 'linf'"),
        ("l2", {"epsilon": 1.0, "step": -0.1}, "step=-0.1.*4/255"),
        ("linf", {"epsilon": float("nan")}, "epsilon=nan"),
    ],
)
def test_impossible_sizes_are_refused(norm, sizes, message):
    with pytest.raises(ValueError, match=message):
        norms.demand_sizes(norm, **sizes)
