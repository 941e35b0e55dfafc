"""What do models see? Every condition of an image, as the engine shows it to them."""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import UInt8

from biases_jax import labels, levels, stimuli, transforms
from biases_jax.benchmark import Benchmark
from biases_jax.sharding import Spread

KEPT = "the first image of each set, or of each of its conditions, that is here"

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
    """What a family of benchmarks shows; `caption` says of which image.

    Equal recipes have equal tiles, which are only made when they are asked for.
    """

    family: str
    caption: str
    recipe: str
    tiles: Iterator[Tile]


def sheets(
    benchmarks: Iterable[Benchmark],
    example: Callable[[str], Example],
    first: Callable[[str], Mapping[str, Example]],
    seed: int,
    spread: Spread,
) -> Iterator[Sheet]:
    """Yield a sheet for each family that has anything to show.

    Benchmarks that show the same, as those of several scores, have one tile.

    Args:
        benchmarks: whose conditions are shown, in this order.
        example: gives the image to change, by the source whose images are changed.
        first: gives the first image of each condition of a source, '' where it has
            none, which are shown where a benchmark does not change images; nothing
            where the source is not here.
        seed: of the run's noise.
        spread: over one device.
    """
    families: dict[str, dict[str, list[Benchmark]]] = {}
    for benchmark in _different(benchmarks):
        of_family = families.setdefault(benchmark.family, {})
        of_family.setdefault(benchmark.source, []).append(benchmark)
    for family, by_source in families.items():
        parts = []
        for source, own in by_source.items():
            changed = [b for b in own if not _keeps_images(b)]
            if changed:
                parts.append(_changed(example(source), changed, seed, spread))
            if len(changed) < len(own):
                parts.append(_kept(source, first(source)))
        if parts := [part for part in parts if part]:
            captions, recipes, tiles = zip(*parts, strict=True)
            caption = f"{family}: {'; '.join(dict.fromkeys(captions))}."
            recipe = hashlib.sha256("".join(recipes).encode()).hexdigest()
            yield Sheet(family, caption, recipe, itertools.chain(*tiles))


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


def _changed(
    image: Example, benchmarks: Sequence[Benchmark], seed: int, spread: Spread
) -> tuple[str, str, Iterable[Tile]]:
    """Return the caption, recipe and tiles of conditions of an image."""
    return (
        f"{len(benchmarks)} condition(s) of {image.name}, seed {seed}",
        f"{seed} {_told(image)} {benchmarks}",
        conditions(image, benchmarks, seed, spread),
    )


def _kept(
    source: str, images: Mapping[str, Example]
) -> tuple[str, str, Iterable[Tile]] | None:
    """Return the caption, recipe and tiles of images that are not changed."""
    if not images:
        return None
    tiles = [
        Tile(f"{source}/{condition}".rstrip("/"), image.pixels)
        for condition, image in images.items()
    ]
    recipe = " ".join(f"{c} {_told(image)}" for c, image in images.items())
    return KEPT, f"{source} {recipe}", tiles


def _told(image: Example) -> str:
    return f"{image.name} {hashlib.sha256(image.pixels.tobytes()).hexdigest()}"


def _different(benchmarks: Iterable[Benchmark]) -> Iterator[Benchmark]:
    """Yield the first benchmark of all of a family that show the same images.

    Those whose images cannot be made here are left out.
    """
    seen = set()
    for benchmark in benchmarks:
        if benchmark.lacks():
            continue
        shown = (benchmark.family, benchmark.source)
        if not _keeps_images(benchmark):
            shown += (benchmark.transform, benchmark.stream)
        if shown not in seen:
            seen.add(shown)
            yield benchmark


def _keeps_images(benchmark: Benchmark) -> bool:
    return isinstance(benchmark.transform, transforms.Identity)
