"""What do a model's files hold, as Flax variables and on record?"""

import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from biases_jax.models import spec
from convert import detection, errors, files, mapping, state_dict

STEM_STRIDES = (1, 2, 4)
LONGEST = 10_000  # characters of a text beside the tensors, to go on record


def read(
    row: spec.ModelSpec, found: Mapping[str, pathlib.Path], plan: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the unfolded variables, and the manifest but for what is computed of them.

    Args:
        row: of the model; its layout is found out if it is None.
        found: its files by role.
        plan: what is on record already, each file's sum among it.

    Raises:
        CheckpointError: a file cannot be read safely, or two files have one tensor.
        ValueError: they hold no ResNet-50; lists all that is missing, unknown,
            misshapen or unusable.
    """
    checkpoints = {part: state_dict.read(path) for part, path in found.items()}
    layout = row.layout or _detect(found["backbone"], checkpoints["backbone"])
    state: dict[str, np.ndarray] = {}
    sources = {}
    for part, checkpoint in checkpoints.items():
        selected, entries = _select(found[part], checkpoint, files.rules(layout, part))
        twice = sorted(set(state) & set(selected))
        if twice:
            raise errors.CheckpointError(f"got {', '.join(twice)} in both files")
        state |= selected
        sources[part] = {
            **plan["sources"][part],
            **_rules(files.rules(layout, part)),
            "file": found[part].name,
            "path": files.absolute(found[part]),
            "bytes": found[part].stat().st_size,
            "container": checkpoint.container,
            "root": entries.root,
            "dropped": entries.dropped,
            "placeholders": list(checkpoint.placeholders),
            "metadata": _short(checkpoint.metadata),
        }
    try:
        tree = mapping.to_flax(state, row.mean, row.std)
    except ValueError as error:
        how = "" if row.layout else ", the nearest of those known"
        raise ValueError(
            f"{found['backbone']} (read by the layout {layout.name!r}{how}): {error}"
        ) from error
    manifest = {
        **plan,
        "layout": layout.name,
        "detected": row.layout is None,
        "sources": sources,
        "counters": sum(name.endswith(mapping.COUNTER) for name in state),
        "width": tree["params"]["conv1"]["kernel"].shape[-1],
        "num_classes": tree["params"]["fc"]["bias"].shape[0],
        "stem_stride": _stem_stride(checkpoints["backbone"].metadata),
    }
    return tree, manifest


def record(layout: spec.Layout) -> dict[str, Any]:
    """Return a layout as manifests have it."""
    found = {"backbone": layout.backbone, "head": layout.head}
    return {
        "layout": layout.name,
        "sources": {part: _rules(rules) for part, rules in found.items() if rules},
    }


def _rules(rules: spec.Rules) -> dict[str, Any]:
    return {
        "roots": list(rules.roots),
        "rename": [list(pair) for pair in rules.rename],
        "drop": list(rules.drop),
    }


def _detect(path: pathlib.Path, checkpoint: state_dict.Checkpoint) -> spec.Layout:
    try:
        return detection.detect(checkpoint.tree)
    except errors.CheckpointError as error:
        raise errors.CheckpointError(f"{path}: {error}") from error


def _select(
    path: pathlib.Path, checkpoint: state_dict.Checkpoint, rules: spec.Rules
) -> tuple[dict[str, np.ndarray], state_dict.Entries]:
    try:
        return state_dict.select(checkpoint.tree, rules)
    except errors.CheckpointError as error:
        raise errors.CheckpointError(f"{path}: {error}") from error


def _short(metadata: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in metadata.items() if len(text) <= LONGEST}


def _stem_stride(metadata: Mapping[str, str]) -> int:
    """2, unless a .safetensors file of a small network says otherwise."""
    text = metadata.get("stem_stride", "2")
    if text not in map(str, STEM_STRIDES):
        raise errors.CheckpointError(
            f"got stem_stride {text!r} in the metadata, expected one of {STEM_STRIDES}"
        )
    return int(text)
