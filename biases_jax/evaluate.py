"""How are cells filled? The only loop over batches, benchmarks and models."""

import collections
import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp

from biases_jax import levels, stimuli
from biases_jax.benchmark import Benchmark
from biases_jax.sharding import Spread
from biases_jax.types import Apply, Batch, Record, Score, Variables

IN_FLIGHT = 2  # steps queued on the devices: enough to keep them busy, little memory


@dataclasses.dataclass(frozen=True)
class Model:
    """A network that can be measured: `apply(variables, images) -> logits`."""

    name: str
    apply: Apply
    variables: Variables


class Outcome(NamedTuple):
    """What one model did with one batch of one benchmark.

    Record arrays have the batch's rows, padding included.
    """

    batch: int
    benchmark: Benchmark
    model: str
    sums: dict[str, int | float]
    record: Record


def evaluate(
    models: Mapping[str, Model],
    cells: Mapping[Benchmark, Sequence[str]],
    batches: Iterable[Batch],
    spread: Spread,
    seed: int = 0,
) -> Iterator[Outcome]:
    """Measure each benchmark's models on every batch.

    The models' variables must be replicated by `spread`, and all benchmarks share
    the source that `batches` come from. An example's noise is a function of the
    seed, the benchmark's stream and the example's id only: never of the batch, the
    device, or what else runs.

    Yields:
        One outcome per (batch, benchmark, model), in that order.
    """
    _check_random_bits()
    key = spread.replicate(jax.random.key_data(jax.random.key(seed, impl=stimuli.PRNG)))
    queue = collections.deque()
    for index, batch in enumerate(batches):
        with jax.transfer_guard("disallow"):
            placed = spread.shard(batch)
            images = _to_float(spread)(spread.replicate(levels.UNIT), placed["image"])
            of_batch = stimuli.Stimuli(key, images, placed["id"], spread)
        for benchmark, names in cells.items():
            with jax.transfer_guard("disallow"):
                shown = of_batch.of(benchmark)
                results = {
                    name: _answers(models[name], benchmark, shown, placed, spread)
                    for name in names
                }
            queue.append((index, benchmark, results))
            if len(queue) > IN_FLIGHT:
                yield from _collect(queue.popleft(), spread)
    while queue:
        yield from _collect(queue.popleft(), spread)


def _check_random_bits():
    if not jax.config.jax_threefry_partitionable:
        raise ValueError(
            "got jax_threefry_partitionable=False, which draws other noise; expected "
            "True (JAX' default): remove the setting"
        )


def _answers(model, benchmark, shown, batch, spread):
    logits = _predict(model.apply, spread)(model.variables, shown)
    labels = batch["labels"][benchmark.score.label]
    return _score(benchmark.score, spread)(logits, labels, batch["mask"])


def _collect(step, spread) -> Iterator[Outcome]:
    index, benchmark, results = step
    for name, (sums, record) in spread.collect(results).items():
        # Python's integers: exact however large the sums grow.
        totals = {key: sum(parts.tolist()) for key, parts in sums.items()}
        yield Outcome(index, benchmark, name, totals, Record(*record))


@functools.cache
def _to_float(spread: Spread):
    return spread.per_device(
        lambda table, image: levels.unit(image, table), (False, True)
    )


@functools.cache
def _predict(apply: Apply, spread: Spread):
    return spread.per_device(apply, (False, True))


@functools.cache
def _score(score: Score, spread: Spread):
    def all_of_device(logits, labels, mask):
        sums, record = jax.vmap(score)(logits, labels)
        # Where, not a product: a masked NaN must not reach the sum.
        masked = jax.tree.map(lambda x: jnp.where(mask, x, 0).sum()[None], sums)
        return masked, record

    return spread.per_device(all_of_device, (True, True, True))
