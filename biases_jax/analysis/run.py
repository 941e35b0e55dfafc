"""How do results become tables, figures and a report?"""

import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from etils import epath

from biases_jax import benchmarks, results
from biases_jax.analysis import (
    cautions,
    derived_lines,
    drawings,
    errors,
    files,
    humans,
    parity,
    provenance,
    report,
    table,
)
from biases_jax.analysis.figures import svg
from biases_jax.models import zoo
from biases_jax.rows import Problem, Row

PROVENANCE = "provenance.csv"


def analyse(
    journal: results.Journal,
    records: str | os.PathLike,
    out: str | os.PathLike,
    pictures: Sequence[tuple[str, bytes]] = (),
    corrupt: Sequence[tuple[str, str, str]] = (),
    checkpoints: Sequence[Mapping[str, Any]] = (),
    compared: Sequence[parity.Record] = (),
    manifests: str | os.PathLike = "",
    humans: epath.PathLike | None = None,
) -> pathlib.Path:
    """Write tables, figures and the report into `out`; return the path of the page.

    `journal` holds the results, `records` is the folder of per-example records,
    `pictures` are (caption, PNG bytes), `corrupt` (source, file, reason), `checkpoints`
    manifests of converted models and `compared` records of `parity.read`, to be shown;
    `manifests` is the folder of the sources' lists of examples, and `humans` one that
    holds the trials of people, `raw-data/<set>/*.csv`, None if there is none.
    """
    out = pathlib.Path(out)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    verdicts = journal.verdicts()
    rows = [verdict for verdict in verdicts if isinstance(verdict, Row)]
    problems = [verdict for verdict in verdicts if isinstance(verdict, Problem)]
    beside, long = _numbers(rows, records, manifests, humans)
    tables = {
        "long": long,
        "wide": table.wide(long),
        "provenance": provenance.table(verdicts),
    }
    compared = parity.of_weights(compared, parity.weights(rows, checkpoints))
    unseen = cautions.unseen(tables["provenance"])
    drawn, apart = drawings.draw(long, unseen), parity.draw(compared)
    all_drawn = [drawing for group in drawn for drawing in group.drawings] + apart
    for drawing in all_drawn:
        svg.save(drawing.svg, out / "figures" / f"{drawing.name}.svg")
    links = [*_write_tables(tables, out), *errors.write(beside, out)]
    contents = report.Report(
        **tables,
        problems=[*problems, *journal.conflicts()],
        groups=drawn,
        beside=beside,
        pictures=pictures,
        corrupt=corrupt,
        checkpoints=checkpoints,
        compared=compared,
        deviations=apart,
        links=[*links, *(f"figures/{drawing.name}.svg" for drawing in all_drawn)],
    )
    path = out / "index.html"
    path.write_text(report.write(contents), encoding="utf-8")
    return path


def summaries() -> dict[str, table.Summarize]:
    """Return every family's `summarize` by the family's name."""
    return {name: module.summarize for name, module in benchmarks.families().items()}


def _numbers(
    rows: Sequence[Row],
    records: str | os.PathLike,
    manifests: str | os.PathLike,
    people: epath.PathLike | None,
) -> tuple[list[humans.Beside], pa.Table]:
    """Return what models and people did on the same images, and the long table."""
    categories = {name: spec.category for name, spec in zoo.MODELS.items()}
    beside = humans.beside(rows, records, manifests, people)
    long = table.long(rows, summaries(), records, categories, manifests)
    return beside, derived_lines.with_values(long, humans.derived(beside), rows)


def _write_tables(tables: Mapping[str, pa.Table], out: pathlib.Path) -> list[str]:
    files.write_csv(tables["wide"], out / "wide.csv")
    files.write_csv(tables["long"], out / "long.csv")
    files.write_parquet(tables["long"], out / "long.parquet")
    files.write_csv(tables["provenance"], out / PROVENANCE)
    return ["wide.csv", "long.csv", "long.parquet", PROVENANCE]
