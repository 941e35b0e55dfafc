"""How is one model converted, once?"""

import json
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from etils import epath

from biases_jax.models import checkpoints, spec, zoo
from convert import files, fingerprint, identity, reading

VERSION = 3  # grows when a conversion gives other leaves or records than before


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

    Nothing is done if the same file was converted before, by the same layout; also if
    the one at this path was and is gone now.

    Args:
        name: of the zoo, or any other with a `path`.
        path: of the checkpoint file, or of the folder of a layout of two; None for
            models of the zoo that lie in `weights_dir` (places: `files.find`), or are
            downloaded into it.
        weights_dir: folder of published files; '' for the user's cache.
        out: folder of converted models.
        layout: of a model that is not of the zoo. None: the same file stays as it was
            converted, the layout of another is found out.
        offline: download nothing.

    Raises:
        FileNotFoundError: a file is not there and not to be had; lists where it was
            looked for.
        OSError: a download fails, of all sources.
        CheckpointError: it cannot be read safely, or cannot be the published one.
        ValueError: it is no ResNet-50; lists all that is missing, unknown, misshapen.
    """
    folder = epath.Path(out) / name
    before = _earlier(folder)
    row = _row(name, path, layout)
    if before is not None and _is_gone(row, path, weights_dir, before):
        if not _has_rules(before, layout):
            raise FileNotFoundError(
                f"{name}: the file from which it was converted, by the layout "
                f"{before['layout']!r}, is gone; expected it for {layout.name!r}"
            )
        return Outcome(_checked(row, before), skipped=True)
    try:
        found = files.find(row, path, weights_dir)
    except FileNotFoundError:
        if path is not None:
            raise
        found = files.fetch_missing(row, weights_dir, offline)
    plan = _plan(row, path, found, weights_dir)
    if before is not None and _agrees(before, plan):
        return Outcome(_checked(row, _moved(folder, before, found)), skipped=True)
    tree, manifest = reading.read(row, found, plan)
    manifest["licence"] = row.licence
    manifest["fingerprint"] = fingerprint.check(name, tree).record()
    manifest = _checked(row, manifest)
    return Outcome(checkpoints.save(folder, tree, manifest), skipped=False)


def _moved(
    folder: epath.Path, manifest: dict[str, Any], found: Mapping[str, pathlib.Path]
) -> dict[str, Any]:
    """The manifest with the places where the same files lie now."""
    places = {
        part: {**source, "file": found[part].name, "path": files.absolute(found[part])}
        for part, source in manifest["sources"].items()
    }
    if places == manifest["sources"]:
        return manifest
    return checkpoints.rewrite_manifest(folder, {**manifest, "sources": places})


def _earlier(folder: epath.Path) -> dict[str, Any] | None:
    """The manifest of a whole conversion by this converter, None if there is none."""
    try:
        manifest = checkpoints.read_manifest(folder)
    except (FileNotFoundError, ValueError):
        return None  # absent or damaged: convert, which replaces it
    return manifest if manifest.get("converter") == VERSION else None


def _is_gone(
    row: spec.ModelSpec, path: str | None, weights_dir: str, before: Mapping[str, Any]
) -> bool:
    """Whether an earlier conversion was of these files, of which none is there now.

    Another path means another file, or a slip.
    """
    if before["given"] != (path is not None) or files.any_there(row, path, weights_dir):
        return False
    if path is None:
        return True
    then = [pathlib.Path(source["path"]) for source in before["sources"].values()]
    place = pathlib.Path(files.absolute(path))
    return place in then or [place] * len(then) == [file.parent for file in then]


def _has_rules(before: Mapping[str, Any], layout: spec.Layout | None) -> bool:
    """Whether a conversion was by this layout; None is any."""
    return layout is None or _agrees(before, reading.record(layout))


def _checked(row: spec.ModelSpec, manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest if it can be the model's; warn if that is not certain."""
    identity.check_size(row, manifest)
    identity.check_mirror(row, manifest)
    identity.warn(row, manifest)
    return manifest


def _row(name: str, path: str | None, layout: spec.Layout | None) -> spec.ModelSpec:
    if name in zoo.MODELS:
        return zoo.MODELS[name]
    if path is None:
        zoo.select((name,))  # which says what is known
    return zoo.own(name, layout)


def _plan(
    row: spec.ModelSpec,
    path: str | None,
    found: Mapping[str, pathlib.Path],
    weights_dir: str,
) -> dict[str, Any]:
    """All that decides the outcome, as JSON has it; sums are checked on the way.

    Without a layout the earlier outcome is right for the same file, however its layout
    was found.
    """
    folder = files.folder(weights_dir)
    plan = {"sources": {}} if row.layout is None else reading.record(row.layout)
    for part, published in files.parts(row).items():
        identified = identity.identify(found[part], published, folder)._asdict()
        plan["sources"][part] = {**plan["sources"].get(part, {}), **identified}
    plan |= {
        "model": row.name,
        "converter": VERSION,
        "given": path is not None,
        "mean": row.mean,
        "std": row.std,
    }
    return json.loads(json.dumps(plan))


def _agrees(before: Any, plan: Any) -> bool:
    """Whether the manifest has all that the plan has, at every depth."""
    if isinstance(plan, dict):
        return isinstance(before, dict) and all(
            key in before and _agrees(before[key], value) for key, value in plan.items()
        )
    return before == plan
