"""Are stimuli functions of the seed, the stream and the example alone?"""

import dataclasses
import hashlib
import zlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import labels, sharding, stimuli, transforms
from biases_jax.benchmark import Benchmark

DRAWS = "1d618596f3614b20b598e144f7fb64bec6ab674cf6103de7b4a199eef6b4c16d"
SIZE = 12
calls = []


@dataclasses.dataclass(frozen=True)
class Field:
    """An image and a field of noise, as a family may prepare them."""

    width: int = 1

    def __call__(self, key, image):
        jax.debug.callback(lambda: calls.append(self.width))
        return {"image": image, "noise": jax.random.normal(key, image.shape)}


@dataclasses.dataclass(frozen=True)
class Noise(transforms.Traced):
    """Noise of a traced strength from a shared field."""

    sd: float = dataclasses.field(metadata=transforms.TRACED)
    width: int = 1

    @property
    def preparation(self):
        return Field(self.width)

    def apply(self, prepared, key, parameters):
        own = jax.random.uniform(jax.random.fold_in(key, 1))
        changed = prepared["image"] + parameters["sd"] * prepared["noise"]
        return jnp.clip(changed + 0.01 * own, 0, 1)


@dataclasses.dataclass(frozen=True)
class Plain:
    """Noise of a transform that shares nothing."""

    def __call__(self, key, image):
        return jnp.clip(image + 0.1 * jax.random.normal(key, image.shape), 0, 1)


@dataclasses.dataclass(frozen=True)
class Halved:
    """What transforms may end with; it notes when it is traced."""

    def __call__(self, key, image):
        calls.append("halved")
        return image / 2 + 0.01 * jax.random.uniform(key)


@dataclasses.dataclass(frozen=True)
class Moved(transforms.Traced):
    """A transform that is compiled anew for each offset, and ends alike."""

    offset: float

    @property
    def finishing(self):
        return Halved()

    def apply(self, image, key, parameters):
        return image + self.offset


def of_batch(spread, images, names):
    key = jax.random.key_data(jax.random.key(3, impl=stimuli.PRNG))
    return stimuli.Stimuli(
        spread.replicate(key),
        spread.shard(images),
        spread.shard(labels.example_ids(names)),
        spread,
    )


def benchmark(transform, stream="test"):
    return Benchmark("test/noise", "test", transform, stream=stream)


@pytest.fixture
def spread():
    return sharding.spread("shard_map", jax.devices()[:1])


def grey(count):
    return np.full((count, SIZE, SIZE, 3), 0.5, np.float32)


def count_of_calls():
    jax.effects_barrier()
    count = len(calls)
    calls.clear()
    return count


def test_what_conditions_share_is_computed_once_for_a_batch(spread):
    found = of_batch(spread, grey(4), [f"{i}.JPEG" for i in range(4)])
    count_of_calls()
    shown = [np.asarray(found.of(benchmark(Noise(sd)))) for sd in (0.01, 0.02, 0.04)]
    assert count_of_calls() == 1
    assert not np.array_equal(shown[0], shown[1])
    found.of(benchmark(Noise(0.01), stream="other"))
    assert count_of_calls() == 1
    found.of(benchmark(Noise(0.01, width=2)))
    assert count_of_calls() == 1


@pytest.mark.parametrize("name", ["shard_map", "pmap"])
def test_what_transforms_end_with_is_compiled_once_for_all(name):
    spread = sharding.spread(name, jax.devices()[:1])
    found = of_batch(spread, grey(2), ["a", "b"])
    calls.clear()
    shown = [
        spread.collect(found.of(benchmark(Moved(offset)))) for offset in (0.0, 0.25)
    ]
    assert calls == ["halved"]
    np.testing.assert_allclose(shown[1] - shown[0], 0.125, atol=1e-7)


def test_only_the_newest_preparation_is_kept(spread):
    found = of_batch(spread, grey(2), ["a", "b"])
    found.of(benchmark(Noise(0.01)))
    first = found._kept[1]
    found.of(benchmark(Noise(0.01), stream="other"))
    assert found._kept[1] is not first


@pytest.mark.parametrize("transform", [Noise(0.05), Plain(), Moved(0.1)])
@pytest.mark.parametrize("name", ["shard_map", "pmap"])
def test_a_batch_gives_what_its_examples_give_alone(transform, name):
    spread = sharding.spread(name, jax.devices()[:2])
    images = np.random.default_rng(0).random((4, SIZE, SIZE, 3), np.float32)
    names = [f"{i}.JPEG" for i in range(4)]
    shown = spread.collect(of_batch(spread, images, names).of(benchmark(transform)))
    stream = jnp.uint32(zlib.crc32(b"test"))
    key = jax.random.key_data(jax.random.key(3, impl=stimuli.PRNG))
    for image, example, found in zip(
        images, labels.example_ids(names), shown, strict=True
    ):
        own = stimuli.example_key(key, stream, jnp.asarray(example))
        # XLA may fuse a sum otherwise: one rounding of a number below 1.
        np.testing.assert_allclose(
            found, transform(own, jnp.asarray(image)), atol=1.2e-7
        )


def test_draws_are_the_recorded_ones():
    """Other draws are other measurements: this sum only changes with a revision."""
    key = jax.random.key_data(jax.random.key(7, impl=stimuli.PRNG))
    stream = jnp.uint32(123)
    ids = jnp.array([[1, 2], [1, 3], [4, 2]], jnp.uint32)
    keys = [stimuli.example_key(key, stream, i) for i in ids]
    draws = np.stack([jax.random.bits(k, (8,), jnp.uint32) for k in keys])
    assert len(np.unique(draws)) == draws.size  # either word of the id makes others
    assert hashlib.sha256(draws.astype("<u4").tobytes()).hexdigest() == DRAWS


def test_examples_and_streams_have_noise_of_their_own(spread):
    found = of_batch(spread, grey(2), ["a.JPEG", "b.JPEG"])
    first = np.asarray(found.of(benchmark(Plain())))
    other = np.asarray(found.of(benchmark(Plain(), stream="other")))
    assert (first[0] != first[1]).mean() > 0.9
    assert (first != other).mean() > 0.9


def test_shared_streams_share_their_draws(spread):
    found = of_batch(spread, grey(1), ["x.JPEG"])
    shown = [np.asarray(found.of(benchmark(Noise(sd)))) for sd in (0.0, 0.1, 0.2)]
    low, high = shown[1] - shown[0], shown[2] - shown[0]
    inside = (shown[2] > 0) & (shown[2] < 1)
    # One rounding of each sum around 0.5.
    np.testing.assert_allclose(2 * low[inside], high[inside], atol=3e-7)
