"""Is the nearest image found the one of AutoAttack's FAB, and of a plain loop?"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sorted_steps
import tiny_network
from tiny_network import GOLDEN, logits_fn

from biases_jax.attacks import attack, fab

SHORT = {norm: fab.FAB(1.0, 2, norm, iterations=12) for norm in ("linf", "l2")}
ANSWERS = jax.jit(logits_fn)
ORDERS = {"linf": np.inf, "l2": 2}
BOTH = pytest.mark.parametrize("norm", SHORT)


@functools.partial(jax.jit, static_argnames=("method", "answers"))
def attacked(image, label, method, epsilon=100.0, rank=2, answers=logits_fn):
    epsilon = jnp.asarray(epsilon, image.dtype)
    method = dataclasses.replace(method, epsilon=epsilon, rank=jnp.int32(rank))
    return method.run({}, image, label, answers)


@pytest.mark.parametrize(
    ("dtype", "iterations", "name"),
    [
        (np.float32, 100, "fab_t_linf_dist"),
        (np.float64, 100, "fab_t_linf_dist"),
        (np.float64, 10, "fab_t_10it_linf_dist"),
    ],
)
def test_distances_are_those_of_autoattack(dtype, iterations, name):
    label = jnp.asarray(GOLDEN["y"].astype(np.int32))[:, None]
    budget = float(GOLDEN["eps_of_autoattack_parts"])
    with jax.enable_x64(dtype == np.float64):
        image = jnp.asarray(tiny_network.recorded("x", dtype))
        method = fab.FAB(1.0, 2, iterations=iterations)
        result = attacked(image, label, method)
        within = attacked(image, label, method, budget)
    # They were recorded in float32, in which trajectories are chaotic.
    np.testing.assert_allclose(result.distance, GOLDEN[name], rtol=2e-4)
    assert result.image.dtype == result.best_loss.dtype == dtype
    np.testing.assert_array_equal(result.fooled, True)
    np.testing.assert_array_equal(within.fooled, GOLDEN[name] <= budget)
    assert set(np.asarray(within.fooled)) == {True, False}


def looked_at(*where):
    """Return what `seen` does, in NumPy."""
    return tuple(np.asarray(array) for array in seen(*where))


@jax.jit
def seen(x, truth, target):
    """Return the lead of the target, its gradient, the answer, and the loss."""

    def lead(x):
        logits = logits_fn(x)
        return logits[target] - logits[truth], logits

    (gap, logits), normal = jax.value_and_grad(lead, has_aux=True)(x)
    return gap, normal, logits.argmax(), -jax.nn.log_softmax(logits)[truth]


def plain_search(image, truth, rank, method):
    """Return every iterate of one example, which are adversarial, and their losses."""
    target = np.asarray(ANSWERS(image)).argsort()[-rank]
    _, _, answer, loss = looked_at(image, truth, target)
    iterates, wrong, losses = [image], [answer != truth], [loss]
    x = image
    for _ in range(method.iterations):
        gap, normal, _, _ = looked_at(x, truth, target)
        offset = (normal * x).sum() - gap
        steps, lengths = [], []
        for start in (x, image):
            gap = (normal * start).sum() - offset
            steps.append(sorted_steps.step(start, normal, gap, method.norm))
            length = np.linalg.norm(steps[-1].ravel(), ORDERS[method.norm])
            lengths.append(max(length, 1e-8))
        bias = min(lengths[0] / sum(lengths), 0.1)
        x = (1 - bias) * (x + 1.05 * steps[0]) + bias * (image + 1.05 * steps[1])
        x = np.clip(x, 0, 1)
        _, _, answer, loss = looked_at(x, truth, target)
        iterates.append(x)
        wrong.append(answer != truth)
        losses.append(loss)
        if wrong[-1]:
            x = image + 0.9 * (x - image)
    return np.array(iterates), np.array(wrong), np.array(losses)


@BOTH
@pytest.mark.parametrize("rank", [2, 5])
def test_searches_are_those_of_a_plain_loop(norm, rank):
    method, epsilon = SHORT[norm], {"linf": 0.02, "l2": 0.3}[norm]
    with jax.enable_x64(True):
        image, label, _ = tiny_network.inputs()
        anywhere = attacked(image, label, method, rank=rank)
        within = attacked(image, label, method, epsilon, rank)
    for i, truth in enumerate(np.asarray(label)[:, 0]):
        clean = np.asarray(image[i])
        with jax.enable_x64(True):
            iterates, wrong, losses = plain_search(clean, truth, rank, method)
        far = (iterates - clean[None]).reshape(len(iterates), -1)
        far = np.linalg.norm(far, ORDERS[norm], 1)
        nearest = np.where(wrong, far, np.inf).argmin()
        assert wrong[nearest]
        # Errors of 1e-16 grow from iteration to iteration.
        close = functools.partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-10)
        close(anywhere.distance[i], far[nearest])
        close(anywhere.image[i], iterates[nearest])
        assert anywhere.fooled[i]
        near = bool(far[nearest] <= epsilon)
        assert bool(within.fooled[i]) == near
        close(within.image[i], iterates[nearest] if near else clean)
        close(within.distance[i], far[nearest] if near else 0)
        largest = np.where(far <= epsilon, losses, -np.inf).argmax()
        close(within.best_loss[i], losses[largest])
        close(within.best_image[i], iterates[largest])
    assert {0, 1} <= set(np.asarray(within.fooled).astype(int))
    np.testing.assert_array_equal(within.evaluations, 25)


@BOTH
def test_only_what_is_within_epsilon_counts(norm):
    image, label, _ = tiny_network.inputs(np.float32)
    distance = np.asarray(attacked(image, label, SHORT[norm]).distance)
    wrong = distance == 0  # a clean error is its own nearest image
    assert 0 < wrong.sum() < len(wrong)
    for epsilon in (0, *distance, *np.nextafter(distance, -1, dtype=np.float32)):
        epsilon = max(epsilon, 0)
        result = attacked(image, label, SHORT[norm], epsilon)
        np.testing.assert_array_equal(result.fooled, distance <= epsilon)
        expected = np.where(distance <= epsilon, distance, 0)
        np.testing.assert_array_equal(result.distance, expected)
        for found in (result.image, result.best_image):
            assert 0 <= float(found.min()) and float(found.max()) <= 1
            far = np.asarray(found - image, np.float64).reshape(len(image), -1)
            far = np.linalg.norm(far, ORDERS[norm], 1)
            # The sum of 768 float32 squares.
            assert (far <= epsilon * (1 + 1e-6)).all()
        rejected = ~np.asarray(result.fooled)
        np.testing.assert_array_equal(result.image[rejected], image[rejected])
    clean = ANSWERS(image).argmax(-1) != label[:, 0]
    np.testing.assert_array_equal(wrong, clean)


@BOTH
def test_batched_mapped_and_single_attacks_are_one(norm):
    method = SHORT[norm]
    with jax.enable_x64(True):
        image, label, _ = tiny_network.inputs()
        expected = attacked(image, label, method)
        mapped = jax.vmap(lambda *each: attacked(*each, method))(image, label)
        singles = [attacked(*each, method) for each in zip(image, label, strict=True)]
        joined = jax.tree.map(lambda *leaves: np.stack(leaves), *singles)
        shuffled = attacked(image[::-1], label[::-1], method)
    for name, ours in expected._asdict().items():
        for other in (mapped, joined):
            theirs = getattr(other, name)
            assert theirs.dtype == ours.dtype and theirs.shape == ours.shape
            # The order of float64 sums, grown by the iterations.
            np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(getattr(shuffled, name)[::-1], ours, atol=1e-10)


def test_one_program_serves_all_targets_and_epsilons():
    traces = []

    def spy(images):
        traces.append(images.shape)
        return logits_fn(images)

    image, label, _ = tiny_network.inputs(np.float32)
    found = [
        attacked(image, label, SHORT["linf"], epsilon, rank, spy)
        for epsilon in (0.01, 0.1)
        for rank in (2, 3, 10)
    ]
    # The clean answers, the gradient, the verdict on an iterate.
    assert traces == [image.shape] * 3
    assert len({result.distance.tobytes() for result in found}) > 3


def linear(images):
    """Return logits of two classes: 1 where <weights, image> is above 0."""
    lead = jnp.tensordot(images, jnp.asarray(weights(), images.dtype), 3)
    return jnp.stack([jnp.zeros_like(lead), lead], -1)


def weights():
    generator = np.random.default_rng(5)
    return generator.normal(size=(4, 4, 3)) * (generator.uniform(size=(4, 4, 3)) < 0.7)


@BOTH
def test_on_a_linear_model_the_boundary_is_found(norm):
    generator, dual = np.random.default_rng(6), {"linf": 1, "l2": 2}[norm]
    image = generator.uniform(0.3, 0.7, (8, 4, 4, 3))
    lead = np.tensordot(image, weights(), 3)
    label = jnp.asarray(lead > 0, jnp.int32)[:, None]
    result = attacked(
        jnp.asarray(image, jnp.float32), label, SHORT[norm], 1.0, 2, linear
    )
    # Hoelder: no image is nearer. In units of the boundary's distance, the search goes
    # to 1.05, back to 0.945, and then, 0.055 before the boundary, to the nearest end.
    boundary = np.abs(lead) / np.linalg.norm(weights().ravel(), dual)
    bias = 0.055 / (0.055 + 1)
    nearest = (1 - bias) * (0.945 + 1.05 * 0.055) + bias * 1.05
    np.testing.assert_allclose(result.distance / boundary, nearest, rtol=1e-4)
    np.testing.assert_array_equal(result.fooled, True)


@BOTH
def test_a_flat_model_leaves_the_image_as_it_is(norm):
    image, _, _ = tiny_network.inputs(np.float32)

    def flat(images):
        zero = 0 * images.sum((-1, -2, -3))
        return jnp.stack([zero + 1, zero, zero], -1)

    label = jnp.zeros((5, 1), jnp.int32)
    result = attacked(image, label, SHORT[norm], 1.0, 2, flat)
    np.testing.assert_array_equal(result.image, image)
    np.testing.assert_array_equal(result.fooled, False)


def test_training_on_attacked_images_takes_them_as_given():
    image, label, _ = tiny_network.inputs(np.float32)

    def loss(scale):
        found = SHORT["l2"].run({}, image, label, lambda x: scale * logits_fn(x))
        return found.best_loss.sum() + found.image.sum() + found.distance.sum() + scale

    assert float(jax.jit(jax.grad(loss))(jnp.float32(1))) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fab.FAB(-0.1, 2), "epsilon=-0.1.*at least 0"),
        (lambda: fab.FAB(0.1, 1), "rank=1, expected an integer of at least 2"),
        (lambda: fab.FAB(0.1, 0), "rank=0, expected"),
        (lambda: fab.FAB(0.1, 2, iterations=0), "iterations=0, expected at least 1"),
        (lambda: fab.norms.demand_sizes("l1"), "'l1'.*'l2', 'linf'"),
        (lambda: call(fab.FAB(0.1, 21)), "rank=21 for 20 classes, expected 1 to 20"),
    ],
)
def test_impossible_attacks_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def call(method):
    image, label, _ = tiny_network.inputs(np.float32)
    return method(jax.random.key(0), image, label, logits_fn)


def test_attacks_are_plain_values():
    for method in SHORT.values():
        assert isinstance(method, attack.Attack)
        assert eval(repr(method), vars(fab)) == method
        assert hash(method) == hash(dataclasses.replace(method))
        assert method.sample(jax.random.key(0), (4, 4, 3)) == {}


def test_the_call_returns_the_candidate():
    image, label, _ = tiny_network.inputs(np.float32)
    method = fab.FAB(0.02, 3, iterations=12)
    called = jax.jit(lambda: method(jax.random.key(0), image, label, logits_fn))
    expected = attacked(image, label, SHORT["linf"], 0.02, 3)
    # Compiled apart; float32 sums in another order grow over twelve iterations.
    np.testing.assert_allclose(called(), expected.image, rtol=0, atol=1e-4)
