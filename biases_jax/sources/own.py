"""How is an image set of one's own read, which the catalogue does not list?

It lies in a folder of the data root, named as the published ones of sixteen categories
are: `<category>/<image>`, or `<shape>/<shape>1-<texture>2.png` where cues are in
conflict. It may be of any size, unless a `dataset.json` in it says which; without one
it has all sixteen categories, or shapes where cues are in conflict.
"""

import re
from collections.abc import Mapping

from biases_jax.sources.source import Source

LAYOUTS = {  # by how such sources' names begin; a folder's name follows
    "own/": "plain_category_folders",
    "own_cue_conflict/": "category_folders",
}
FOLDER = r"[\w-][\w.-]*"  # of the data root: no path, no hidden folder, no pattern
_NAME = re.compile(rf"({'|'.join(LAYOUTS)})({FOLDER})")


def is_own(name: str) -> bool:
    """Return whether a source of this name is a set of one's own."""
    return name.startswith(tuple(LAYOUTS))


class Catalogue(dict[str, Source]):
    """Sources by name; sets of one's own are found by name, but are not listed."""

    def __init__(self, listed: Mapping[str, Source], preprocessing: str):
        """Hold what is `listed`; others have the policy `preprocessing`."""
        super().__init__(listed)
        self._preprocessing = preprocessing

    def __missing__(self, name: str) -> Source:
        match = _NAME.fullmatch(name)
        if not match:
            raise KeyError(name)
        return Source(
            name=name,
            folders=(match[2],),
            # Images of different categories may have one name.
            id_from="class_and_base_name",
            preprocessing=self._preprocessing,
            expected=None,
            layout=LAYOUTS[match[1]],
        )
