"""What must hold for every benchmark, transform and family, present and future?"""

import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import benchmarks, results, transforms
from biases_jax.corruptions.corrupted import Corrupted
from biases_jax.masking import stimulus as masking
from biases_jax.sources import catalog
from biases_jax.types import Cell

ALL = benchmarks.all_benchmarks()
# Frost's photographs are not part of the package; `frost_test` has stand-ins for them.
BY_TRANSFORM = {repr(b.transform): b for b in ALL.values() if not b.lacks()}
KEY = jax.random.key(3)
# Corruptions have tests of their own; here some stand for all that are made by one
# adapter, the others take minutes to compile.
SOME_CORRUPTED = re.compile(r"imagenet_cbar_jax/sparkles/3|imagenet_c_jax/(snow|fog)/3")


def named(benchmark):
    """Return the benchmark's name, as a parameter that may be slow."""
    adapted = isinstance(benchmark.transform, Corrupted)
    slow = adapted and not SOME_CORRUPTED.fullmatch(benchmark.name)
    return pytest.param(benchmark.name, marks=[pytest.mark.slow] if slow else [])


def photograph():
    """A smooth image with edges, at the size that networks see."""
    y, x = np.mgrid[:224, :224] / 224
    image = np.stack([x, y, (x + y > 1) * 0.8], axis=-1)
    return jnp.asarray(image, jnp.float32)


@pytest.mark.parametrize("name", ALL)
def test_benchmarks_are_named_after_their_family_and_have_a_source(name):
    benchmark = ALL[name]
    assert name == benchmark.name
    assert benchmark.family in benchmarks.families()
    # Sets that others published have names with hyphens and large letters.
    assert re.fullmatch(r"[a-z0-9_]+(/[A-Za-z0-9_.-]+)+", name)
    assert benchmark.source in catalog.SOURCES
    assert benchmark.revision >= 1


@pytest.mark.parametrize("name", ALL)
def test_benchmarks_are_identified_by_their_repr(name):
    benchmark = ALL[name]
    for part in (benchmark, benchmark.transform, benchmark.score):
        assert dataclasses.is_dataclass(part)
        assert part.__dataclass_params__.frozen
    identity = {
        "weights_sha256": "0",
        "benchmark_repr": repr(benchmark),
        "revision": 1,
        "source_sha256": "0",
        "preprocessing": "p",
        "seed": 0,
        "precision": "float32",
    }
    assert results.fingerprint(**identity)  # refuses addresses
    assert hash(benchmark) == hash(dataclasses.replace(benchmark))


def test_no_two_benchmarks_are_the_same_measurement():
    anonymous = [
        repr(dataclasses.replace(b, name="", stream="same")) for b in ALL.values()
    ]
    assert len(set(anonymous)) == len(anonymous)


@pytest.mark.parametrize("name", [named(b) for b in BY_TRANSFORM.values()])
def test_stimuli_are_images_and_depend_on_nothing_but_key_and_image(name):
    transform, image = ALL[name].transform, photograph()
    stimulus = transform(KEY, image)
    assert stimulus.shape == image.shape
    assert stimulus.dtype == jnp.float32
    assert bool(jnp.isfinite(stimulus).all())
    assert 0 <= float(stimulus.min()) <= float(stimulus.max()) <= 1
    np.testing.assert_array_equal(stimulus, transform(KEY, image))
    batched = jax.vmap(transform, in_axes=(0, 0))(
        jnp.stack([KEY, KEY]), jnp.stack([image, 1 - image])
    )
    # Another batch shape may change the last bits of a transform, not more.
    np.testing.assert_allclose(batched[0], stimulus, atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        named(b)
        for b in BY_TRANSFORM.values()
        if isinstance(b.transform, transforms.Traced)
    ],
)
def test_traced_fields_enter_through_parameters_only(name):
    transform, image = ALL[name].transform, photograph()
    parameters = transform.parameters(image.shape)
    template = transforms.compiled_part(transform)
    # A corruption may have its severity compiled in.
    assert parameters or isinstance(transform, Corrupted)
    assert all(isinstance(value, np.ndarray) for value in parameters.values())
    prepared = transform.preparation(KEY, image)
    shown = jax.jit(template.apply)(prepared, KEY, parameters)
    np.testing.assert_allclose(
        transform.finishing(KEY, shown),
        transform(KEY, image),
        atol=1e-6,  # jit may fuse and so round differently
    )


def summed(benchmark):
    """Return the names of the sums that a benchmark's score adds up."""
    sums, _ = benchmark.score(jnp.zeros(1000), jnp.zeros(2, jnp.int32))
    return set(sums)


@pytest.mark.parametrize("name", ALL)
def test_every_example_is_counted_and_none_is_right_that_is_not_scored(name):
    score = ALL[name].score
    for label in ([-1, -1], [3, 4], [998, 999]):
        sums, record = score(jnp.arange(1000.0), jnp.array(label, jnp.int32))
        assert all(jnp.issubdtype(value.dtype, jnp.integer) for value in sums.values())
        assert int(sums["count"]) == 1
        scored = int(sums.get("scored", 1))
        assert 0 <= int(sums["top1"]) <= int(sums["top5"]) <= scored <= 1
        assert bool(record.correct) == bool(sums["top1"])


def no_records():
    raise ValueError("got no records, expected them")


@pytest.mark.parametrize("family", benchmarks.families())
def test_summaries_cover_their_family_and_explain_what_is_absent(family):
    module = benchmarks.families()[family]
    sums = {"count": 100, "scored": 80, "top1": 40, "top5": 70, "nonfinite": 0}
    sums |= {"shape": 40, "texture": 20}
    # Of a part of the examples, as in `top1/<condition>`.
    parts = {"count": 10, "top1": 4, "shape": 4, "texture": 2}

    def total(key, benchmark):
        transform = benchmark.transform
        if key == "top1" and isinstance(transform, masking.BandNoise):
            # Flat accuracies would have no critical band.
            hurt = np.exp(-((transform.frequency - 3) ** 2) / 4)
            return int(90 / (1 + 30 * transform.sd * hurt))
        return parts[key.partition("/")[0]] if "/" in key else sums[key]

    everything = {
        name: Cell({key: total(key, b) for key in summed(b)}, no_records)
        for name, b in ALL.items()
    }
    complete = module.summarize(everything)
    assert complete
    assert all(name.startswith(family + "/") for name in complete)
    assert all(np.isfinite(value.value) for value in complete.values())
    empty = module.summarize({})
    assert set(empty) == set(complete)
    assert all(np.isnan(v.value) and v.reason for v in empty.values())
