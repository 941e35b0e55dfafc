"""Does the gallery show each condition once, and as a run shows it to a model?"""

import dataclasses

import jax
import numpy as np
import pytest

from biases_jax import benchmarks, evaluate, gallery, labels, scores, sharding
from biases_jax import transforms as plain
from biases_jax.benchmark import Benchmark

SEED = 3
NAME = "ILSVRC2012_val_00000001.JPEG"


@dataclasses.dataclass(frozen=True)
class Noise:
    """A transform that draws."""

    sd: float

    def __call__(self, key, image):
        noise = jax.random.normal(key, image.shape)
        return jax.numpy.clip(image + self.sd * noise, 0, 1)


def photograph(side=224):
    return np.random.default_rng(0).integers(0, 256, (side, side, 3), dtype=np.uint8)


def example(source):
    return gallery.Example(NAME, photograph())


def first_of(source):
    return {"": example(source)}


def lazy(chosen, first=first_of, make=example, seed=SEED, name="shard_map"):
    spread = sharding.spread(name, jax.devices()[:1])
    return {s.family: s for s in gallery.sheets(chosen, make, first, seed, spread)}


def sheets(*arguments, **options):
    found = lazy(*arguments, **options)
    return {f: sheet._replace(tiles=list(sheet.tiles)) for f, sheet in found.items()}


def shown_to_models(benchmark, seed=SEED):
    """Return the stimulus as a network gets it in a run, with others beside it."""
    seen = []

    def watching(variables, images):
        jax.debug.callback(lambda x: seen.append(np.asarray(x)), images)
        return images.mean((1, 2))

    count = 3
    names = ["another.JPEG", NAME, "third.JPEG"]
    batch = {
        "image": np.stack([255 - photograph(), photograph(), photograph()]),
        "labels": {"imagenet": np.zeros((count, 1), np.int32)},
        "id": labels.example_ids(names),
        "mask": np.ones(count, bool),
    }
    spread = sharding.spread("shard_map", jax.devices()[:1])
    models = {"m": evaluate.Model("m", watching, spread.replicate({}))}
    list(evaluate.evaluate(models, {benchmark: ["m"]}, [batch], spread, seed))
    jax.effects_barrier()
    [images] = seen
    return images[1]


def conditions():
    """Return all benchmarks, of the many corruptions that are made here a few."""
    return [
        benchmark
        for name, benchmark in benchmarks.all_benchmarks().items()
        if "_jax/" not in name or "/fog/" in name or "/sparkles/3" in name
    ]


def test_what_cannot_be_made_here_is_left_out(monkeypatch):
    monkeypatch.setattr(Benchmark, "lacks", lambda self: "no photographs")
    assert sheets(conditions()) == {}


def test_every_condition_of_every_family_is_shown_once():
    every = conditions()
    found = sheets(every)
    changed = {b.name for b in every if not isinstance(b.transform, plain.Identity)}
    shown = {family: [t.name for t in sheet.tiles] for family, sheet in found.items()}
    assert all(len(names) == len(set(names)) for names in shown.values())
    assert all("cue_conflict" in shown[name] for name in ("shape", "model_vs_human"))
    tiles = [name for names in shown.values() for name in names]
    kept = {b.source for b in every if isinstance(b.transform, plain.Identity)}
    assert kept <= set(tiles)
    # Of conditions that differ in the score alone, the first stands for all.
    different = {
        (b.transform, b.stream, b.source): b.name
        for b in reversed(list(every))
        if b.name in changed
    }
    assert set(tiles) - kept == set(different.values())
    assert {f"spectral/low_pass/{c}" for c in ("0.01", "0.5", "0.99")} <= set(tiles)
    assert (
        "44 condition(s) of ILSVRC2012_val_00000001.JPEG" in found["spectral"].caption
    )


@pytest.mark.parametrize("name", ["shard_map", "pmap"])
def test_tiles_are_what_a_run_of_the_seed_shows(name):
    chosen = [
        Benchmark("test/noise/0.2", "imagenet", Noise(0.2)),
        Benchmark("test/noise/0.1", "imagenet", Noise(0.1), stream="shared"),
        benchmarks.all_benchmarks()["spectral/low_pass/0.3"],
        benchmarks.all_benchmarks()["spectral/high_pass_clean/0.5"],
    ]
    found = {
        t.name: t.pixels for s in sheets(chosen, name=name).values() for t in s.tiles
    }
    assert list(found) == [b.name for b in chosen]
    for benchmark in chosen:
        expected = 255.0 * shown_to_models(benchmark)
        # Half a grey level, and the last bits of another batch's shape.
        error = np.abs(found[benchmark.name] - expected).max()
        assert error <= 0.5 + 1e-3
    other = sheets(chosen, seed=SEED + 1)["test"].tiles[0].pixels
    assert np.abs(other.astype(int) - found["test/noise/0.2"]).mean() > 5


def test_sheets_do_not_depend_on_what_else_is_shown():
    every = conditions()
    one = benchmarks.all_benchmarks()["spectral/high_pass/0.2"]
    alone = sheets([one])["spectral"].tiles[0]
    among = sheets(every)["spectral"].tiles
    [same] = [tile for tile in among if tile.name == alone.name]
    np.testing.assert_array_equal(alone.pixels, same.pixels)


def test_images_that_are_kept_are_shown_of_each_source_that_is_there():
    chosen = [
        Benchmark("test/a", "imagenet"),
        Benchmark("test/a/real", "imagenet", score=scores.AnyOf()),
        Benchmark("test/b", "imagenet_a"),
        Benchmark("test/c", "imagenet_r"),
    ]
    asked = []

    def first(source):
        asked.append(source)
        return {} if source == "imagenet_r" else first_of(source)

    sheet = sheets(chosen, first)["test"]
    assert [tile.name for tile in sheet.tiles] == ["imagenet", "imagenet_a"]
    assert asked == ["imagenet", "imagenet_a", "imagenet_r"]
    assert sheet.caption == f"test: {gallery.KEPT}."
    np.testing.assert_array_equal(sheet.tiles[0].pixels, photograph())
    assert sheets(chosen, lambda source: {}) == {}


def test_a_set_of_conditions_is_shown_in_each():
    other = gallery.Example("other.png", 255 - photograph())

    def first(source):
        return {"c100": example(source), "c05": other}

    [sheet] = sheets([Benchmark("test/a", "model_vs_human/contrast")], first).values()
    shown = {tile.name: tile.pixels for tile in sheet.tiles}
    assert list(shown) == [f"model_vs_human/contrast/{c}" for c in ("c100", "c05")]
    np.testing.assert_array_equal(shown["model_vs_human/contrast/c05"], other.pixels)


def test_recipes_are_equal_where_tiles_are_and_make_none():
    noise = Benchmark("test/noise", "imagenet", Noise(0.2))

    def recipe(benchmark=noise, **options):
        return lazy([benchmark], **options)["test"].recipe  # no tile is asked for

    inverted = gallery.Example(NAME, 255 - photograph())
    renamed = gallery.Example("other.JPEG", photograph())
    kept = Benchmark("test/kept", "imagenet")
    different = [
        recipe(),
        recipe(seed=SEED + 1),
        recipe(make=lambda source: inverted),
        recipe(make=lambda source: renamed),  # whose noise is another
        recipe(dataclasses.replace(noise, transform=Noise(0.3))),
        recipe(dataclasses.replace(noise, stream="another")),
        recipe(dataclasses.replace(noise, revision=2)),
        recipe(kept),
        recipe(kept, first=lambda source: {"": inverted}),
        recipe(kept, first=lambda source: {"c05": inverted}),
    ]
    assert len(set(different)) == len(different)
    assert recipe() == different[0] and recipe(kept) == different[7]
