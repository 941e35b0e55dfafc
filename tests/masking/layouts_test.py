"""Is the noise an image's own, whatever else is made, where, and in which order?"""

import functools

import jax
import numpy as np
import pytest

from biases_jax import benchmarks, labels, sharding, stimuli
from biases_jax.benchmark import Benchmark
from biases_jax.masking import stimulus

EXAMPLES = 8
NAMES = ("critical_band/sd0", "critical_band/f6/sd0.02", "critical_band/f3/sd0.16")
# Of so strong a noise many pixels are drawn anew, of a weaker one few in few images.
REDRAWN = Benchmark(
    "critical_band/redrawn",
    "imagenet",
    stimulus.BandNoise(4, 0.5),
    stream="critical_band",
)
LAYOUTS = [  # of which the last two mostly compile
    ("pmap", 2, 3),
    pytest.param("shard_map", 8, 1, marks=pytest.mark.slow),
    pytest.param("shard_map", 1, 5, marks=pytest.mark.slow),
]


def conditions():
    return [*benchmarks.select(NAMES), REDRAWN]


def images():
    """Return coarse patches of grey and colour."""
    generator = np.random.default_rng(0)
    patches = generator.integers(0, 256, (EXAMPLES, 4, 4, 3), dtype=np.uint8)
    pixels = np.kron(patches, np.ones((1, 56, 56, 1), np.uint8))
    return pixels / np.float32(255)


def batches(spread, per_device):
    """Yield the stimuli of each batch and how many of its rows are examples."""
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    size = per_device * len(spread.devices)
    ids = labels.example_ids([f"{i}.JPEG" for i in range(EXAMPLES)])
    for first in range(0, EXAMPLES, size):
        there = min(size, EXAMPLES - first)
        image, own = (
            np.concatenate(
                [
                    x[first : first + there],
                    np.zeros_like(x, shape=(size - there, *x.shape[1:])),
                ]
            )
            for x in (images(), ids)
        )
        placed = spread.shard(image), spread.shard(own)
        yield stimuli.Stimuli(spread.replicate(key), *placed, spread), there


def made(spread, per_device):
    """Return the stimuli of all examples by condition."""
    found = {benchmark.name: [] for benchmark in conditions()}
    for batch, there in batches(spread, per_device):
        for benchmark in conditions():
            shown = spread.collect(batch.of(benchmark))
            found[benchmark.name].append(shown[:there])
    return {name: np.concatenate(parts) for name, parts in found.items()}


@functools.cache
def one_device():
    return sharding.spread("shard_map", jax.devices()[:1])


@pytest.fixture(scope="module")
def alone():
    return made(one_device(), EXAMPLES)


@pytest.mark.parametrize(("name", "devices", "per_device"), LAYOUTS)
def test_stimuli_are_those_of_one_device_and_one_batch(
    name, devices, per_device, alone
):
    found = made(sharding.spread(name, jax.devices()[:devices]), per_device)
    for benchmark, expected in alone.items():
        # Products of matrices round otherwise in other shapes; draws of other examples
        # would be another picture.
        np.testing.assert_allclose(found[benchmark], expected, atol=2e-6)


def test_pixels_are_drawn_anew_in_the_stimuli_that_are_compared(alone):
    shown = alone[REDRAWN.name]
    inside = (shown != np.float32(0.1)) & (shown != np.float32(0.9))
    assert 0.2 < inside.mean() < 0.9
    assert len(np.unique(shown[0])) > 1000


def test_examples_have_noise_of_their_own(alone):
    base, shown = (alone[name] for name in NAMES[:2])
    noise = (shown - base)[..., 0].reshape(EXAMPLES, -1)
    correlations = np.corrcoef(noise) - np.eye(EXAMPLES)
    # Of 50,176 nearly independent pixels: five standard errors.
    assert np.abs(correlations).max() < 5 / 224


def test_strengths_share_their_noise(alone):
    weak, strong = benchmarks.select(
        ("critical_band/f6/sd0.02", "critical_band/f6/sd0.04")
    )
    batch, _ = next(batches(one_device(), EXAMPLES))
    noise = [np.asarray(batch.of(b)) - alone[NAMES[0]] for b in (weak, strong)]
    # Sums of float32 near 0.5, one doubled.
    np.testing.assert_allclose(2 * noise[0], noise[1], atol=3e-7)


def test_other_conditions_and_their_order_change_no_bit(alone):
    for chosen in (conditions()[::-1], conditions()[2:3]):
        batch, _ = next(batches(one_device(), EXAMPLES))
        for benchmark in chosen:
            shown = np.asarray(batch.of(benchmark))
            np.testing.assert_array_equal(shown, alone[benchmark.name])


def test_memory_does_not_grow_with_the_number_of_conditions():
    batch, _ = next(batches(one_device(), EXAMPLES))
    held = []
    for benchmark in benchmarks.select(("critical_band/*",)):
        batch.of(benchmark).block_until_ready()  # and let go, as an evaluation does
        held.append(sum(array.nbytes for array in jax.live_arrays()))
    assert len(held) == 29
    # The few numbers that tell conditions apart may be kept, no image.
    assert max(held) - held[0] < 224 * 224
