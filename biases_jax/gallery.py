"""What do models see? Every condition of an image, as the engine shows it to them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import UInt8

from biases_jax import labels, levels, stimuli, transforms
from biases_jax.benchmark import Benchmark
from biases_jax.sharding import Spread

Pixels = UInt8[np.ndarray, "h w 3"]


class Example(NamedTuple):
    """An image and its published name, of which its noise is a function."""

    name: str
    pixels: Pixels


class Tile(NamedTuple):
    """An image and the benchmark that shows it, or its source if it is unchanged."""

    name: str
    pixels: Pixels


class Sheet(NamedTuple):
    """What a family of benchmarks shows; `caption` says of which image."""

    family: str
    caption: str
    tiles: Sequence[Tile]


def sheets(
    benchmarks: Iterable[Benchmark],
    example: Callable[[str], Example],
    first: Callable[[str], Example | None],
    seed: int,
    spread: Spread,
) -> Iterator[Sheet]:
    """Yield a sheet for each family that has anything to show.

    Benchmarks that show the same, as those of several scores, have one tile.

    Args:
        benchmarks: whose conditions are shown, in this order.
        example: gives the image to change, by the source whose images are changed.
        first: gives the first image of a source, which is shown where a benchmark does
            not change images; None where it is not here.
        seed: of the run's noise.
        spread: over one device.
    """
    families: dict[str, list[Benchmark]] = {}
    for benchmark in _different(benchmarks):
        families.setdefault(benchmark.family, []).append(benchmark)
    for family, own in families.items():
        changed = [b for b in own if not _keeps_images(b)]
        tiles, captions = [], []
        for source in dict.fromkeys(b.source for b in changed):
            image = example(source)
            those = [b for b in changed if b.source == source]
            tiles += conditions(image, those, seed, spread)
            captions.append(f"{len(those)} condition(s) of {image.name}, seed {seed}")
        kept = {b.source: first(b.source) for b in own if _keeps_images(b)}
        firsts = [Tile(source, image.pixels) for source, image in kept.items() if image]
        if firsts:
            captions.append(
                f"the first image of {len(firsts)} of {len(kept)} source(s)"
            )
        if tiles or firsts:
            caption = f"{family}: {'; '.join(captions)}."
            yield Sheet(family, caption, [*tiles, *firsts])


def conditions(
    example: Example, benchmarks: Iterable[Benchmark], seed: int, spread: Spread
) -> Iterator[Tile]:
    """Yield what benchmarks make of an image, rounded to 8 bits.

    It is what a run of this seed shows of the example of this name.
    """
    key = jax.random.key_data(jax.random.key(seed, impl=stimuli.PRNG))
    shown = stimuli.Stimuli(
        spread.replicate(key),
        spread.shard(levels.UNIT[example.pixels][None]),
        spread.shard(labels.example_ids([example.name])),
        spread,
    )
    for benchmark in benchmarks:
        [image] = spread.collect(shown.of(benchmark))
        yield Tile(benchmark.name, np.rint(255 * image).astype(np.uint8))


def _different(benchmarks: Iterable[Benchmark]) -> Iterator[Benchmark]:
    """Yield the first benchmark of all that show the same images."""
    seen = set()
    for benchmark in benchmarks:
        shown = (benchmark.source, benchmark.transform, benchmark.stream)
        shown = shown[:1] if _keeps_images(benchmark) else shown
        if shown not in seen:
            seen.add(shown)
            yield benchmark


def _keeps_images(benchmark: Benchmark) -> bool:
    return isinstance(benchmark.transform, transforms.Identity)
