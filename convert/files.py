"""Which files hold a model's weights?"""

import os
import pathlib
from collections.abc import Sequence

from biases_jax.models import spec
from biases_jax.models.layouts import LAYOUTS
from convert import fetch

# Of files that a user names after the model. No wildcard: 'eps0.*' is also eps0.5.
ENDINGS = (".safetensors", ".pth", ".pth.tar", ".pt", ".ckpt", ".bin", ".tar")


def parts(row: spec.ModelSpec) -> dict[str, tuple[spec.Published, ...]]:
    """Return the published files by role: backbone and, where apart, head."""
    apart = row.layout is not None and row.layout.head is not None
    return {"backbone": row.backbone} | ({"head": row.head} if apart else {})


def rules(layout: spec.Layout, part: str) -> spec.Rules:
    """Return by which rules the file of this role is read."""
    return layout.head if part == "head" else layout.backbone


def folder(weights_dir: str) -> pathlib.Path:
    """Return the folder of published files; the user's cache if none is given."""
    if weights_dir:
        return pathlib.Path(weights_dir).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return pathlib.Path(cache).expanduser() / "biases_jax" / "weights"


def absolute(path: str | pathlib.Path) -> str:
    """Return a path as manifests have it."""
    return str(pathlib.Path(path).expanduser().absolute())


def find(
    row: spec.ModelSpec, path: str | None, weights_dir: str
) -> dict[str, pathlib.Path]:
    """Return the model's files by role.

    Args:
        row: of the model.
        path: of its only file, or of the folder with its `backbone.*` and `head.*`;
            None to look in `weights_dir`.
        weights_dir: looked through for the published names, then `<model>.*`, then
            `<model>/backbone.*` and `<model>/head.*`.

    Raises:
        FileNotFoundError: a file is in none of these places; lists them.
        ValueError: two files could be meant, or `path` is a file for a model of two.
    """
    if path is None:
        return {part: find_part(row, part, weights_dir) for part in parts(row)}
    place = pathlib.Path(path).expanduser()
    if len(parts(row)) == 1:
        if place.is_dir():
            raise ValueError(
                f"got the folder {path}, expected a file; name the layout of backbone.*"
                " and head.* in it: name=dino_two_files:folder (or swav_two_files)"
            )
        if not place.is_file():
            raise FileNotFoundError(f"got {path}, which is no file{_layouts(path)}")
        return {"backbone": place}
    if not place.is_dir():
        raise ValueError(
            f"got the path {path} for {row.name}, whose layout has two files; give a "
            "folder with backbone.* and head.*, or for a published model put them into "
            f"--weights_dir as {row.name}/backbone.* and {row.name}/head.*"
        )
    return {part: _part(row, part, path, weights_dir) for part in parts(row)}


def any_there(row: spec.ModelSpec, path: str | None, weights_dir: str) -> bool:
    """Return whether a file of the model is where `find` looks for it."""
    if path is not None and len(parts(row)) == 1:
        return pathlib.Path(path).expanduser().exists()
    for part in parts(row):
        try:
            _part(row, part, path, weights_dir)
        except FileNotFoundError:
            continue
        return True
    return False


def fetch_missing(
    row: spec.ModelSpec, weights_dir: str, offline: bool
) -> dict[str, pathlib.Path]:
    """Return the files of a model of the zoo, downloading those that are not there.

    Raises:
        OSError: one is not there and cannot be downloaded; says why, and how to get it.
    """
    found = {}
    for part, published in parts(row).items():
        try:
            found[part] = find_part(row, part, weights_dir)
        except FileNotFoundError as absent:
            if not published:
                raise
            try:
                found[part] = fetch.fetch(
                    published, folder(weights_dir), offline=offline
                )
            except fetch.FetchError as error:
                raise fetch.FetchError(f"{absent}. {error}") from error
    return found


def find_part(row: spec.ModelSpec, part: str, weights_dir: str) -> pathlib.Path:
    """Return a published model's file of one role; raises as `find` does."""
    place = folder(weights_dir)
    stems = [place / row.name / part]
    if len(parts(row)) == 1:
        stems.insert(0, place / row.name)
    return _choose(row, part, [place / f.file for f in parts(row)[part]], stems)


def _part(
    row: spec.ModelSpec, part: str, path: str | None, weights_dir: str
) -> pathlib.Path:
    """The file of a role, in the folder at `path` if it is given."""
    if path is None:
        return find_part(row, part, weights_dir)
    return _choose(row, part, [], [pathlib.Path(path).expanduser() / part])


def _layouts(path: str) -> str:
    """What a path with a colon may have been meant as."""
    if ":" not in path:
        return ""
    return f"; if {path.split(':')[0]!r} is a layout, known are {', '.join(LAYOUTS)}"


def _choose(
    row: spec.ModelSpec,
    part: str,
    published: Sequence[pathlib.Path],
    stems: Sequence[pathlib.Path],
) -> pathlib.Path:
    """The first of the published files, or else the only one that begins so."""
    # Published files are the same in all forms: take the first. Others may differ.
    choices = [[file for file in published if file.is_file()][:1]]
    for stem in stems:
        files = [stem.with_name(stem.name + ending) for ending in ENDINGS]
        choices.append([file for file in files if file.is_file()])
    for choice in choices:
        if len(choice) > 1:
            raise ValueError(
                f"got {' and '.join(map(str, choice))} for {row.name}, expected one; "
                "remove or rename the others"
            )
        if choice:
            return choice[0]
    places = [str(file) for file in published] + [f"{stem}.*" for stem in stems]
    raise FileNotFoundError(
        f"{row.name} ({part}): got none of {', '.join(places)} (endings: "
        f"{' '.join(ENDINGS)}); put the file there, or give its folder as weights_dir"
    )
