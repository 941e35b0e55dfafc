"""Are the bytes a corruption makes of an image the same, wherever and with whatever?"""

import functools

import jax
import numpy as np
import pytest
import skimage.data

from biases_jax import corruptions, labels, sharding, stimuli
from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import names
from biases_jax.corruptions.corrupted import Corrupted

EXAMPLES = 8
# Of several ways to make images, with whether it goes through a JPEG file, too: by
# tables, by Fourier transforms one after the other and at once, by loops until nothing
# changes, and by branches. All others are slow tests, since they mostly compile.
REPRESENTATIVES = {
    "shot_noise": True,
    "defocus_blur": False,
    "brownish_noise": False,
    "glass_blur": False,
    "spatter": False,
}
OTHERS = [
    name
    for name in (*names.NINETEEN, *names.IMAGENET_CBAR)
    if name not in REPRESENTATIVES
]
LAYOUTS = [
    ("pmap", 2, 3),
    ("shard_map", 1, 3),
    pytest.param(("shard_map", 2, 2), marks=pytest.mark.slow),
    pytest.param(("shard_map", 1, 5), marks=pytest.mark.slow),
    pytest.param(("pmap", 1, 7), marks=pytest.mark.slow),
    pytest.param(("shard_map", 8, 1), marks=pytest.mark.slow),
    pytest.param(("pmap", 8, 1), marks=pytest.mark.slow),
]


def benchmark(name, severity=3, in_file=True):
    """Return a severity of a corruption; all of a name draw alike."""
    transform = Corrupted(corruptions.get(name, severity), 85 if in_file else None)
    return Benchmark(f"{name}/{severity}", "imagenet", transform, stream=name)


@functools.cache
def images():
    """Return parts of a photograph, whose sides are no multiples of anything."""
    photograph = skimage.data.coffee()
    parts = [
        photograph[30 * i : 30 * i + 43, 40 * i : 40 * i + 54] for i in range(EXAMPLES)
    ]
    return np.stack(parts) / np.float32(255)


def batches(spread, per_device):
    """Yield the stimuli of each batch and how many of its rows are examples."""
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    size = per_device * len(spread.devices)
    ids = labels.example_ids([f"{i}.JPEG" for i in range(EXAMPLES)])
    for first in range(0, EXAMPLES, size):
        # The last batch is filled up with its first example.
        rows = np.arange(first, first + size)
        rows = np.where(rows < EXAMPLES, rows, first)
        placed = spread.shard(images()[rows]), spread.shard(ids[rows])
        there = min(size, EXAMPLES - first)
        yield stimuli.Stimuli(spread.replicate(key), *placed, spread), there


def made(layout, chosen):
    """Return the stimuli of all examples, of each of the benchmarks."""
    kind, devices, per_device = layout
    spread = sharding.spread(kind, jax.devices()[:devices])
    found = [[] for _ in chosen]
    for batch, there in batches(spread, per_device):
        for parts, one in zip(found, chosen, strict=True):
            parts.append(spread.collect(batch.of(one))[:there])
    return [np.concatenate(parts) for parts in found]


@functools.cache
def alone(one):
    """Return what one device makes in one batch."""
    return made(("shard_map", 1, EXAMPLES), [one])[0]


def demand_same(layout, one):
    np.testing.assert_array_equal(made(layout, [one])[0], alone(one))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize(("name", "in_file"), REPRESENTATIVES.items())
def test_bytes_are_those_of_one_device_and_one_batch(name, in_file, layout):
    demand_same(layout, benchmark(name, 3, in_file))


@pytest.mark.slow
@pytest.mark.parametrize("layout", [("pmap", 2, 3), ("shard_map", 1, 5)], ids=str)
@pytest.mark.parametrize("name", OTHERS)
def test_so_are_those_of_every_other_corruption(name, layout):
    demand_same(layout, benchmark(name))


@pytest.mark.parametrize(
    "name",
    ["speckle_noise", pytest.param("impulse_noise", marks=pytest.mark.slow)],
)
def test_neither_the_order_of_severities_nor_what_comes_between_changes_a_byte(name):
    severities = [benchmark(name, severity, False) for severity in names.SEVERITIES]
    in_order = made(("shard_map", 1, EXAMPLES), severities)
    other = benchmark("gaussian_noise", 1, False)
    chosen = [severities[4], severities[1], other, severities[3]]
    found = made(("shard_map", 1, EXAMPLES), chosen)
    for at, severity in ((0, 4), (1, 1), (3, 3)):
        np.testing.assert_array_equal(found[at], in_order[severity])


def test_examples_have_draws_of_their_own():
    one = benchmark("shot_noise", 5, False)
    same = np.repeat(images()[:1], EXAMPLES, 0)
    ids = labels.example_ids([f"{i}.JPEG" for i in range(EXAMPLES)])
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    spread = sharding.spread("shard_map", jax.devices()[:1])
    shown = np.asarray(stimuli.Stimuli(key, same, ids, spread).of(one))
    assert all((image != shown[0]).any() for image in shown[1:])
