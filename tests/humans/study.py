"""Measures made-up answers on the sets that people saw, and writes people's."""

import json

import numpy as np
from humans import people

from biases_jax import benchmarks, examples, labels, results
from biases_jax.humans import reference, trials
from biases_jax.sources import manifest
from biases_jax.types import Record

RUN = {
    "device_kind": "cpu",
    "date": "2026-01-02T03:04:05+00:00",
    "libraries": {"jax": "0.10.2"},
}
SPELLED = {"True": "true", "False": "false", "0.1": "0.10"}  # in files' names


def names(name, each=2):
    """Return (published name, image as it is paired, category) of a small set."""
    conditions = list(reference.SETS[name].conditions)
    found = []
    for number in range(each):
        for condition in conditions:
            for category, called in enumerate(labels.CATEGORIES):
                image = f"{called}{number + 1}.png"
                if name == "cue-conflict":
                    texture = labels.CATEGORIES[(category + number) % 16]
                    image = f"{called}{number + 1}-{texture}{number + 1}.png"
                published = image
                if len(conditions) > 1:
                    spelled = SPELLED.get(condition, condition)
                    published = (
                        f"{len(found) + 1:04d}_x_dnn_{spelled}_{called}_00_"
                        f"n02690373_{image}"
                    )
                pair = trials.Image(condition, trials.image_id(published))
                found.append((published, pair, category))
    return found


def seen(name, observers=3, each=2, known=0.6):
    """Return what some people answered on a small set, `known` of it right."""
    makers = [f"subject-{number:02d}" for number in range(1, observers + 1)]
    shown = sorted(names(name, each), key=lambda one: one[1])
    categories = np.array([one[2] for one in shown], np.int8)
    generator = np.random.default_rng(len(name))
    answers = generator.integers(-1, 16, (observers, len(shown)))
    is_known = generator.random(answers.shape) < known
    answers = np.where(is_known, categories, answers).astype(np.int8)
    images = tuple(one[1] for one in shown)
    return trials.Trials(tuple(makers), images, categories, answers)


def show(folder, name, **options):
    """Write what people answered on a small set; return it."""
    found = seen(name, **options)
    people.write_all(folder, name, found)
    return found


def answered(model, name, each=2, known=0.5):
    """Return what a model answers, in the order of `names`."""
    shown = names(name, each)
    generator = np.random.default_rng([*model.encode(), *name.encode()])
    categories = np.array([one[2] for one in shown])
    guesses = generator.integers(0, 16, len(shown))
    return np.where(generator.random(len(shown)) < known, categories, guesses)


def measure(workdir, model, name, ending="", answers=None, kept=True, each=2):
    """Write a complete cell of a small set, as a run does; return the answers."""
    benchmark = benchmarks.all_benchmarks()[f"model_vs_human/{name}{ending}"]
    space = benchmark.score.label
    shown = names(name, each)
    published = tuple(one[0] for one in shown)
    categories = np.array([one[2] for one in shown], np.int32)
    if answers is None:
        answers = answered(model, name, each)
    right = answers == categories
    order = list(reference.SETS[name].conditions)
    places = np.array([order.index(one[1].condition) for one in shown], np.int32)
    second = {"category": [], "shape_texture": [categories[::-1]]}
    values = np.stack([categories, *second.get(space, [places])], 1).astype(np.int32)
    sums = {"count": len(shown), "top1": int(right.sum()), "top5": len(shown)}
    sums["nonfinite"] = 0
    for place, condition in enumerate(getattr(benchmark.score, "conditions", ())):
        sums[f"count/{condition}"] = int((places == place).sum())
        sums[f"top1/{condition}"] = int(right[places == place].sum())
    provenance = {
        "weights_sha256": f"weights of {model}",
        "benchmark_repr": repr(benchmark),
        "revision": benchmark.revision,
        "source": benchmark.source,
        "source_sha256": f"{name} {each}",
        "label_space": space,
        "preprocessing": "none_224",
        "seed": 0,
        "precision": "float32",
    }
    mark = f"{model} {benchmark.name}"
    ids = labels.example_ids(published)
    store = results.ResultsStore(workdir / "results", RUN)
    header = results.CellHeader(model, benchmark.name, mark, len(shown), provenance)
    ones = np.ones(len(shown), np.float32)
    best5 = np.zeros((len(shown), 5), np.int32)
    record = Record(answers.astype(np.int32), right, ones, best5, ones)
    file = ""
    if kept:
        part = examples.Part(model, benchmark.name, mark, 0, ids, record)
        file = examples.write(workdir / "records", store.name, [part])
    block_order = labels.order_sha256(labels.packed_ids(ids))
    block = results.Block(mark, block_order, 0, len(shown), sums, {}, file)
    store.append([header], [block])
    path = manifest.manifest_path(workdir / "sources", benchmark.source)
    metadata = {"sha256": json.dumps({space: f"{name} {each}"})}
    manifest.write(path, published, {space: values}, metadata)
    return answers


def rows(workdir):
    return results.read(workdir / "results").rows()
