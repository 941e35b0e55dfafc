"""How far are frameworks or machines apart, as a section of the report?"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from biases_jax.analysis import page
from biases_jax.analysis.drawings.drawing import Drawing
from biases_jax.analysis.figures import curves, svg
from biases_jax.models import origin
from biases_jax.parity import comparison, gates, runs, saved
from biases_jax.rows import Row

HEADER = (
    "model",
    "run",
    "against",
    "logits, largest / spread",
    "logits, relative",
    "gradient, relative",
    "top-1 agreement",
    "verdict",
)
CAPTION = (
    "Largest difference of the logits over their standard deviation; relative L2"
    " differences of the logits and of the input gradient; images decided alike. A"
    " yardstick compares the reference with itself in two precisions: what rounding"
    " does."
)
EARLIER = "of earlier weights: run --stage=parity again"
Record = Mapping[str, Any]  # as `saved.read` returns it


def read(folders: Iterable[str | os.PathLike]) -> list[dict[str, Any]]:
    """Return what `--stage=parity` left in any of the folders, by the model's name."""
    found = [record for folder in folders for record in saved.read(folder)]
    return sorted(found, key=lambda record: record["model"])


def weights(
    rows: Iterable[Row], manifests: Iterable[Mapping[str, Any]]
) -> dict[str, str]:
    """Return the sums of the models' weights: of the manifests, else of the rows."""
    found = {row.model: row.provenance.get("weights_sha256") for row in rows}
    found |= {m["model"]: origin.identity(m) for m in manifests}
    return {model: digest for model, digest in found.items() if digest}


def of_weights(
    records: Iterable[Record], known: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the records; those of other weights than are known now say so instead.

    Args:
        records: of `read`.
        known: the sum of the weights by model, as `weights` gives them.
    """
    marked = []
    for record in records:
        compared = record["weights_sha256"]
        if compared and known.get(record["model"], compared) != compared:
            record = {**record, "rows": [], "verdict": EARLIER, "agrees": False}
        marked.append(dict(record))
    return marked


def draw(records: Sequence[Record]) -> list[Drawing]:
    """Return a figure for each precision that was compared."""
    drawn = []
    for precision in runs.PRECISIONS:
        lines = {}
        for record in records:
            for row in _judged(record, precision):
                lines.setdefault(record["model"], _relative(row))
        if lines:
            bounds = {name: gates.bound(name, precision) for name in runs.NAMES}
            label = "relative L2 difference"
            figure = curves.deviations(lines, bounds, label)
            caption = (
                f"{precision} against the most exact reference, stage by stage. Dashed:"
                " how far rounding alone may move a stage."
            )
            name = f"parity_{precision}"
            drawn.append(Drawing(name, caption, svg.text(figure)))
    return drawn


def section(records: Sequence[Record], drawings: Sequence[Drawing]) -> str:
    """Return the section (HTML), '' where nothing was compared."""
    if not records:
        return ""
    lines = [line for record in records for line in _lines(record)]
    pictures = [
        page.figure(svg.inline(drawing, name, page.escape(caption)), caption)
        for name, caption, drawing in drawings
    ]
    agree = sum(record["agrees"] for record in records)
    return page.section(
        "Cross-framework parity",
        page.paragraph(f"{agree} of {len(records)} model(s) agree."),
        page.table(HEADER, lines, CAPTION),
        *pictures,
        page.folded("Who was compared with whom", _sides(records)),
    )


def _lines(record: Record) -> Iterator[list]:
    if not record["rows"]:
        yield [record["model"], *[""] * 6, _told(record, record["verdict"])]
    for row in record["rows"]:
        compared = row["comparison"]
        logits = compared["stages"]["logits"]
        gradient = compared["stages"][runs.GRADIENT]
        numbers = (logits["over_spread"], logits["relative"], gradient["relative"])
        yield [
            record["model"],
            compared["a"],
            compared["b"],
            *(page.Markup(_number(number)) for number in numbers),
            page.Markup(f"{compared['agree']} of {compared['images']}"),
            _told(record, _verdict(row, record)),
        ]


def _number(number: float | None) -> str:
    return "not finite" if number is None else f"{number:.1e}"


def _told(record: Record, verdict: str) -> str:
    reader = comparison.reader(record["about"])
    return f"{verdict} ({reader})" if reader else verdict


def _verdict(row: Mapping[str, Any], record: Record) -> str:
    if row["yardstick"]:
        return "yardstick"
    if row["failures"]:
        return f"{row['cause']} ({'; '.join(row['failures'])})"
    # That it agrees only as far as a coarse reference tells is said with the verdict.
    return record["verdict"] if record["agrees"] else "agrees"


def _sides(records: Sequence[Record]) -> str:
    """Return a table of versions, devices and images, each set of models once."""
    found: dict[tuple[str, ...], list[str]] = {}
    for record in records:
        about = record["about"]
        here = {"here": about["here"]} if "here" in about else {}  # else refused
        sides = here | about.get("reference", {})
        for side, known in sides.items():
            images = record["images"]
            key = (
                side,
                f"{known['framework']} on {known.get('device', 'unknown')}",
                ", ".join(f"{n} {v}" for n, v in known.get("libraries", {}).items()),
                f"{len(images['names'])}, sha256 {images['sha256']:.12}",
                record["date"][:10],
            )
            found.setdefault(key, []).append(record["model"])
    lines = [[", ".join(models), *key] for key, models in found.items()]
    header = ("models", "side", "framework", "libraries", "images", "date")
    return page.table(header, lines)


def _judged(record: Record, precision: str) -> Iterator[Mapping[str, Any]]:
    for row in record["rows"]:
        if not row["yardstick"] and row["comparison"]["precision"] == precision:
            yield row["comparison"]


def _relative(compared: Mapping[str, Any]) -> dict[str, float]:
    stages = compared["stages"]
    # None, what was not finite, leaves a gap as 0 does.
    return {name: stages[name]["relative"] or 0.0 for name in stages}
