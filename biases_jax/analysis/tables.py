"""What do the tables hold, on the page?"""

import pyarrow as pa

from biases_jax.analysis import headline, page

LINES = 5000  # of the long table: more make a page slow
HEADER = ("model", "benchmark", "metric", "value", "correct")
WIDE = (
    "One line per model: top-1 in percent, metric/bandpass as ratios of the clean"
    " accuracy, shape-bias and all other biases as fractions; – where there is no"
    " number. Those of single conditions are in long.csv."
)


def section(long: pa.Table, wide: pa.Table) -> page.Markup:
    """Return the section (HTML) of the wide table, and of the long one, folded."""
    lines = [
        [
            line["model"],
            line["benchmark"],
            line["metric"],
            headline.value(line),
            "" if line["correct"] is None else str(line["correct"]),
        ]
        for line in long.slice(0, LINES).to_pylist()
    ]
    summary = f"All {len(lines)} numbers"
    if len(lines) < len(long):
        summary = f"The first {len(lines)} of {len(long)} numbers; all are in long.csv"
    return page.section(
        "Tables",
        page.table(
            wide.column_names, [list(line.values()) for line in wide.to_pylist()], WIDE
        ),
        page.folded(summary, page.table(HEADER, lines)),
    )
