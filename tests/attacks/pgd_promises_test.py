"""Does following the gradient keep its promises, on and off compilation?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
from tiny_network import logits_fn, run

from biases_jax.attacks import attack, pgd

KEY = jax.random.key(0)
JUDGE = jax.jit(lambda x, y: attack.losses(x, y, tiny_network.hilly)[0])
ATTACKS = [
    pgd.FGSM(8 / 255),
    pgd.FGSM(0.5, "l2"),
    pgd.PGD(8 / 255, 3 / 255, 5),
    pgd.PGD(0.5 / 255, 2 / 255, 5),
    pgd.PGD(0.5, 0.2, 5, "l2"),
]
EVERY = pytest.mark.parametrize("method", ATTACKS, ids=repr)


@EVERY
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_images_stay_in_the_ball_and_between_0_and_1(method, dtype):
    with jax.enable_x64(dtype == np.float64):
        image, truth, _ = tiny_network.inputs(dtype)
        noise = method.sample(jax.random.key(1), image.shape)
        result = run(method, noise, image, truth)
        for found in (result.image, result.best_image):
            assert found.dtype == dtype
            assert 0 <= float(found.min()) and float(found.max()) <= 1
            delta = np.asarray(found - image, np.float64)
            axes = (1, 2, 3)
            far = (
                np.sqrt((delta**2).sum(axes))
                if method.norm == "l2"
                else np.abs(delta).max(axes)
            )
            # Half a unit in the last place of a pixel near 1, of which l2 sums 768.
            slack = np.finfo(dtype).eps * (28 if method.norm == "l2" else 1)
            assert (far <= method.epsilon + slack).all()
            assert far.max() > 0.5 * method.epsilon
        far = np.asarray(result.distance)
        assert (far <= method.epsilon + slack).all() and (far > 0).all()


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_more_steps_never_lower_the_best_loss(norm):
    image, truth, _ = tiny_network.inputs(np.float32)
    epsilon = {"linf": 0.05, "l2": 0.5}[norm]
    best, last = [], []
    for steps in (1, 2, 3, 4):
        # Steps beyond epsilon, over hills: the last iterate may be worse.
        method = pgd.PGD(epsilon, 1.5 * epsilon, steps, norm)
        noise = method.sample(KEY, image.shape)
        result = run(method, noise, image, truth, tiny_network.hilly)
        best.append(result.best_loss)
        last.append(JUDGE(result.image, truth))
        again = JUDGE(result.best_image, truth)
        # Compiled within a loop and apart: some float32 sums differ in their order.
        np.testing.assert_allclose(result.best_loss, again, rtol=1e-4, atol=1e-4)
    assert (np.diff(best, axis=0) >= -1e-4).all()
    assert (np.array(best) - np.array(last) >= -1e-4).all()
    assert (np.diff(last, axis=0) < -0.1).any()


@EVERY
def test_an_epsilon_of_0_returns_the_image_and_the_clean_answer(method):
    image, truth, _ = tiny_network.inputs(np.float32)
    method = dataclasses.replace(method, epsilon=0.0)
    noise = method.sample(KEY, image.shape)
    result = run(method, noise, image, truth)
    np.testing.assert_array_equal(result.image, image)
    np.testing.assert_array_equal(result.best_image, image)
    np.testing.assert_array_equal(result.distance, 0)
    wrong = jax.jit(logits_fn)(image).argmax(-1) != truth[:, 0]
    np.testing.assert_array_equal(result.fooled, wrong)
    assert 0 < wrong.sum() < len(wrong)


@EVERY
def test_batched_mapped_and_single_attacks_are_one(method):
    with jax.enable_x64(True):
        image, truth, noise = tiny_network.inputs()
        expected = run(method, noise, image, truth)
        mapped = jax.vmap(lambda *each: run(method, *each))(noise, image, truth)
        singles = [
            run(method, {"unit_noise": noise["unit_noise"][i]}, image[i], truth[i])
            for i in range(len(image))
        ]
        joined = jax.tree.map(lambda *leaves: np.stack(leaves), *singles)
        demand_equal(mapped, expected)
        demand_equal(joined, expected)


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_compiled_attacks_are_those_that_are_not_compiled(norm):
    with jax.enable_x64(True):
        image, truth, noise = tiny_network.inputs()
        method = next(a for a in ATTACKS[2:] if a.norm == norm)
        plain = method.run(noise, image, truth, logits_fn)
        demand_equal(run(method, noise, image, truth), plain)


@EVERY
def test_examples_do_not_influence_each_other(method):
    with jax.enable_x64(True):
        image, truth, noise = tiny_network.inputs()
        mixed = image.at[1].set(1 - image[1])
        before = run(method, noise, image, truth)
        after = run(method, noise, mixed, truth.at[1].set(7))
        others = np.array([0, 2, 3, 4])
        demand_equal(*(jax.tree.map(lambda x: x[others], r) for r in (after, before)))


def demand_equal(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        # The order of float64 sums in another batch shape.
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_all_randomness_comes_from_the_draws(norm):
    image, truth, _ = tiny_network.inputs(np.float32)
    method = next(a for a in ATTACKS[2:] if a.norm == norm)
    noise = method.sample(KEY, image.shape)
    assert noise["unit_noise"].dtype == jnp.float32
    assert noise["unit_noise"].shape == image.shape
    called = jax.jit(lambda key: method(key, image, truth, logits_fn))
    first, other = called(KEY), called(jax.random.key(1))
    again = run(method, noise, image, truth).image
    # Compiled apart; another start moves most pixels by 1e-3 and more.
    np.testing.assert_allclose(first, again, rtol=0, atol=1e-6)
    assert np.abs(first - other).max() > 1e-3


def test_what_is_not_random_draws_nothing():
    assert pgd.FGSM(0.1).sample(KEY, (4, 4, 3)) == {}
    fixed = pgd.PGD(0.1, 0.1, 1, random_start=False)
    assert fixed.sample(KEY, (4, 4, 3)) == {}


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_a_flat_loss_leaves_the_start_as_it_is(norm):
    image, truth, noise = tiny_network.inputs(np.float32)
    result = run(pgd.FGSM(0.1, norm), noise, image, truth, flat)
    np.testing.assert_array_equal(result.image, image)


def flat(images):
    return 0 * images.sum((-1, -2))[..., :4]


def spied():
    """Return a `logits_fn` that keeps the shapes it is traced with."""
    seen = []

    def spy(images):
        seen.append(images.shape)
        return logits_fn(images)

    return spy, seen


def test_the_network_is_traced_twice_however_many_the_steps():
    image, truth, noise = tiny_network.inputs(np.float32)
    spy, seen = spied()
    for steps in (3, 40):
        seen.clear()
        jax.eval_shape(
            lambda: pgd.PGD(0.1, 0.1, steps).run(noise, image, truth, spy)  # noqa: B023
        )
        assert seen == [image.shape] * 2


def test_a_sweep_of_epsilons_and_steps_compiles_once():
    image, truth, noise = tiny_network.inputs(np.float32)
    spy, seen = spied()

    @jax.jit
    def run(epsilon, step):
        method = dataclasses.replace(template, epsilon=epsilon, step=step)
        return method.run(noise, image, truth, spy).image

    template = pgd.PGD(1.0, 1.0, 3)
    for epsilon in (0.0, 0.01, 0.05):
        found = run(jnp.float32(epsilon), jnp.float32(epsilon / 2))
        expected = pgd.PGD(epsilon, epsilon / 2, 3).run(noise, image, truth, logits_fn)
        # Compiled in, the numbers may be fused otherwise: bits of a pixel near 1.
        np.testing.assert_allclose(found, expected.image, rtol=0, atol=1e-6)
    assert len(seen) == 2


def test_where_the_image_alone_is_used_the_last_forward_pass_is_not_computed():
    image, truth, noise = tiny_network.inputs(np.float32)

    def compiled(pick):
        def run(noise, image, truth):
            method = pgd.PGD(0.1, 0.1, 4)
            return pick(method.run(noise, image, truth, logits_fn))

        return jax.jit(run).lower(noise, image, truth).compile().as_text()

    everything, only = compiled(lambda r: r), compiled(lambda r: r.image)
    # Two layers, forward and back; of the last forward pass there are two more.
    assert everything.count(" convolution(") == only.count(" convolution(") + 2
    assert only.count(" convolution(") > 0


def test_training_on_attacked_images_takes_them_as_given():
    image, truth, noise = tiny_network.inputs(np.float32)
    # Not linf, whose signs have no gradient of their own.
    method = pgd.PGD(0.5, 0.3, 2, "l2")

    def loss(scale, fixed=None):
        def scaled(x):
            return scale * logits_fn(x)

        if fixed is not None:
            return attack.losses(fixed, truth, scaled)[0].sum()
        found = method.run(noise, image, truth, scaled)
        loss, _ = attack.losses(found.image, truth, scaled)
        return (loss + found.best_loss + found.distance).sum()

    attacked = run(method, noise, image, truth).image
    through = jax.jit(jax.grad(loss))(jnp.float32(1))
    around = jax.jit(jax.grad(loss))(jnp.float32(1), attacked)
    # Two compilations of float32 sums.
    np.testing.assert_allclose(through, around, rtol=1e-4)
    assert abs(float(through)) > 1e-2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pgd.PGD(-0.1, 0.1, 1), "epsilon=-0.1.*4/255"),
        (lambda: pgd.PGD(0.1, float("nan"), 1), "step=nan.*at least 0"),
        (lambda: pgd.PGD(0.1, 0.1, 0), "steps=0, expected at least 1"),
        (lambda: pgd.FGSM(float("inf")), "epsilon=inf"),
    ],
)
def test_impossible_attacks_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_attacks_are_plain_values():
    for method in ATTACKS:
        assert isinstance(method, attack.Attack)
        assert eval(repr(method), vars(pgd)) == method
        assert hash(method) == hash(dataclasses.replace(method))
