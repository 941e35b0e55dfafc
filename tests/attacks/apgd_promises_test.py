"""Does Auto-PGD keep its promises, whatever the model and the form of the batch?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
from tiny_network import logits_fn, run

from biases_jax.attacks import apgd, attack

KEY = jax.random.key(0)
# Short: checkpoints follow the steps 1, 2, 3 and so on.
ATTACKS = [
    apgd.APGD(8 / 255, steps=10),
    apgd.APGD(0.5, "l2", steps=10, loss="dlr"),
    apgd.TargetedAPGD(8 / 255, steps=10, rank=4),
]
EVERY = pytest.mark.parametrize("method", ATTACKS, ids=repr)
JUDGE = jax.jit(lambda x, y: attack.losses(x, y, tiny_network.hilly))


def attacked(method, dtype=np.float32, answers=tiny_network.hilly):
    image, truth, noise = tiny_network.inputs(dtype)
    return run(method, noise, image, truth, answers), image, truth


@EVERY
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_images_stay_in_the_ball_and_between_0_and_1(method, dtype):
    with jax.enable_x64(dtype == np.float64):
        result, image, _ = attacked(method, dtype)
        for found in (result.image, result.best_image):
            assert found.dtype == dtype
            assert 0 <= float(found.min()) and float(found.max()) <= 1
            delta = np.asarray(found - image, np.float64).reshape(5, -1)
            far = np.linalg.norm(delta, 2 if method.norm == "l2" else np.inf, 1)
            # A unit in the last place of a pixel near 1, of which l2 sums 768.
            slack = np.finfo(dtype).eps * (28 if method.norm == "l2" else 1)
            assert (far <= method.epsilon + slack).all()
            assert far.max() > 0.5 * method.epsilon
        assert (np.asarray(result.distance) <= method.epsilon + slack).all()


@EVERY
def test_candidates_fool_or_are_the_original(method):
    found = []
    for scale in (0.01, 0.1, 1):
        sized = dataclasses.replace(method, epsilon=scale * method.epsilon)
        result, image, truth = attacked(sized)
        _, wrong = JUDGE(result.image, truth)
        assert (wrong | ~result.fooled).all()
        np.testing.assert_array_equal(
            result.image[~result.fooled], image[~result.fooled]
        )
        np.testing.assert_array_equal(result.distance[~result.fooled], 0)
        found.append(np.asarray(result.fooled))
    # A larger ball has more wrong answers, and here all of them are found.
    assert (np.diff(np.array(found, int), axis=0) >= 0).all()
    assert found[-1].sum() > found[0].sum()


@EVERY
def test_an_epsilon_of_0_returns_the_image_and_the_clean_answer(method):
    nothing = dataclasses.replace(method, epsilon=0.0)
    result, image, truth = attacked(nothing)
    np.testing.assert_array_equal(result.image, image)
    np.testing.assert_array_equal(result.best_image, image)
    np.testing.assert_array_equal(result.distance, 0)
    _, wrong = JUDGE(image, truth)
    np.testing.assert_array_equal(result.fooled, wrong)
    assert 0 < wrong.sum() < len(wrong)


@EVERY
def test_batched_mapped_and_single_attacks_are_one(method):
    with jax.enable_x64(True):
        expected, image, truth = attacked(method, np.float64)
        noise = tiny_network.draws()
        mapped = jax.jit(jax.vmap(lambda *each: method.run(*each, tiny_network.hilly)))(
            noise, image, truth
        )
        singles = [
            run(
                method,
                {"unit_noise": noise["unit_noise"][i]},
                image[i],
                truth[i],
                tiny_network.hilly,
            )
            for i in range(len(image))
        ]
        joined = jax.tree.map(lambda *leaves: np.stack(leaves), *singles)
        demand_equal(mapped, expected)
        demand_equal(joined, expected)


@EVERY
def test_examples_do_not_influence_each_other(method):
    with jax.enable_x64(True):
        before, image, truth = attacked(method, np.float64)
        mixed = image.at[1].set(1 - image[1])
        others = np.array([0, 2, 3, 4])
        draws = tiny_network.draws()
        after = run(method, draws, mixed, truth.at[1].set(7), tiny_network.hilly)
        demand_equal(*(jax.tree.map(lambda x: x[others], r) for r in (after, before)))


def demand_equal(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        # The order of float64 sums in another batch shape, along ten steps.
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("method", ATTACKS[:2], ids=repr)
def test_all_randomness_comes_from_the_draws(method):
    image, truth, _ = tiny_network.inputs(np.float32)
    noise = method.sample(KEY, image.shape)
    assert noise["unit_noise"].dtype == jnp.float32
    assert noise["unit_noise"].shape == image.shape
    # The candidate alone, and for one step: that is enough to tell starts apart.
    short = dataclasses.replace(method, steps=1, epsilon=0.2)
    called = jax.jit(lambda key: short(key, image, truth, logits_fn))
    expected = run(short, noise, image, truth).image
    # Compiled apart; another start moves most pixels by 1e-3 and more.
    np.testing.assert_allclose(called(KEY), expected, rtol=0, atol=1e-5)
    assert np.abs(called(jax.random.key(1)) - expected).max() > 1e-3


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_a_flat_loss_leaves_the_start_as_it_is(norm):
    image, truth, noise = tiny_network.inputs(np.float32)
    method = apgd.APGD(0.1, norm, steps=5, loss="dlr")
    result = run(method, noise, image, truth, flat)
    noise = np.asarray(noise["unit_noise"]).reshape(5, -1)
    far = np.linalg.norm(noise, 2 if norm == "l2" else np.inf, 1)
    start = np.clip(image + 0.1 * (noise / far[:, None]).reshape(image.shape), 0, 1)
    # Float32 of pixels near 1, put back into the ball ten times.
    np.testing.assert_allclose(result.best_image, start, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(result.best_loss, 0)
    # The answer is class 0 everywhere.
    np.testing.assert_array_equal(result.fooled, truth[:, 0] != 0)


def flat(images):
    return jnp.zeros((*images.shape[:-3], 20), images.dtype)


def test_sweeps_of_epsilons_and_ranks_trace_the_network_once():
    image, truth, noise = tiny_network.inputs(np.float32)
    seen = []

    def spy(images):
        seen.append(images.shape)
        return logits_fn(images)

    losses = {}
    for epsilon, rank in ((0.0, 2), (0.05, 2), (0.05, 9)):
        method = apgd.TargetedAPGD(epsilon, steps=20, rank=rank)
        losses[epsilon, rank] = run(method, noise, image, truth, spy).best_loss
    # The clean logits, and one gradient in a loop, whatever the number of steps.
    assert seen == [image.shape] * 2
    assert (losses[0.05, 2] > losses[0.0, 2]).all()
    assert (losses[0.05, 2] != losses[0.05, 9]).all()
    seen.clear()
    jax.eval_shape(lambda: apgd.APGD(0.1).run(noise, image, truth, spy))
    assert seen == [image.shape]


def test_attacks_are_plain_values():
    for method in ATTACKS:
        assert isinstance(method, attack.Attack)
        assert eval(repr(method), vars(apgd)) == method
        assert hash(method) == hash(dataclasses.replace(method))
