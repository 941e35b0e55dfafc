"""Which examples does a published tree hold, unpacked or as an archive?"""

import dataclasses

import numpy as np
from jaxtyping import Int32

from biases_jax import labels
from biases_jax.sources import declaration, folders, images, names, validation
from biases_jax.sources.files import Files
from biases_jax.sources.source import Counts, Source

_LISTED = {
    "class_folders": folders.listed,
    "category_folders": names.listed_categories,
    "plain_category_folders": names.listed_plain_categories,
}


@dataclasses.dataclass(frozen=True, eq=False)
class Tree:
    """Random access to a tree's images, sorted by example id.

    `names` are what ids are made of, `locations` the paths within `files`, `expected`
    what the set must hold (None: any), `others` the files that are no images, `inner`
    the folders among the images, `loose` images beside the folders that hold the
    others: none of these are examples. `wrong` says why the tree must not be measured,
    '' if it may.
    """

    files: Files
    names: tuple[str, ...]
    locations: tuple[str, ...]
    labels: dict[str, Int32[np.ndarray, "n k"]]
    expected: Counts | None
    others: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    wrong: str = ""
    origin: str = ""  # listing a tree is quick: nothing to cache

    def read(self, index: int) -> tuple[str, bytes]:
        """Return an example's name and its file, as it lies there."""
        return self.names[index], self.files.read(self.locations[index])


def open_tree(source: Source, files: Files) -> Tree:
    """List a tree.

    Labels come from the names of folders or files, never from their order. Hidden
    files and `dataset.json` are ignored; other files that are no images, folders among
    the images, and images beside the class folders, are ignored with a warning (a set
    that they leave incomplete is refused by its counts). Of a tree that is not as
    expected, what can be listed is, and `wrong` says the rest.

    Raises:
        ValueError: `dataset.json` is not as expected.
    """
    flat = source.numbered and validation.holds(files)
    found, wrong = validation.listed(files) if flat else _listed(source, files)
    others, inner = images.warn_of_others(files, [location for location, _ in found])
    loose = () if flat else images.warn_of_loose(files)
    found = [pair for pair in found if images.is_image(pair[0])]
    found, unnamed = _as_text(found)
    named = [source.example_name(values[0], location) for location, values in found]
    order = np.argsort(labels.packed_ids(labels.example_ids(named)), kind="stable")
    values = np.array([values for _, values in found], np.int32)
    values = values.reshape(len(found), max(source.spaces.values()))[order]
    return Tree(
        files=files,
        names=tuple(named[i] for i in order),
        locations=tuple(found[i][0] for i in order),
        labels={space: values[:, :k] for space, k in source.spaces.items()},
        expected=_expected(source, files),
        others=others,
        inner=inner,
        loose=loose,
        wrong="; ".join(filter(None, (wrong, unnamed))),
    )


def _listed(source: Source, files: Files) -> folders.Found:
    if source.layout == "session":
        return names.listed_session(files, source.conditions)
    return _LISTED[source.layout](files)


def _as_text(found: folders.Examples) -> folders.Found:
    """Return the files whose names are text, and what is wrong with the others."""
    try:
        labels.example_ids([location for location, _ in found])
    except ValueError as error:
        known = [pair for pair in found if images.shown(pair[0]) == pair[0]]
        return folders.Found(known, str(error))
    return folders.Found(found)


def _expected(source: Source, files: Files) -> Counts | None:
    """Return the declared counts, the published ones where those are no others."""
    declared = declaration.counts(source, files)
    return declared if declared and source.declares(declared) else source.expected
