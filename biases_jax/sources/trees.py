"""Where does a published tree lie, unpacked or as an archive, and what is in it?"""

import dataclasses
import os

import numpy as np
from etils import epath
from jaxtyping import Int32

from biases_jax import labels
from biases_jax.sources import archives, declaration, folders, images, names, validation
from biases_jax.sources.files import Files, Folder
from biases_jax.sources.source import Counts, Source

_HOLDS = {
    "class_folders": folders.holds,
    "category_folders": names.holds_categories,
    "session": names.holds_session,
}
_LISTED = {
    "class_folders": folders.listed,
    "category_folders": names.listed_categories,
    "session": names.listed_session,
}


@dataclasses.dataclass(frozen=True, eq=False)
class Tree:
    """Random access to a tree's images, sorted by example id.

    `names` are what ids are made of, `locations` the paths within `files`, `expected`
    what the set must hold (None: any), `others` the files that are no images.
    """

    files: Files
    names: tuple[str, ...]
    locations: tuple[str, ...]
    labels: dict[str, Int32[np.ndarray, "n k"]]
    expected: Counts | None
    others: tuple[str, ...] = ()
    origin: str = ""  # listing a tree is quick: nothing to cache

    def read(self, index: int) -> tuple[str, bytes]:
        """Return an example's name and its file, as it lies there."""
        return self.names[index], self.files.read(self.locations[index])


def open_tree(source: Source, files: Files) -> Tree:
    """List a tree.

    Labels come from the names of folders or files, never from their order. Hidden
    files and `dataset.json` are ignored; other files that are no images are ignored
    with a warning (a set that they leave incomplete is refused by its counts).

    Raises:
        ValueError: the folders, the files' names or `dataset.json` are not as expected.
    """
    flat = source.numbered and validation.holds(files)
    found = validation.listed(files) if flat else _LISTED[source.layout](files)
    others = images.warn_of_others(files.where, [location for location, _ in found])
    found = [pair for pair in found if images.is_image(pair[0])]
    named = [source.example_name(values[0], location) for location, values in found]
    order = np.argsort(labels.packed_ids(labels.example_ids(named)), kind="stable")
    width = len(found[0][1]) if found else 1
    values = np.array([values for _, values in found], np.int32).reshape(-1, width)
    return Tree(
        files=files,
        names=tuple(named[i] for i in order),
        locations=tuple(found[i][0] for i in order),
        labels={source.space: values[order]},
        expected=declaration.counts(source, files) or source.expected,
        others=others,
    )


def find_tree(source: Source, data_dir: str) -> tuple[Files | None, list[str]]:
    """Return a source's tree, and what was tried in vain.

    Args:
        source: whose `folders` and `archives` are tried in their order, each folder
            also as an archive beside it.
        data_dir: root of all image sets; '' for none.

    Raises:
        ValueError: an archive or a declaration is not to be trusted.
    """
    tried: list[str] = []
    for folder in source.folders if data_dir else ():
        root = epath.Path(data_dir) / folder if folder else epath.Path(data_dir)
        problem = _why_not(source, Folder(root)) if root.is_dir() else "no such folder"
        if not problem:
            return Folder(root), tried
        tried.append(f"{root} ({problem})")
        if folder and (tree := _in_archive(source, f"{root}.tar", "", tried)):
            return tree, tried
    for archive, inside in source.archives if data_dir else ():
        path = str(epath.Path(data_dir) / archive)
        if tree := _in_archive(source, path, inside, tried):
            return tree, tried
    return None, tried


def _in_archive(
    source: Source, path: str, inside: str, tried: list[str]
) -> Files | None:
    if not os.path.isfile(path):
        for compressed in (f"{path}.gz", f"{path[:-4]}.tgz"):
            if os.path.isfile(compressed):
                tried.append(
                    f"{compressed} (compressed: gunzip it to read it in place)"
                )
        return None
    found = archives.TarFolder(path).below(inside)
    problems = [(tree, _why_not(source, tree)) for tree in found]
    usable = [tree for tree, problem in problems if not problem]
    # A class folder of numbered images is a tree as well, but not the whole one.
    usable.sort(key=lambda tree: len(tree.where))
    below = f"{usable[0].where}/" if usable else ""
    usable = [tree for tree in usable if not tree.where.startswith(below)]
    if len(usable) == 1:
        return usable[0]
    places = ", ".join(tree.where for tree in usable[:5])
    tried.append(f"{path} ({f'several trees: {places}' if usable else 'holds none'})")
    return None


def _why_not(source: Source, files: Files) -> str:
    declared = declaration.read(files).get("source", source.name)
    if declared != source.name:
        return f"its {declaration.FILE} says source {declared!r}"
    if _HOLDS[source.layout](files) or (source.numbered and validation.holds(files)):
        return ""
    kinds = {"class_folders": "class", "category_folders": "category"}
    return f"holds no {kinds.get(source.layout, names.SESSION)} folder"
