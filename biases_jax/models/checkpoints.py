"""How are converted variables kept?"""

import contextlib
import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np
from etils import epath

from biases_jax.models import folding, orbax_arrays

MANIFEST = "manifest.json"
ARRAYS = "arrays"
LONG_AGO = 24 * 3600  # seconds; no save takes a day

fold = folding.fold


def save(
    folder: epath.PathLike, tree: Mapping[str, Any], manifest: Mapping[str, Any]
) -> dict[str, Any]:
    """Keep unfolded variables and their manifest; return the manifest as written.

    All is written beside `folder` and renamed at the end, so that a killed save never
    looks finished. What was in `folder` before is replaced, unless it is the same. Two
    jobs may save one model at a time: the first save stays.

    Args:
        folder: of this model alone, local or in a bucket.
        tree: as `convert.mapping.to_flax` gives it, NumPy or JAX arrays.
        manifest: what is known of the weights, for JSON; `weights_sha256` is added.

    Raises:
        RuntimeError: this is not the first of several linked processes.
        OSError: there is no space for it, or another job saved something else there
            at the same time.
    """
    if jax.process_index():
        raise RuntimeError(
            "got a save in another process than the first, expected none: Orbax writes "
            "NumPy arrays in the first one only"
        )
    folder = epath.Path(folder)
    token = secrets.token_hex(8)
    part = folder.parent / f".{folder.name}.{token}.part"
    former = folder.parent / f".{folder.name}.{token}.former"
    arrays = jax.tree.map(np.asarray, dict(tree))
    manifest = {**manifest, "weights_sha256": weights_sha256(arrays)}
    _remove_leftovers(folder)
    part.mkdir(parents=True, exist_ok=True)
    try:
        orbax_arrays.write(part / ARRAYS, arrays)
        (part / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        _publish(part, folder, former)
    finally:
        for leftover in (part, former):
            if leftover.exists():
                leftover.rmtree()
    return manifest


def _publish(part: epath.Path, folder: epath.Path, former: epath.Path) -> None:
    """Put a finished save in its place, unless another job just put the same.

    Nothing is deleted where others see it: what is in the place goes to `former`, and
    back if it turns out to be the same after all.
    """
    if _equal(folder, part):
        return
    if folder.exists():
        with contextlib.suppress(FileNotFoundError):  # another job moved it
            folder.rename(former)
    try:
        (former if _equal(former, part) else part).rename(folder)
    except OSError:  # another job was faster
        if not _equal(folder, part):
            raise


def _remove_leftovers(folder: epath.Path) -> None:
    """Remove what killed saves left long ago; a younger one may be at work."""
    for ending in ("part", "former"):
        for leftover in folder.parent.glob(f".{folder.name}.*.{ending}"):
            if time.time() - leftover.stat().mtime > LONG_AGO:
                leftover.rmtree(missing_ok=True)


def _equal(folder: epath.Path, part: epath.Path) -> bool:
    """Whether a folder holds a finished save with the manifest of another."""
    try:
        return read_manifest(folder) == read_manifest(part)
    except (FileNotFoundError, ValueError):
        return False


def is_complete(folder: epath.PathLike) -> bool:
    """Return whether a finished save is in the folder."""
    folder = epath.Path(folder)
    return (folder / MANIFEST).exists() and (folder / ARRAYS).exists()


def read_manifest(folder: epath.PathLike) -> dict[str, Any]:
    """Return the manifest: model, sources, rules, sizes, sums.

    Raises:
        FileNotFoundError: nothing was saved there.
        ValueError: it is no JSON object, or parts of it are none.
    """
    if not is_complete(folder):
        raise FileNotFoundError(
            f"{folder}: got no converted checkpoint; make it with python -m convert or "
            "--stage=convert"
        )
    path = epath.Path(folder) / MANIFEST
    try:
        manifest = json.loads(path.read_text())
        _check(manifest)
        return manifest
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{path}: damaged ({error}); delete the folder and convert again"
        ) from error


def _check(manifest: Any) -> None:
    """Refuse what no save has written."""
    parts = {"the manifest": manifest}
    if isinstance(manifest, dict):
        parts |= {name: manifest.get(name, {}) for name in ("sources", "fingerprint")}
    if isinstance(parts.get("sources"), dict):
        parts |= {f"the source {k!r}": v for k, v in parts["sources"].items()}
    for name, part in parts.items():
        if not isinstance(part, dict):
            raise ValueError(f"got {part!r:.50} as {name}, expected an object")


def rewrite_manifest(
    folder: epath.PathLike, manifest: dict[str, Any]
) -> dict[str, Any]:
    """Replace the manifest of a finished save, at once; return it."""
    path = epath.Path(folder) / MANIFEST
    part = path.with_name(f".{MANIFEST}.{secrets.token_hex(8)}.part")
    part.write_text(json.dumps(manifest, indent=1) + "\n")
    part.replace(path)
    return manifest


def load(
    folder: epath.PathLike, dtype: Any = np.float32, sharding: Any = None
) -> dict[str, Any]:
    """Return the variables, folded, as the network takes them.

    Args:
        folder: of the model.
        dtype: of all leaves.
        sharding: where they shall be, any `jax.sharding.Sharding` (or a tree of them);
            NumPy arrays on the host by default. How they were saved plays no part.

    Raises:
        FileNotFoundError: nothing was saved there.
        ValueError: the arrays are not those that were saved.
    """
    variables = fold(load_unfolded(folder), dtype)
    return variables if sharding is None else jax.device_put(variables, sharding)


def load_unfolded(folder: epath.PathLike) -> dict[str, Any]:
    """Return the variables as they were saved, NumPy arrays; raises as `load` does."""
    expected = read_manifest(folder)["weights_sha256"]
    tree = orbax_arrays.read(epath.Path(folder) / ARRAYS)
    found = weights_sha256(tree)
    if found != expected:
        raise ValueError(
            f"{folder}: got weights of sha256 {found}, expected {expected} as in "
            f"{MANIFEST}; they are damaged or mixed up, so delete the folder and "
            "convert again"
        )
    return tree


def weights_sha256(tree: Mapping[str, Any]) -> str:
    """Return the sum over the leaves, sorted by path: path, type, shape and bytes."""
    digest = hashlib.sha256()
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    named = {
        "/".join(str(part.key) for part in path): np.asarray(leaf)
        for path, leaf in leaves
    }
    for name, leaf in sorted(named.items()):
        digest.update(f"{name} {leaf.dtype} {list(leaf.shape)}\n".encode())
        digest.update(np.ascontiguousarray(leaf).data.cast("B"))
    return digest.hexdigest()
