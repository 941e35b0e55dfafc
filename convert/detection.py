"""In which of the known layouts is a file whose layout nobody told?"""

from typing import Any

from biases_jax.models import layouts, spec
from convert import errors, mapping, state_dict

SINGLE = [layout for layout in layouts.LAYOUTS.values() if layout.head is None]


def detect(tree: Any) -> spec.Layout:
    """Return the first layout by whose rules all names are those of a ResNet-50.

    Where none fits, the layout is returned by which the fewest names are missing or
    unknown: the conversion then lists them.

    Args:
        tree: what `state_dict.read` found in a file that holds a whole network.

    Raises:
        CheckpointError: the file holds two networks, or no dict.
    """
    found = {
        layout.name: entries for layout in SINGLE if (entries := _try(tree, layout))
    }
    if not found:
        state_dict.entries(tree, spec.PLAIN)  # which says what the file holds
    strange = {name: mapping.strangers(e.values) for name, e in found.items()}
    fitting = [name for name, lists in strange.items() if not any(lists)]
    # Layouts that take the same entries differ in name only.
    taken = {
        name: {id(value) for value in found[name].values.values()} for name in fitting
    }
    different = [name for name in fitting if taken[name] != taken[fitting[0]]]
    if different:
        roots = [found[name].root for name in (fitting[0], different[0])]
        raise errors.CheckpointError(
            f"got two networks, at {roots[0]!r} and {roots[1]!r} in the file; name the "
            f"layout ({fitting[0]}, {different[0]}, ...), or give the root"
        )
    best = min(strange, key=lambda name: sum(map(len, strange[name])))
    return layouts.LAYOUTS[best]


def _try(tree: Any, layout: spec.Layout) -> state_dict.Entries | None:
    try:
        return state_dict.entries(tree, layout.backbone)
    except errors.CheckpointError:
        return None
