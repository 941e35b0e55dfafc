"""How is one model converted, once?"""

import json
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from etils import epath

from biases_jax.models import checkpoints, spec, zoo
from convert import files, fingerprint, identity, reading

VERSION = 2  # grows when a conversion gives other leaves or records than before


class Outcome(NamedTuple):
    """The manifest of a converted model, and whether it was there before."""

    manifest: dict[str, Any]
    skipped: bool


def convert(
    name: str,
    path: str | None,
    weights_dir: str,
    out: epath.PathLike,
    layout: spec.Layout | None = None,
    offline: bool = False,
) -> Outcome:
    """Convert a model into `out/name`; return its manifest, and whether it was there.

    Nothing is done if the same file was converted before, also if the one at this path
    was and is gone now.

    Args:
        name: of the zoo, or any other with a `path`.
        path: of the checkpoint file, or of the folder of a layout of two; None for
            models of the zoo that lie in `weights_dir` (places: `files.find`), or are
            downloaded into it.
        weights_dir: folder of published files; '' for the user's cache.
        out: folder of converted models.
        layout: of a model that is not of the zoo. None stands for the one that its
            earlier conversion was told, or for finding it out.
        offline: download nothing.

    Raises:
        FileNotFoundError: a file is not there and not to be had; lists where it was
            looked for.
        OSError: a download fails, of all sources.
        CheckpointError: it cannot be read safely, or cannot be the published one.
        ValueError: it is no ResNet-50; lists all that is missing, unknown, misshapen.
    """
    folder = epath.Path(out) / name
    before = checkpoints.read_manifest(folder) if _is_current(folder) else None
    row = _row(name, path, _layout_of(before) if layout is None else layout)
    try:
        found = files.find(row, path, weights_dir)
    except FileNotFoundError:
        if before is not None and _is_of(before, path):
            return Outcome(_checked(row, before), skipped=True)
        if path is not None:
            raise
        found = files.fetch_missing(row, weights_dir, offline)
    plan = _plan(row, found, weights_dir)
    if before is not None and _agrees(before, plan):
        return Outcome(_checked(row, before), skipped=True)
    tree, manifest = reading.read(row, found, plan)
    manifest["licence"] = row.licence
    manifest["fingerprint"] = fingerprint.check(name, tree).record()
    manifest = _checked(row, manifest)
    return Outcome(checkpoints.save(folder, tree, manifest), skipped=False)


def _checked(row: spec.ModelSpec, manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest if it can be the model's; warn if that is not certain."""
    identity.check_size(row, manifest)
    identity.warn(row, manifest)
    return manifest


def _is_of(manifest: Mapping[str, Any], path: str | None) -> bool:
    """Whether the earlier conversion was of this file, or of published ones.

    The file itself may be gone; another path means another file, or a slip.
    """
    if path is None:
        return True
    then = [pathlib.Path(source["path"]) for source in manifest["sources"].values()]
    place = pathlib.Path(files.absolute(path))
    return place in then or [place] * len(then) == [file.parent for file in then]


def _layout_of(manifest: Mapping[str, Any] | None) -> spec.Layout | None:
    """Return the layout that an earlier conversion was told, None if it was not."""
    if manifest is None or manifest["detected"]:
        return None
    rules = {part: _rules_of(source) for part, source in manifest["sources"].items()}
    return spec.Layout(manifest["layout"], rules["backbone"], rules.get("head"))


def _rules_of(source: Mapping[str, Any]) -> spec.Rules:
    rename = tuple((pattern, text) for pattern, text in source["rename"])
    return spec.Rules(tuple(source["roots"]), rename, tuple(source["drop"]))


def _row(name: str, path: str | None, layout: spec.Layout | None) -> spec.ModelSpec:
    if name in zoo.MODELS:
        return zoo.MODELS[name]
    if path is None:
        zoo.select((name,))  # which says what is known
    return zoo.own(name, layout)


def _is_current(folder: epath.Path) -> bool:
    try:
        return checkpoints.read_manifest(folder).get("converter") == VERSION
    except (FileNotFoundError, ValueError):
        return False  # absent or damaged: convert, which replaces it


def _plan(
    row: spec.ModelSpec, found: Mapping[str, pathlib.Path], weights_dir: str
) -> dict[str, Any]:
    """All that decides the outcome, as JSON has it; sums are checked on the way."""
    sources, folder = {}, files.folder(weights_dir)
    for part, published in files.parts(row).items():
        sources[part] = identity.identify(found[part], published, folder)._asdict()
        if row.layout is not None:
            sources[part] |= reading.record(files.rules(row.layout, part))
    plan = {
        "model": row.name,
        "converter": VERSION,
        "detected": row.layout is None,
        "mean": row.mean,
        "std": row.std,
        "sources": sources,
    }
    return json.loads(json.dumps(plan))


def _agrees(before: Any, plan: Any) -> bool:
    """Whether the manifest has all that the plan has, at every depth."""
    if isinstance(plan, dict):
        return isinstance(before, dict) and all(
            key in before and _agrees(before[key], value) for key, value in plan.items()
        )
    return before == plan
