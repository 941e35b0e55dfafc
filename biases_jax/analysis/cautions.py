"""What must a reader know of the images before any number?"""

import pyarrow as pa

from biases_jax.sources import validation
from biases_jax.sources.model_vs_human import CUE_CONFLICT, PREFIX, SETS


def texts(provenance: pa.Table) -> list[str]:
    """Return sentences for the page, given the table of the cells' provenance."""
    return [*_unproved(provenance), *_drawn(provenance)]


def unseen(provenance: pa.Table) -> frozenset[str]:
    """Return the sources under the names of sets that people saw, with other images.

    Such are drawn, or of another number than the published.
    """
    published = {f"{PREFIX}{name}": row.examples for name, row in SETS.items()}
    published["cue_conflict"] = published.pop(f"{PREFIX}{CUE_CONFLICT}")
    return frozenset(
        line["source"]
        for line in provenance.select(["source", "drawn", "n_expected"]).to_pylist()
        if line["source"] in published
        and (line["drawn"] == "True" or line["n_expected"] != published[line["source"]])
    )


def _unproved(table: pa.Table) -> list[str]:
    """Return which sources have other labels than those published with their names."""
    lines = table.select(["source", "labels"]).to_pylist()
    own = {line["source"] for line in lines if line["labels"] == validation.OTHER}
    return [
        f"{source}: its labels are other than those published with its images' names, "
        "as it declares a set of its own."
        for source in sorted(own)
    ]


def _drawn(table: pa.Table) -> list[str]:
    """Return that images are no photographs, where some are not."""
    if "True" not in table["drawn"].to_pylist():
        return []
    return [
        "The images are drawn, small versions of the published sets; no number here is "
        "one of ImageNet's. The provenance says which sets are."
    ]
