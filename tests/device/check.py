"""Does an accelerator give the CPU's numbers, and how fast is it?

On any machine, with the CPU: `JAX_PLATFORMS=cpu python tests/device/check.py
--write=reference.npz`. On the machine with the accelerator, where the package is
installed: `python tests/device/check.py --reference=reference.npz --out=check.json`.
It prints its findings, writes them as JSON and exits with 1 if a check failed. With the
default sizes it takes about two minutes on a current GPU.
"""

import json
import pathlib
import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from absl import app, flags

from biases_jax import benchmarks, evaluate, sharding
from biases_jax.models import checkpoints, resnet, zoo
from convert import mapping

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import small_study  # noqa: E402

_WRITE = flags.DEFINE_string("write", "", "Write the reference archive here and stop.")
_REFERENCE = flags.DEFINE_string("reference", "", "The archive written on a CPU.")
_OUT = flags.DEFINE_string("out", "", "Write the findings here as JSON.")
_WIDTH = flags.DEFINE_integer("width", 64, "Of the network whose numbers are compared.")
_BATCH = flags.DEFINE_integer("batch", 128, "Images per step in the timings.")
_REPEATS = flags.DEFINE_integer("repeats", 10, "Timed steps, of which the median.")

EXAMPLES = 32
CONDITIONS = (
    "natural/imagenet",
    "spectral/low_pass/0.3",
    "spectral/high_pass/0.7",
)
LIMIT = 1e-4  # largest logit difference over the logits' spread in exact float32


def variables(width, bias):
    """Return a random network that keeps the size of activations.

    `bias` [1000] of the classifier centres the logits, so that they tell images apart.
    """
    generator = np.random.default_rng(0)
    state = {
        name: small_study.random_tensor(generator, name, leaf.shape)
        for name, leaf in mapping.leaves(width, 1000).items()
    }
    state["fc.bias"] = bias
    return checkpoints.fold(mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD))


def images(count):
    """Return smooth random images, uint8."""
    generator = np.random.default_rng(1)
    coarse = generator.random((count, 14, 14, 3)).astype(np.float32)
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        fine = jax.image.resize(coarse, (count, 224, 224, 3), "cubic")
    return np.asarray(jnp.clip(fine, 0, 1) * 255).astype(np.uint8)


def batch(labels):
    return {
        "image": images(EXAMPLES),
        "labels": {"imagenet": labels.reshape(-1, 1).astype(np.int32)},
        "id": np.stack([np.zeros(EXAMPLES), np.arange(EXAMPLES)], 1).astype(np.uint32),
        "mask": np.ones(EXAMPLES, bool),
    }


def logits(precision, bias):
    apply = jax.jit(resnet.apply_function(_WIDTH.value, 1000, 2, precision))
    pixels = images(EXAMPLES).astype(np.float32) / 255
    return np.asarray(apply(variables(_WIDTH.value, bias), pixels))


def counts(labels, bias):
    """Return the sums of every condition and the margins, as the program gets them."""
    spread = sharding.spread("shard_map", jax.devices()[:1])
    apply = resnet.apply_function(_WIDTH.value)
    tree = spread.replicate(variables(_WIDTH.value, bias))
    model = evaluate.Model("m", apply, tree)
    cells = {benchmark: ["m"] for benchmark in benchmarks.select(CONDITIONS)}
    outcomes = evaluate.evaluate({"m": model}, cells, [batch(labels)], spread)
    return {
        o.benchmark.name: (o.sums["top1"], o.sums["top5"], o.record) for o in outcomes
    }


def write(path):
    bias = -logits("float32", np.zeros(1000, np.float32)).mean(0)
    answers = logits("float32", bias)
    # Labels of which about half are right, so that counts can go either way.
    labels = np.where(np.arange(EXAMPLES) % 2, answers.argmax(1), answers.argmin(1))
    found = counts(labels, bias)
    columns = {
        f"{kind}:{name}": value
        for name, (top1, top5, record) in found.items()
        for kind, value in {
            "sums": [top1, top5],
            "predicted": record.predicted,
            "margin": record.margin,
        }.items()
    }
    settings = {"labels": labels, "bias": bias, "width": _WIDTH.value}
    np.savez(path, logits=answers, **settings, **columns)
    print(f"wrote {path}: {jax.devices()[0].device_kind}")


def compare(reference):
    """Return findings: each a dict with `check`, `passed` and the figures."""
    expected = reference["logits"]
    spread, bias = float(expected.std()), reference["bias"]
    error = {
        precision: float(np.abs(logits(precision, bias) - expected).max() / spread)
        for precision in ("float32", "tf32", "bfloat16")
    }
    yield {
        "check": "float32 logits equal the CPU's",
        "passed": error["float32"] < LIMIT,
        "largest difference / spread": error["float32"],
    }
    on_cpu = jax.default_backend() == "cpu"
    yield {
        "check": "lower precisions differ, so HIGHEST takes effect",
        # A CPU has no TF32: there only bfloat16 can differ.
        "passed": error["bfloat16"] > 10 * LIMIT
        and (on_cpu or error["tf32"] > error["float32"]),
        "tf32": error["tf32"],
        "bfloat16": error["bfloat16"],
    }
    for name, (top1, top5, record) in counts(reference["labels"], bias).items():
        margin = reference[f"margin:{name}"]
        flips = record.predicted != reference[f"predicted:{name}"]
        yield {
            "check": f"counts of {name}",
            "passed": bool((~flips | (margin < LIMIT * spread)).all())
            and (flips.any() or [top1, top5] == reference[f"sums:{name}"].tolist()),
            "flips": int(flips.sum()),
            "top1": top1,
            "margin difference / spread": float(
                np.abs(record.margin - margin).max() / spread
            ),
        }


def speeds():
    pixels = jnp.asarray(images(_BATCH.value), jnp.float32) / 255
    tree = jax.device_put(variables(_WIDTH.value, np.zeros(1000, np.float32)))
    for precision in ("float32", "tf32", "bfloat16"):
        apply = resnet.apply_function(_WIDTH.value, 1000, 2, precision)

        def loss(x, apply=apply):
            return -jax.nn.log_softmax(apply(tree, x))[:, 0].sum()

        for name, function in {
            "forward": jax.jit(lambda x, apply=apply: apply(tree, x)),
            "forward and input gradient": jax.jit(jax.grad(loss)),
        }.items():
            rate = _BATCH.value / median_seconds(function, pixels)
            yield {"check": f"images/s, {precision}, {name}", "images/s": rate}


def median_seconds(function, pixels):
    jax.block_until_ready(function(pixels))
    seconds = []
    for _ in range(_REPEATS.value):
        start = time.perf_counter()
        jax.block_until_ready(function(pixels))
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main(argv):
    if argv[1:] or bool(_WRITE.value) == bool(_REFERENCE.value):
        raise app.UsageError("give either --write or --reference")
    if _WRITE.value:
        return write(_WRITE.value)
    reference = np.load(_REFERENCE.value)
    if reference["width"] != _WIDTH.value:
        raise app.UsageError(f"the archive is of --width={reference['width']}")
    findings = [{"device": jax.devices()[0].device_kind, "jax": jax.__version__}]
    for finding in (*compare(reference), *speeds()):
        findings.append(finding)
        print(json.dumps(finding), flush=True)
    if _OUT.value:
        with open(_OUT.value, "w") as file:
            json.dump(findings, file, indent=1)
    return sum(not finding.get("passed", True) for finding in findings)


if __name__ == "__main__":
    app.run(lambda argv: sys.exit(main(argv) or 0))
