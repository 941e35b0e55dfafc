"""May the cells of one model be combined into one number?"""

from collections.abc import Sequence

from biases_jax.rows import Row

ONE_PER_MODEL = ("weights_sha256", "precision", "seed")  # or cells cannot be combined
ONE_PER_SOURCE = ("preprocessing",)
ONE_PER_LABELS = ("source_sha256",)  # a hash of the ids and of one label space
FIRST = "imagenet"  # the label space of cells that name none: there was no other


def reason(rows: Sequence[Row]) -> str:
    """Return why cells of one model must not be combined, '' if they may.

    All must be of the same weights and numerics, and those of one source of the same
    examples and labels.
    """
    values: dict[str, set[str]] = {}
    for row in rows:
        source = row.provenance.get("source")
        space = row.provenance.get("label_space", FIRST)
        names = {field: field for field in ONE_PER_MODEL}
        names |= {f"{field} of {source}": field for field in ONE_PER_SOURCE}
        names |= {f"{field} of {source} ({space})": field for field in ONE_PER_LABELS}
        for name, field in names.items():
            found = str(row.provenance.get(field, ""))
            values.setdefault(name, set()).add(found)
    for field, found in values.items():
        if len(found) > 1:
            return (
                f"cells of mixed {field}: {', '.join(sorted(found))}; measure all "
                "with one, in a folder of their own"
            )
    return ""
