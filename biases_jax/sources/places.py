"""Where does a published tree lie, unpacked or as an archive?"""

import functools
import os
from collections.abc import Callable

from etils import epath

from biases_jax.sources import archives, declaration, folders, names, validation
from biases_jax.sources.files import Files, Folder
from biases_jax.sources.source import Source

_HOLDS = {
    "class_folders": folders.holds,
    "category_folders": names.holds_categories,
    "plain_category_folders": names.holds_categories,
    "session": names.holds_session,
}
_COMPRESSED = {  # how such an archive's name ends, and what makes a plain one of it
    (".tar.gz", ".tgz"): "gunzip",
    (".tar.bz2", ".tbz2", ".tbz"): "bunzip2",
    (".tar.xz", ".txz"): "unxz",
}
# By what an archive's folder tells which of three equally large sets it holds.
_SECOND_VERSIONS = ("matched_frequency", "threshold_0.7", "top_images")


def find_tree(source: Source, data_dir: str) -> tuple[Files | None, list[str]]:
    """Return a source's tree, and what was tried in vain.

    Args:
        source: whose `folders` and `archives` are tried in their order, each folder
            also as an archive beside it; in whatever letters, small or large.
        data_dir: root of all image sets; '' for none.

    Raises:
        ValueError: an archive or a declaration is not to be trusted.
    """
    tried: list[str] = []
    # Each folder is listed once: the data root may hold many files.
    spelled = functools.partial(_spelled, data_dir, functools.cache(_written))
    for folder in source.folders if data_dir else ():
        root = spelled(folder)
        tree = Folder(root, within=data_dir)
        problem = _why_not(source, tree) if root.is_dir() else "no such folder"
        if not problem:
            return tree, tried
        tried.append(f"{root} ({problem})")
        beside = folder and spelled(f"{folder}.tar")
        if beside and (tree := _in_archive(source, beside, "", tried)):
            return tree, tried
    for archive, inside in source.archives if data_dir else ():
        if tree := _in_archive(source, spelled(archive), inside, tried):
            return tree, tried
    return None, tried


def _spelled(
    data_dir: str, written: Callable[[str], dict[str, str]], place: str
) -> epath.Path:
    """Return a place below the data root as it is written there (ImageNet-A)."""
    path = epath.Path(data_dir)
    if "://" in data_dir or (path / place).exists():
        return path / place
    for name in filter(None, place.split("/")):
        there = written(os.fspath(path))
        if not (path / name).exists():
            name = there.get(name.lower(), name)
        path = path / name
    return path


def _written(folder: str) -> dict[str, str]:
    """Return the names in a folder by their small letters; none where it is closed."""
    if not os.path.isdir(folder) or not os.access(folder, os.R_OK):
        return {}
    return {name.lower(): name for name in sorted(os.listdir(folder), reverse=True)}


def _in_archive(
    source: Source, place: epath.Path, inside: str, tried: list[str]
) -> Files | None:
    path = os.fspath(place)
    if not os.path.isfile(path):
        tried += _compressed(path)
        return None
    found = archives.TarFolder(path).below(inside)
    problems = [(tree, _why_not(source, tree)) for tree in found]
    usable = _outermost([tree for tree, problem in problems if not problem])
    own = [tree for tree in usable if not _variant(source, tree)]
    chosen = own if len(own) < 2 else _named(source, own)
    if len(chosen) == 1:
        return chosen[0]
    places = ", ".join(tree.where for tree in usable[:5])
    problem = f"several trees: {places}" if own else "holds none"
    if usable and not own:
        problem = f"holds {_variant(source, usable[0])}: {places}"
    tried.append(f"{path} ({problem})")
    return None


def _compressed(path: str) -> list[str]:
    """Return what is tried in vain since it is compressed."""
    stem = path.removesuffix(".tar")
    return [
        f"{stem}{ending} (compressed: {tool} it to read it in place)"
        for endings, tool in _COMPRESSED.items()
        for ending in endings
        if os.path.isfile(f"{stem}{ending}")
    ]


def _outermost(found: list[Files]) -> list[Files]:
    """Return the trees that lie in no other.

    A class folder of numbered images is a tree as well, but not the whole one.
    """
    kept: list[Files] = []
    for tree in sorted(found, key=lambda tree: len(tree.where)):
        if not any(tree.where.startswith(f"{outer.where}/") for outer in kept):
            kept.append(tree)
    return kept


def _named(source: Source, found: list[Files]) -> list[Files]:
    """Return of several trees those whose folder is called as the source's is."""
    for folder in filter(None, source.folders):
        named = [tree for tree in found if tree.where.endswith(f"/{folder}")]
        if named:
            return named
    return found


def _variant(source: Source, tree: Files) -> str:
    """Return which other version of a set an archive's folder names, '' if none."""
    family, _, own = source.name.partition("/")
    # Published names have hyphens, dots or neither.
    inside = "".join(filter(str.isalnum, tree.where.rpartition(".tar")[2]))
    for other in _SECOND_VERSIONS if family == "imagenet_v2" else ():
        if other != own and "".join(filter(str.isalnum, other)) in inside:
            return f"{family}/{other}"
    return ""


def _why_not(source: Source, files: Files) -> str:
    declared = declaration.read(files).get("source", source.name)
    if declared != source.name:
        return f"its {declaration.FILE} says source {declared!r}"
    if _HOLDS[source.layout](files) or (source.numbered and validation.holds(files)):
        return ""
    kinds = {"class_folders": "class", "session": names.SESSION}
    return f"holds no {kinds.get(source.layout, 'category')} folder"
