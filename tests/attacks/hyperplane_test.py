"""Is the step onto a hyperplane the shortest within the box, whatever the case?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sorted_steps
from scipy import optimize

from biases_jax.attacks import hyperplane

SHAPE = (2, 2, 3)
ORDERS = {"linf": np.inf, "l2": 2}
STEP = jax.jit(hyperplane.step, static_argnames="norm")
BOTH = pytest.mark.parametrize("norm", ORDERS)


def cases(count=24, shape=SHAPE):
    """Return points, normals and gaps: small, large, and on both sides."""
    generator = np.random.default_rng(8)
    point = generator.uniform(size=(count, *shape))
    normal = generator.normal(size=(count, *shape))
    # Pixels on faces, pixels without weight, and weights of very different sizes.
    point[1::4] = np.round(point[1::4])
    normal[2::4] *= generator.uniform(size=(len(normal[2::4]), *shape)) < 0.5
    normal[3::4] *= 10 ** generator.uniform(-6, 3, (len(normal[3::4]), *shape))
    sign = np.where(np.arange(count) % 3 == 0, -1, 1)
    gap = sign * generator.uniform(0.01, 0.95, count)
    return point, normal, gap * reach(point, normal, sign)


def reach(point, normal, sign):
    """Return the largest gap of this sign that can be closed within the box."""
    rising = normal * sign[:, None, None, None] < 0
    return (np.abs(normal) * np.where(rising, 1 - point, point)).sum((1, 2, 3))


def found(point, normal, gap, norm, dtype=np.float64):
    with jax.enable_x64(dtype == np.float64):
        arrays = (jnp.asarray(np.asarray(x), dtype) for x in (point, normal, gap))
        return np.asarray(STEP(*arrays, norm=norm))


@BOTH
def test_steps_are_those_of_sorting(norm):
    point, normal, gap = cases()
    steps = found(point, normal, gap, norm)
    for ours, *case in zip(steps, point, normal, gap, strict=True):
        expected = sorted_steps.step(*case, norm)
        # Sums of twelve numbers, in another order.
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose((steps * normal).sum((1, 2, 3)), -gap, rtol=1e-12)
    assert ((point + steps >= 0) & (point + steps <= 1)).all()
    assert (steps[normal == 0] == 0).all() and (normal == 0).any()


def test_no_step_has_a_smaller_largest_change():
    point, normal, gap = cases()
    longest = np.abs(found(point, normal, gap, "linf")).max((1, 2, 3))
    for ours, x, w, size in zip(longest, point, normal, gap, strict=True):
        # Of (d, t): the least t with -t <= d <= t, <w, d> = -gap and x + d in [0, 1].
        largest = np.abs(w).max()
        w, size = w.ravel() / largest, size / largest
        eye, one = np.eye(w.size), np.ones((w.size, 1))
        solution = optimize.linprog(
            [0] * w.size + [1],
            A_ub=np.block([[eye, -one], [-eye, -one]]),
            b_ub=np.zeros(2 * w.size),
            A_eq=[[*w, 0]],
            b_eq=[-size],
            bounds=[*zip(-x.ravel(), 1 - x.ravel(), strict=True), (0, None)],
        )
        assert solution.success
        np.testing.assert_allclose(ours, solution.fun, atol=1e-7)  # HiGHS' tolerance


def test_no_step_is_shorter():
    point, normal, gap = cases()
    steps = found(point, normal, gap, "l2")
    generator = np.random.default_rng(9)
    for ours, x, w, size in zip(steps, point, normal, gap, strict=True):
        # A point p of a convex set is nearest to 0 if <p, q> >= <p, p> for all q of
        # it: where the ways from the face beyond the plane to other corners meet it.
        beyond = ((w * np.sign(size) < 0) - x)[None]
        corners = generator.integers(0, 2, (200, *SHAPE)) - x[None]
        sides = (corners * w[None]).sum((1, 2, 3)) + size
        corners, sides = (a[sides * np.sign(size) > 0] for a in (corners, sides))
        side = (beyond * w[None]).sum() + size
        share = (side / (side - sides))[:, None, None, None]
        others = beyond + share * (corners - beyond)
        assert len(others) > 20
        np.testing.assert_allclose((others * w[None]).sum((1, 2, 3)), -size, rtol=1e-9)
        least = (ours**2).sum()
        assert ((others * ours[None]).sum((1, 2, 3)) >= least * (1 - 1e-9)).all()


@BOTH
def test_what_cannot_be_closed_moves_to_the_faces(norm):
    point, normal, gap = cases()
    beyond = np.sign(gap) * reach(point, normal, np.sign(gap)) * 1.5
    steps = found(point, normal, beyond, norm)
    uphill = normal * np.sign(gap)[:, None, None, None] < 0
    moved = np.where(normal == 0, point, uphill)
    np.testing.assert_allclose(point + steps, moved, atol=1e-15)
    exact = np.sign(gap) * reach(point, normal, np.sign(gap))
    touching = found(point, normal, exact, norm)
    np.testing.assert_allclose(touching, steps, atol=1e-6)  # the last bits of the gap


@BOTH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_gap_and_no_normal_are_no_step(norm, dtype):
    point, normal, gap = cases()
    np.testing.assert_array_equal(found(point, normal, 0 * gap, norm, dtype), 0)
    np.testing.assert_array_equal(found(point, 0 * normal, gap, norm, dtype), 0)


@BOTH
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_size_of_the_normal_does_not_matter(norm, scale):
    point, normal, gap = cases()
    ordinary = found(point, normal, gap, norm, np.float32)
    scaled = found(point, normal * scale, gap * scale, norm, np.float32)
    # A power of ten is rounded to float32 in every pixel.
    np.testing.assert_allclose(scaled, ordinary, rtol=1e-5, atol=1e-6)


@BOTH
@pytest.mark.parametrize("share", [1e-3, 0.3, 0.999])
def test_the_sums_of_a_large_image_are_good_enough_in_float32(norm, share):
    point, normal, gap = cases(2, (96, 96, 3))
    gap = share * reach(point, normal, np.sign(gap)) * np.sign(gap)
    steps = found(point, normal, gap, norm, np.float32)
    for ours, *case in zip(steps, point, normal, gap, strict=True):
        expected = sorted_steps.step(*case, norm)
        # 27,648 float32 terms in a sum; at 0.999 little is left of two large sums.
        np.testing.assert_allclose(ours, expected, atol=1e-3 if share > 0.9 else 1e-5)


@BOTH
def test_examples_of_a_batch_are_single_ones(norm):
    point, normal, gap = cases()
    together = found(point, normal, gap, norm)
    for i in range(4):
        alone = found(point[i], normal[i], gap[i], norm)
        np.testing.assert_allclose(alone, together[i], rtol=1e-13, atol=1e-16)


@BOTH
def test_pixels_that_arrive_one_after_the_other_are_all_waited_for(norm):
    # Rooms and weights that shrink by thirds: every Newton step meets one more face.
    shrinking = 3.0 ** -np.arange(24).reshape(1, 2, 4, 3)
    point, normal = shrinking[..., ::-1, :, :][..., ::-1], -shrinking
    point = 1 - point[:, :, ::-1]
    gap = 0.999999 * reach(point, normal, np.array([1.0]))
    steps = found(point, normal, gap, norm)
    expected = sorted_steps.step(point[0], normal[0], gap[0], norm)
    np.testing.assert_allclose(steps[0], expected, rtol=1e-6, atol=1e-12)
