"""Does Auto-PGD look back at the right steps, and halve them as it is written?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.attacks import checkpoints


def test_checkpoints_of_100_steps_are_those_of_the_reference():
    assert checkpoints.windows(100) == (22, 19, 16, 13, 10, 7, 6, 6)
    plan = checkpoints.schedule(100, 0.75)
    assert len(plan.start) == 101 and plan.start[0] and not plan.start[1:].any()
    after = np.flatnonzero(plan.checkpoint) - 1  # row 1 follows step 0
    np.testing.assert_array_equal(after, [21, 40, 56, 69, 79, 86, 92, 98])
    # 0.75 of the windows: 16.5, 14.25, 12, 9.75, 7.5, 5.25 and 4.5.
    stalled = plan.stalled[plan.checkpoint]
    np.testing.assert_array_equal(stalled, [16, 14, 12, 9, 7, 5, 4, 4])
    assert (plan.stalled[~plan.checkpoint] == -1).all()


@pytest.mark.parametrize(
    ("steps", "windows"),
    [(1, (1,)), (5, (1,) * 5), (10, (2, *[1] * 8)), (50, (11, 10, 9, 8, 7))],
)
def test_windows_of_other_numbers_of_steps_follow_the_rule(steps, windows):
    found = checkpoints.windows(steps)
    assert found[: len(windows)] == windows
    assert sum(found) <= steps and min(found) >= 1


def literal(losses, start, rho=0.75):
    """Return the sizes after each step, as the reference states them."""
    steps = len(losses)
    history, best, size = np.zeros(steps), start, 1.0
    window, least = max(int(0.22 * steps), 1), max(int(0.06 * steps), 1)
    shrinking = max(int(0.03 * steps), 1)
    reduced, last_best, since, sizes = True, start, 0, []
    for i, loss in enumerate(losses):
        history[i] = loss
        best = max(best, loss)
        since += 1
        if since == window:
            count = sum(history[i - c] > history[i - c - 1] for c in range(window))
            no_better = not reduced and last_best >= best
            reduced, last_best = count <= rho * window or no_better, best
            size /= 1 + reduced
            window, since = max(window - shrinking, least), 0
        sizes.append(size)
    return sizes


def followed(losses, starts, rho=0.75):
    """Return the sizes `[steps, b]` of sequences of losses `[steps, b]`."""
    rows = np.concatenate([starts[None], losses])
    sizes, halve = scanned(rows, checkpoints.schedule(len(losses), rho))
    before = np.concatenate([np.ones((1, starts.size)), sizes[:-1]])
    np.testing.assert_array_equal(halve, sizes < before)
    return np.array(sizes[1:])


@jax.jit
def scanned(rows, plan):
    def evaluate(carry, row):
        progress, best = carry
        loss, at = row
        best = jnp.maximum(best, loss)
        progress, halve = progress.after(loss, best, at)
        return (progress, best), (progress.size, halve)

    begin = checkpoints.beginning(jnp.ones_like(rows[0]))
    worst = jnp.full_like(rows[0], -jnp.inf)
    return jax.lax.scan(evaluate, (begin, worst), (rows, plan))[1]


@pytest.mark.parametrize(("steps", "rho"), [(100, 0.75), (100, 0.4), (37, 0.75)])
def test_steps_are_halved_as_the_reference_states(steps, rho):
    generator = np.random.default_rng(steps)
    # Ascents of all kinds, mostly rising or not, above and below 0.
    rising = np.linspace(0.5, 1, 60)
    moves = np.where(generator.uniform(size=(steps, 60)) < rising, 1, -1)
    losses = np.cumsum(moves * generator.uniform(size=moves.shape), 0) - 3
    losses[:, ::2] += 6
    starts = losses[0] + generator.normal(size=60)
    arrays = losses.astype(np.float32), starts.astype(np.float32)
    found = followed(*arrays, rho)
    rows = zip(arrays[0].T, arrays[1], strict=True)
    expected = np.array([literal(*row, rho) for row in rows]).T
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found[-1])) > 3


def first_checkpoint(first_loss, rises, start=0.0):
    """Return the size after 22 losses, of which `rises` are above the one before."""
    moves = np.where(np.arange(21) < rises, 1.0, -1.0)
    losses = first_loss + np.concatenate([[0], np.cumsum(moves)])
    losses = np.concatenate([losses, np.zeros(78)])[:, None].astype(np.float32)
    return followed(losses, np.full(1, start, np.float32))[21, 0]


def test_the_first_step_is_compared_with_0_not_with_the_start():
    # More than 16.5 of the 22 losses must be larger than the one before.
    assert first_checkpoint(0.5, 16) == 1.0  # 0.5 > 0 is the seventeenth
    assert first_checkpoint(0.5, 16, start=9.0) == 1.0
    assert first_checkpoint(0.5, 15) == 0.5
    assert first_checkpoint(-0.5, 16) == 0.5
    assert first_checkpoint(-0.5, 16, start=-9.0) == 0.5
    assert first_checkpoint(-0.5, 17) == 1.0


def test_a_best_that_stays_halves_only_after_a_window_that_did_not():
    # Rising for 22 steps from far below a start that stays the best.
    losses = np.linspace(1, 2, 100, dtype=np.float32)
    pair = np.stack([losses, losses], 1)
    low, high = followed(pair, np.array([0, 9], np.float32)).T
    np.testing.assert_array_equal(low, 1)
    np.testing.assert_array_equal(high[:41], [1.0] * 40 + [0.5])
    ends = np.flatnonzero(np.diff(high)) + 1
    # Whoever has just halved is spared at the next checkpoint.
    np.testing.assert_array_equal(ends, [40, 69, 86, 98])
