"""How is a published tree `<root>/<class folder>/<file>` read, with right labels?"""

import dataclasses
import json
import os
from collections.abc import Iterator, Sequence

import numpy as np
from absl import logging
from etils import epath
from jaxtyping import Int32

from biases_jax import labels
from biases_jax.sources.source import Counts, Source

DECLARATION = "dataset.json"  # at a tree's root: what a small or private set holds
SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".pgm", ".gif", ".tif", ".tiff")
)


@dataclasses.dataclass(frozen=True, eq=False)
class FolderTree:
    """Random access to a tree's images, sorted by example id.

    `names` are what ids are made of, `locations` the paths below `root`, `expected`
    what the set must hold (None: any).
    """

    root: epath.Path
    names: tuple[str, ...]
    locations: tuple[str, ...]
    labels: dict[str, Int32[np.ndarray, "n 1"]]
    expected: Counts | None
    origin: str = ""  # listing a tree is quick: nothing to cache

    def read(self, index: int) -> tuple[str, bytes]:
        """Return an example's name and its file, as it lies there."""
        return self.names[index], (self.root / self.locations[index]).read_bytes()


def open_tree(source: Source, root: epath.Path) -> FolderTree:
    """List a tree.

    Labels come from the class folders' names. Hidden files and `dataset.json` are
    ignored; other files that are no images are ignored with a warning (a set that
    they leave incomplete is refused by its counts).

    Raises:
        ValueError: the class folders or `dataset.json` are not as expected.
    """
    folders = sorted(path.name for path in _visible(root) if path.is_dir())
    index_of = labels.class_indices(folders)
    found = [
        (f"{folder}/{path.name}", index_of[folder])
        for folder in folders
        for path in _visible(root / folder)
    ]
    _warn_of_others(root, [location for location, _ in found])
    found = [(location, label) for location, label in found if _is_image(location)]
    names = [source.example_name(label, location) for location, label in found]
    order = np.argsort(labels.packed_ids(labels.example_ids(names)), kind="stable")
    classes = np.array([label for _, label in found], np.int32).reshape(-1, 1)
    return FolderTree(
        root=root,
        names=tuple(names[i] for i in order),
        locations=tuple(found[i][0] for i in order),
        labels={"imagenet": classes[order]},
        expected=_declared(source, root) or source.expected,
    )


def find_tree(source: Source, data_dir: str) -> tuple[epath.Path | None, list[str]]:
    """Return the root of a source's tree, and what was tried in vain.

    Args:
        source: whose `folders` are tried in their order.
        data_dir: root of all image folders; '' for none.
    """
    tried = []
    for folder in source.folders if data_dir else ():
        root = epath.Path(data_dir) / folder if folder else epath.Path(data_dir)
        problem = _why_not(source, root)
        if not problem:
            return root, tried
        tried.append(f"{root} ({problem})")
    return None, tried


def _why_not(source: Source, root: epath.Path) -> str:
    if not root.is_dir():
        return "no such folder"
    declared = _declaration(root).get("source", source.name)
    if declared != source.name:
        return f"its {DECLARATION} says source {declared!r}"
    for path in _visible(root):
        if labels.is_class_folder(path.name) and path.is_dir():
            return ""
    return "holds no class folder"


def _declared(source: Source, root: epath.Path) -> Counts | None:
    declaration = _declaration(root)
    if not declaration:
        return None
    wanted = {"source": str, "classes": int, "examples": int}
    if "per_class" in declaration:
        wanted["per_class"] = int
    for key, kind in wanted.items():
        if not isinstance(declaration.get(key), kind):
            raise ValueError(
                f"{root / DECLARATION}: got {key} = {declaration.get(key)!r}, expected "
                f"{kind.__name__}; write for example "
                f'{{"source": "{source.name}", "classes": 5, "examples": 24}}'
            )
    return Counts(
        declaration["classes"], declaration["examples"], declaration.get("per_class")
    )


def _declaration(root: epath.Path) -> dict:
    path = root / DECLARATION
    if not path.exists():
        return {}
    try:
        declaration = json.loads(path.read_text())
    except ValueError as error:  # no JSON, or no text at all
        raise ValueError(f"{path}: not JSON ({error}); correct or remove it") from error
    if not isinstance(declaration, dict):
        raise ValueError(f"{path}: got {declaration!r}, expected a JSON object")
    return declaration


def _visible(folder: epath.Path) -> Iterator[epath.Path]:
    return (path for path in folder.iterdir() if not path.name.startswith("."))


def _is_image(location: str) -> bool:
    return os.path.splitext(location)[1].lower() in SUFFIXES


def _warn_of_others(root: epath.Path, locations: Sequence[str]) -> None:
    others = sorted(location for location in locations if not _is_image(location))
    if others:
        logging.warning(
            "%s: ignored %d files that are no images: %s%s",
            root,
            len(others),
            ", ".join(others[:5]),
            " ..." if len(others) > 5 else "",
        )
