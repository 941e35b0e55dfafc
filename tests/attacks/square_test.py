"""Is the search with squares AutoAttack's, and does each example go its own way?"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
from scipy import stats
from tiny_network import GOLDEN, logits_fn

from biases_jax.attacks import attack, square

KEY = jax.random.key(0)
SHORT = square.Square(16 / 255, queries=60)
ANSWERS = jax.jit(logits_fn)
EPSILONS = (0.0, 16 / 255, 0.3)


@functools.partial(jax.jit, static_argnames=("method", "answers"))
def attacked(draws, epsilon, image, label, method=SHORT, answers=logits_fn):
    method = dataclasses.replace(method, epsilon=epsilon)
    return method.run(draws, image, label, answers)


def test_images_and_queries_are_those_of_autoattack_in_float64():
    epsilon = GOLDEN["eps_of_autoattack_parts"]
    shared = GOLDEN["square_draws_uh_uw_s0_s1_s2"]
    label = jnp.asarray(GOLDEN["y"].astype(np.int32))[:, None]
    method = square.Square(1.0, queries=150)
    for dtype, tolerance in ((np.float64, 0), (np.float32, 1e-7)):
        with jax.enable_x64(True):  # the recorded draws are float64
            draws = {
                "stripes": jnp.asarray(np.moveaxis(GOLDEN["square_init_u"], 1, -1)),
                "squares": jnp.asarray(np.broadcast_to(shared, (5, *shared.shape))),
            }
            image = jnp.asarray(tiny_network.recorded("x", dtype))
            result = attacked(draws, jnp.asarray(epsilon, dtype), image, label, method)
        assert result.image.dtype == result.best_loss.dtype == dtype
        expected = tiny_network.recorded("square_x_best")
        # In float32 half a unit in the last place, if no decision differs.
        np.testing.assert_allclose(result.image, expected, rtol=0, atol=tolerance)
        np.testing.assert_array_equal(result.evaluations, GOLDEN["square_queries"])
        np.testing.assert_array_equal(result.fooled, False)


def plain_search(draws, epsilon, image, truth):
    """Return what one example comes to, query by query, in float64."""

    def look(x):
        with jax.enable_x64(True):
            logits = np.asarray(ANSWERS(x))
        loss = np.log(np.exp(logits).sum()) - logits[truth]
        return logits[truth] - np.delete(logits, truth).max(), loss, logits.argmax()

    x = np.clip(image + epsilon * np.where(draws["stripes"] < 0.5, -1, 1), 0, 1)
    margin, most, answer = look(x)
    best, evaluations = x, 1
    for query, (down, right, *signs) in enumerate(draws["squares"]):
        if margin <= 0:
            break
        side = 14 if query <= 10 else 10 if query <= 50 else 7
        row, column = int(down * (16 - side)), int(right * (16 - side))
        window = np.s_[row : row + side, column : column + side]
        proposal = x.copy()
        moved = image[window] + epsilon * np.where(np.array(signs) < 0.5, -1, 1)
        proposal[window] = np.clip(moved, 0, 1)
        evaluations += 1
        lead, loss, said = look(proposal)
        if loss > most:
            most, best = loss, proposal
        if lead < margin:
            x, margin, answer = proposal, lead, said
    return x, best, most, answer != truth, np.abs(x - image).max(), evaluations


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_searches_are_those_of_a_plain_loop(epsilon):
    with jax.enable_x64(True):
        image, label, _ = tiny_network.inputs()
        draws = SHORT.sample(KEY, image.shape)
        result = attacked(draws, jnp.float64(epsilon), image, label)
    for i, truth in enumerate(np.asarray(label)[:, 0]):
        own = {name: np.asarray(array[i]) for name, array in draws.items()}
        expected = plain_search(own, epsilon, np.asarray(image[i]), truth)
        for ours, theirs in zip(result, expected, strict=True):
            # The order of float64 sums, in losses; pixels are equal.
            np.testing.assert_allclose(ours[i], theirs, rtol=1e-12, atol=1e-14)
    counts = {0.0: {1, 61}, 16 / 255: {1, 61}, 0.3: {1}}[epsilon]
    assert counts <= set(result.evaluations.tolist())
    # Some are done on the way, and not all are.
    assert epsilon != 16 / 255 or len(set(result.evaluations.tolist())) > 2


def test_images_stay_in_the_ball_and_between_0_and_1():
    image, label, _ = tiny_network.inputs(np.float32)
    draws = SHORT.sample(KEY, image.shape)
    for epsilon in EPSILONS:
        result = attacked(draws, jnp.float32(epsilon), image, label)
        for found in (result.image, result.best_image):
            assert found.dtype == jnp.float32
            assert 0 <= float(found.min()) and float(found.max()) <= 1
            far = np.abs(np.asarray(found - image, np.float64)).max((1, 2, 3))
            # Half a unit in the last place of a pixel near 1.
            assert (far <= epsilon + 6e-8).all() and (far >= 0.99 * epsilon).all()
        np.testing.assert_allclose(result.distance, far, atol=1e-7)
    clean = attacked(draws, jnp.float32(0), image, label)
    np.testing.assert_array_equal(clean.image, image)
    wrong = ANSWERS(image).argmax(-1) != label[:, 0]
    np.testing.assert_array_equal(clean.fooled, wrong)
    assert 0 < wrong.sum() < len(wrong)


def test_batched_mapped_and_single_attacks_are_one():
    with jax.enable_x64(True):
        image, label, _ = tiny_network.inputs()
        draws = SHORT.sample(KEY, image.shape)
        epsilon = jnp.float64(16 / 255)
        expected = attacked(draws, epsilon, image, label)
        mapped = jax.vmap(lambda *each: attacked(each[0], epsilon, *each[1:]))(
            draws, image, label
        )
        singles = [
            attacked({k: v[i] for k, v in draws.items()}, epsilon, image[i], label[i])
            for i in range(len(image))
        ]
        # In other company, of which one is done at once and another never.
        order = np.array([3, 3, 0, 4, 3])
        shuffled = attacked(
            {k: v[order] for k, v in draws.items()}, epsilon, image[order], label[order]
        )
    joined = jax.tree.map(lambda *leaves: np.stack(leaves), *singles)
    for name, ours in expected._asdict().items():
        for other in (getattr(mapped, name), getattr(joined, name)):
            assert other.dtype == ours.dtype and other.shape == ours.shape
            # The order of float64 sums in another batch shape.
            np.testing.assert_allclose(other, ours, rtol=1e-12, atol=1e-14)
        np.testing.assert_array_equal(getattr(shuffled, name), ours[order])


def test_the_search_ends_with_the_last_example():
    image, label, _ = tiny_network.inputs(np.float32)
    seen = []

    def counted(images):
        jax.debug.callback(lambda: seen.append(1))
        return logits_fn(images)

    method = square.Square(0.3)
    draws = method.sample(KEY, image.shape)
    result = attacked(draws, jnp.float32(0.1), image, label, method, counted)
    jax.effects_barrier()
    assert len(seen) == result.evaluations.max() < 5000
    assert result.fooled.all()


def test_draws_are_uniform_and_each_example_has_its_own():
    draws = square.Square(0.1, queries=1000).sample(KEY, (6, 8, 9, 3))
    assert draws["stripes"].shape == (6, 1, 9, 3)
    assert draws["squares"].shape == (6, 1000, 5)
    single = square.Square(0.1).sample(KEY, (8, 9, 3))
    assert single["stripes"].shape == (1, 9, 3)
    assert single["squares"].shape == (5000, 5)
    for array in (*draws.values(), *single.values()):
        assert array.dtype == jnp.float32
        assert stats.kstest(np.asarray(array).ravel(), "uniform").pvalue > 1e-3
    columns = np.asarray(draws["squares"]).transpose(0, 2, 1).reshape(30, 1000)
    assert np.abs(np.corrcoef(columns) - np.eye(30)).max() < 5 / np.sqrt(1000)


def test_training_on_attacked_images_takes_them_as_given():
    image, label, _ = tiny_network.inputs(np.float32)
    method = square.Square(0.1, queries=3)
    draws = method.sample(KEY, image.shape)

    def loss(scale):
        found = method.run(draws, image, label, lambda x: scale * logits_fn(x))
        return found.best_loss.sum() + found.image.sum() + scale

    assert float(jax.jit(jax.grad(loss))(jnp.float32(1))) == 1


def test_the_call_draws_by_itself():
    image, label, _ = tiny_network.inputs(np.float32)
    called = jax.jit(lambda key: SHORT(key, image, label, logits_fn))
    found = attacked(SHORT.sample(KEY, image.shape), SHORT.epsilon, image, label)
    np.testing.assert_allclose(called(KEY), found.image, rtol=0, atol=1e-7)
    assert np.abs(called(KEY) - called(jax.random.key(1))).max() > 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: square.Square(-0.1), "epsilon=-0.1.*at least 0"),
        (lambda: square.Square(0.1, queries=0), "queries=0, expected at least 1"),
        (lambda: square.Square(0.1, p_init=0.0), "p_init=0.0, expected a share"),
        (lambda: square.Square(0.1, p_init=1.5), r"p_init=1.5, .*\(0, 1\]"),
        (lambda: square.Square(0.1, p_init=float("nan")), "p_init=nan"),
        (lambda: SHORT.run(*of_another_number()), r"\(5, 61, 5\), .*60, 5\]: draw"),
    ],
)
def test_impossible_attacks_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def of_another_number():
    image, label, _ = tiny_network.inputs(np.float32)
    draws = square.Square(0.1, queries=61).sample(KEY, image.shape)
    return draws, image, label, logits_fn


def test_attacks_are_plain_values():
    assert isinstance(SHORT, attack.Attack)
    assert eval(repr(SHORT), vars(square)) == SHORT
    assert hash(SHORT) == hash(dataclasses.replace(SHORT))
