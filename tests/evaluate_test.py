"""Do numbers depend on anything but the example, the model and the benchmark?"""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import evaluate, labels, levels, sharding, stimuli, transforms
from biases_jax.benchmark import Benchmark
from biases_jax.benchmarks import spectral

EXAMPLES = 17
SIZE = 12
QUICK = [(1, 64), (2, 16), (4, 7), (8, 4)]
LAYOUTS = [
    pytest.param(*layout, marks=[] if layout in QUICK else [pytest.mark.slow])
    for layout in itertools.product((1, 2, 4, 8), (4, 7, 16, 64))
]


@dataclasses.dataclass(frozen=True)
class Noise(transforms.Traced):
    """Gaussian noise of a traced strength: a random transform for these tests."""

    sd: float = dataclasses.field(metadata=transforms.TRACED)

    def apply(self, image, key, parameters):
        noise = jax.random.normal(key, image.shape, image.dtype)
        return jnp.clip(image + parameters["sd"] * noise, 0, 1)


def pixels(variables, images):
    """A network whose logits are pixels: rows show the noise to the last bit."""
    return images.reshape(images.shape[0], -1)[:, :50] + variables["offset"][None]


def examples():
    generator = np.random.default_rng(0)
    image = generator.integers(0, 256, (EXAMPLES, SIZE, SIZE, 3), dtype=np.uint8)
    label = generator.integers(0, 3, (EXAMPLES, 1)).astype(np.int32)
    return image, label, labels.example_ids([f"{i}.JPEG" for i in range(EXAMPLES)])


def batches(size):
    image, label, ids = examples()
    for start in range(0, EXAMPLES, size):
        rows = slice(start, start + size)
        missing = size - len(image[rows])

        def pad(x, missing=missing):
            return np.pad(x, [(0, missing)] + [(0, 0)] * (x.ndim - 1))

        yield {
            "image": pad(image[rows]),
            "labels": {"imagenet": pad(label[rows])},
            "id": pad(ids[rows]),
            "mask": pad(np.ones(len(image[rows]), bool)),
        }


def run(spread, per_device, benchmarks, apply=pixels, names=("a", "b"), seed=0):
    """Return sums and the records of the real examples, by (model, benchmark)."""
    variables = spread.replicate({"offset": np.zeros(50, np.float32)})
    models = {name: evaluate.Model(name, apply, variables) for name in names}
    masks, sums, records = [], {}, {}

    def watched():
        for batch in batches(per_device * len(spread.devices)):
            masks.append(batch["mask"])
            yield batch

    cells = {benchmark: list(names) for benchmark in benchmarks}
    for outcome in evaluate.evaluate(models, cells, watched(), spread, seed):
        key = (outcome.model, outcome.benchmark.name)
        total = sums.setdefault(key, dict.fromkeys(outcome.sums, 0))
        sums[key] = {name: total[name] + outcome.sums[name] for name in total}
        mask = masks[outcome.batch]
        kept = type(outcome.record)(*(column[mask] for column in outcome.record))
        records.setdefault(key, []).append(kept)
    joined = {
        key: jax.tree.map(lambda *x: np.concatenate(x), *parts)
        for key, parts in records.items()
    }
    return sums, joined


NOISY = (
    Benchmark("test/noise/0.1", "test", Noise(0.1)),
    Benchmark("test/noise/0.2", "test", Noise(0.2), stream="test/noise/0.1"),
    Benchmark("test/clean", "test"),
)


@pytest.fixture(scope="module")
def one_device():
    return run(sharding.spread("shard_map", jax.devices()[:1]), EXAMPLES, NOISY)


@pytest.mark.parametrize("name", sharding.SPREADS)
@pytest.mark.parametrize(("devices", "per_device"), LAYOUTS)
def test_sums_and_noise_are_equal_on_every_layout(
    name, devices, per_device, one_device
):
    spread = sharding.spread(name, jax.devices()[:devices])
    sums, records = run(spread, per_device, NOISY)
    assert sums == one_device[0]
    assert {s["count"] for s in sums.values()} == {EXAMPLES}
    # Bit for bit: the logits are the stimuli's pixels.
    jax.tree.map(np.testing.assert_array_equal, records, one_device[1])


def test_noise_does_not_depend_on_what_else_runs(one_device):
    spread = sharding.spread("shard_map", jax.devices()[:2])
    _, records = run(spread, 4, NOISY[1:2], names=("b",))
    key = ("b", "test/noise/0.2")
    jax.tree.map(np.testing.assert_array_equal, records[key], one_device[1][key])


def test_noise_differs_between_seeds_and_streams_and_examples(one_device):
    spread = sharding.spread("shard_map", jax.devices()[:1])
    other_stream = dataclasses.replace(NOISY[0], stream="another")
    key = ("a", NOISY[0].name)
    losses = [
        one_device[1][key].negative_log_likelihood,
        run(spread, EXAMPLES, NOISY, seed=1)[1][key].negative_log_likelihood,
        run(spread, EXAMPLES, [other_stream])[1][key].negative_log_likelihood,
    ]
    for first, second in itertools.combinations(losses, 2):
        assert not np.isclose(first, second, atol=1e-6).any()


def test_no_more_than_a_few_steps_wait_for_the_devices():
    spread = sharding.spread("shard_map", jax.devices()[:1])
    taken = []

    def watched():
        for batch in batches(1):
            taken.append(batch)
            yield batch

    variables = spread.replicate({"offset": np.zeros(50, np.float32)})
    models = {"a": evaluate.Model("a", pixels, variables)}
    outcomes = evaluate.evaluate(models, {NOISY[2]: ["a"]}, watched(), spread)
    next(outcomes)
    assert len(taken) == evaluate.IN_FLIGHT + 1


def test_network_compiles_once_for_all_models_and_conditions():
    def fresh(variables, images):
        return pixels(variables, images)

    spread = sharding.spread("shard_map", jax.devices()[:3])  # no other test's caches
    spectrum = [dataclasses.replace(b, source="test") for b in spectral.benchmarks()]
    run(spread, 4, [*NOISY, *spectrum], apply=fresh)
    assert evaluate._predict(fresh, spread)._cache_size() == 1
    for transform in (Noise(0.1), spectral.LowPass(0.1), spectral.HighPass(0.5)):
        part = transforms.compiled_part(transform)
        assert stimuli._applied(part, spread)._cache_size() == 1


def test_images_reach_the_network_as_torch_divides_them():
    spread = sharding.spread("shard_map", jax.devices()[:1])
    values = np.arange(256, dtype=np.uint8).reshape(1, 1, 256, 1)
    result = evaluate._to_float(spread)(spread.replicate(levels.UNIT), values)
    np.testing.assert_array_equal(
        np.asarray(result).ravel(),
        np.arange(256, dtype=np.float32) / np.float32(255),
    )


def test_broken_logits_of_padding_do_not_count_but_those_of_examples_do():
    def broken(variables, images):
        del variables
        bright = images.reshape(images.shape[0], -1).max(axis=1, keepdims=True)
        return jnp.where(bright > 0, jnp.ones((1, 5)), jnp.nan)

    spread = sharding.spread("shard_map", jax.devices()[:1])
    sums, _ = run(spread, 16, NOISY[2:], apply=broken, names=("a",))
    assert sums["a", "test/clean"]["nonfinite"] == 0
    sums, _ = run(
        spread,
        16,
        NOISY[2:],
        apply=lambda v, x: broken(v, 0 * x),
        names=("a",),
    )
    assert sums["a", "test/clean"]["nonfinite"] == EXAMPLES


def test_other_random_bits_are_refused():
    spread = sharding.spread("shard_map", jax.devices()[:1])
    with (
        jax.threefry_partitionable(False),
        pytest.raises(ValueError, match="jax_threefry_partitionable"),
    ):
        run(spread, 4, NOISY)
