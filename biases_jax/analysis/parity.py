"""How far are frameworks or machines apart, as a section of the report?"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from biases_jax.analysis import figures, page
from biases_jax.parity import gates, runs, saved

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
Record = Mapping[str, Any]  # as `saved.read` returns it


def read(folders: Iterable[str | os.PathLike]) -> list[dict[str, Any]]:
    """Return what `--stage=parity` left in any of the folders, by the model's name.

    Raises:
        ValueError: a file is damaged.
    """
    found = [record for folder in folders for record in saved.read(folder)]
    return sorted(found, key=lambda record: record["model"])


def draw(records: Sequence[Record]) -> list[tuple[str, str, str]]:
    """Return (name, caption, SVG) of a figure for each precision that was compared."""
    drawn = []
    for precision in runs.PRECISIONS:
        lines = {}
        for record in records:
            for row in _judged(record, precision):
                lines.setdefault(record["model"], _relative(row))
        if lines:
            bounds = {name: gates.bound(name, precision) for name in runs.NAMES}
            label = "relative L2 difference"
            svg = figures.svg(figures.deviations(lines, bounds, label))
            caption = (
                f"{precision} against the most exact reference, stage by stage. Dashed:"
                " how far rounding alone may move a stage."
            )
            drawn.append((f"parity_{precision}", caption, svg))
    return drawn


def section(records: Sequence[Record], drawings: Sequence[tuple[str, str, str]]) -> str:
    """Return the section (HTML), '' where nothing was compared."""
    if not records:
        return ""
    lines = [line for record in records for line in _lines(record)]
    pictures = [
        page.figure(figures.inline(svg, name, page.escape(caption)), caption)
        for name, caption, svg in drawings
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
        yield [record["model"], *[""] * 6, record["verdict"]]
    for row in record["rows"]:
        compared = row["comparison"]
        logits = compared["stages"]["logits"]
        gradient = compared["stages"][runs.GRADIENT]
        numbers = (logits["over_spread"], logits["relative"], gradient["relative"])
        yield [
            record["model"],
            compared["a"],
            compared["b"],
            *(page.Markup(f"{number:.1e}") for number in numbers),
            page.Markup(f"{compared['agree']} of {compared['images']}"),
            _verdict(row),
        ]


def _verdict(row: Mapping[str, Any]) -> str:
    if row["yardstick"]:
        return "yardstick"
    if row["failures"]:
        return f"{row['cause']} ({'; '.join(row['failures'])})"
    return "agrees"


def _sides(records: Sequence[Record]) -> str:
    """Return a table of versions, devices and images, each set of models once."""
    found: dict[tuple[str, ...], list[str]] = {}
    for record in records:
        about = record["about"]
        sides = {"here": about["here"], **about["reference"]}
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


def _relative(comparison: Mapping[str, Any]) -> dict[str, float]:
    stages = comparison["stages"]
    return {name: stages[name]["relative"] for name in stages}
