"""How is one model converted, once?"""

import json
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from etils import epath

from biases_jax.models import checkpoints, zoo
from convert import errors, files, mapping, state_dict

VERSION = 1  # grows when a conversion gives other leaves than before
STEM_STRIDES = (1, 2, 4)


class Outcome(NamedTuple):
    """The manifest of a converted model, and whether it was there before."""

    manifest: dict[str, Any]
    skipped: bool


def convert(
    name: str,
    path: str | None,
    weights_dir: str,
    out: epath.PathLike,
    rules: zoo.Weights | None = None,
) -> dict[str, Any]:
    """Convert a model into `out/name`, and return its manifest.

    Nothing is done if the same file was converted before, also if the one at this path
    was and is gone now.

    Args:
        name: of the zoo, or any other with a `path`.
        path: of the checkpoint file; None for models of the zoo that lie in
            `weights_dir` (places: `convert.files.find`).
        weights_dir: folder of published files.
        out: folder of converted models.
        rules: root, rename and drop of a model that is not of the zoo. None stands
            for those of its earlier conversion, or for `zoo.PLAIN`.

    Raises:
        FileNotFoundError: the file is not there; lists where it was looked for.
        CheckpointError: it cannot be read safely, or cannot be the published one.
        ValueError: it is no ResNet-50; lists all that is missing, unknown, misshapen.
    """
    return attempt(name, path, weights_dir, out, rules).manifest


def attempt(
    name: str,
    path: str | None,
    weights_dir: str,
    out: epath.PathLike,
    rules: zoo.Weights | None = None,
) -> Outcome:
    """Do what `convert` does, and tell whether there was anything to do."""
    folder = epath.Path(out) / name
    before = checkpoints.read_manifest(folder) if _is_current(folder) else None
    spec = _spec(name, path, _rules_of(before) if rules is None else rules)
    try:
        found = files.find(spec, path, weights_dir)
    except FileNotFoundError:
        if before is None or not _is_of(before, path):
            raise
        return Outcome(_checked(spec, before), skipped=True)
    plan = _plan(spec, found)
    if before is not None and _agrees(before, plan):
        return Outcome(_checked(spec, before), skipped=True)
    tree, manifest = _read(spec, found, plan)
    manifest = _checked(spec, manifest)
    return Outcome(checkpoints.save(folder, tree, manifest), skipped=False)


def _checked(spec: zoo.ModelSpec, manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest if it can be the model's; warn if that is not certain."""
    files.check_size(spec, manifest)
    files.warn(spec, manifest)
    return manifest


def _is_of(manifest: Mapping[str, Any], path: str | None) -> bool:
    """Whether the earlier conversion was of this file, or of published ones.

    The file itself may be gone; another path means another file, or a slip.
    """
    paths_then = [source.get("path") for source in manifest["sources"].values()]
    return path is None or _absolute(path) in paths_then


def _absolute(path: str | pathlib.Path) -> str:
    return str(pathlib.Path(path).expanduser().absolute())


def _rules_of(manifest: Mapping[str, Any] | None) -> zoo.Weights:
    """Return the rules by which the backbone was converted, plain if it was not."""
    if manifest is None:
        return zoo.PLAIN
    source = manifest["sources"]["backbone"]
    rename = tuple((pattern, text) for pattern, text in source["rename"])
    return zoo.Weights((), source["root"], rename, tuple(source["drop"]))


def _spec(name: str, path: str | None, rules: zoo.Weights) -> zoo.ModelSpec:
    if name in zoo.MODELS:
        return zoo.MODELS[name]
    if path is None:
        zoo.select((name,))  # which says what is known
    return zoo.own(name, rules)


def _is_current(folder: epath.Path) -> bool:
    try:
        return checkpoints.read_manifest(folder).get("converter") == VERSION
    except (FileNotFoundError, ValueError):
        return False  # absent or damaged: convert, which replaces it


def _plan(spec: zoo.ModelSpec, found: Mapping[str, pathlib.Path]) -> dict[str, Any]:
    """All that decides the outcome, as JSON has it; sums are checked on the way."""
    plan = {
        "model": spec.name,
        "converter": VERSION,
        "mean": spec.mean,
        "std": spec.std,
        "sources": {
            part: {
                **files.identify(found[part], weights)._asdict(),
                "root": weights.root,
                "rename": weights.rename,
                "drop": weights.drop,
            }
            for part, weights in files.parts(spec).items()
        },
    }
    return json.loads(json.dumps(plan))


def _agrees(before: Any, plan: Any) -> bool:
    """Whether the manifest has all that the plan has, at every depth."""
    if isinstance(plan, dict):
        return isinstance(before, dict) and all(
            key in before and _agrees(before[key], value) for key, value in plan.items()
        )
    return before == plan


def _read(
    spec: zoo.ModelSpec, found: Mapping[str, pathlib.Path], plan: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The unfolded variables, and the manifest but for their sum."""
    state: dict[str, np.ndarray] = {}
    sources, metadata = {}, {}
    for part, weights in files.parts(spec).items():
        checkpoint = state_dict.read(found[part])
        selected, dropped = state_dict.select(
            checkpoint.tree, weights.root, weights.rename, weights.drop
        )
        twice = sorted(set(state) & set(selected))
        if twice:
            raise errors.CheckpointError(f"got {', '.join(twice)} in both files")
        state |= selected
        metadata |= checkpoint.metadata
        sources[part] = {
            **plan["sources"][part],
            "file": found[part].name,
            "path": _absolute(found[part]),
            "bytes": found[part].stat().st_size,
            "container": checkpoint.container,
            "dropped": dropped,
            "placeholders": list(checkpoint.placeholders),
        }
    tree = mapping.to_flax(state, spec.mean, spec.std)
    counters = sorted(name for name in state if name.endswith(mapping.COUNTER))
    manifest = {
        **plan,
        "sources": sources,
        "counters": len(counters),
        "width": tree["params"]["conv1"]["kernel"].shape[-1],
        "num_classes": tree["params"]["fc"]["bias"].shape[0],
        "stem_stride": _stem_stride(metadata),
    }
    return tree, manifest


def _stem_stride(metadata: Mapping[str, str]) -> int:
    """2, unless a .safetensors file of a small network says otherwise."""
    text = metadata.get("stem_stride", "2")
    if text not in map(str, STEM_STRIDES):
        raise errors.CheckpointError(
            f"got stem_stride {text!r} in the metadata, expected one of {STEM_STRIDES}"
        )
    return int(text)
