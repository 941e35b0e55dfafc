"""What did the run find, on one page that can be read anywhere?"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from biases_jax.analysis import (
    cautions,
    expected,
    headline,
    humans,
    humans_section,
    page,
    parity,
    provenance,
    tables,
    weights,
)
from biases_jax.analysis.drawings.drawing import Drawing, Group
from biases_jax.analysis.figures import svg
from biases_jax.rows import Problem

TITLE = "Biases and generalisation of ImageNet classifiers"
STIMULI = (
    "What the networks see, rounded to 8 bits: the first image of each set and"
    " condition, or one image in every condition, with the noise that it has in this"
    " run. The files are figures/gallery_<family>.png; --image=PATH shows another one."
)
PROVENANCE = {
    "Weights": ["model", "weights_sha256"],
    "Images": [
        "source",
        "n_expected",
        "source_sha256",
        "labels",
        "drawn",
        "preprocessing",
    ],
    "Benchmarks": ["benchmark", "revision", "benchmark_repr"],
    "Software and devices": ["run_id", *provenance.RUN, "libraries"],
    "Cells and their cost": [
        "model",
        "benchmark",
        "state",
        "n_seen",
        "precision",
        "seed",
        *provenance.COST,
        "fingerprint",
    ],
}


@dataclasses.dataclass(frozen=True)
class Report:
    """All that the page shows.

    `groups` are of figures; `beside` what models and people did on the same images;
    `pictures` (caption, PNG bytes); `corrupt`
    (source, file, reason); `checkpoints` manifests of the measured weights; `links`
    file names relative to the page; `compared` records of the stage parity, and
    `deviations` their drawings.
    """

    long: pa.Table
    wide: pa.Table
    provenance: pa.Table
    problems: Sequence[Problem]
    groups: Sequence[Group] = ()
    beside: Sequence[humans.Beside] = ()
    pictures: Sequence[tuple[str, bytes]] = ()
    corrupt: Sequence[tuple[str, str, str]] = ()
    checkpoints: Sequence[Mapping[str, Any]] = ()
    compared: Sequence[parity.Record] = ()
    deviations: Sequence[Drawing] = ()
    links: Sequence[str] = ()


def write(report: Report) -> str:
    """Return the page: HTML that needs no network, in one file."""
    lines = report.long.to_pylist()
    models = set(report.wide["model"].to_pylist())
    complete = report.provenance["state"].to_pylist().count("complete")
    counts = f"{len(models)} model(s), {complete} complete cell(s)"
    failures = len([p for p in report.problems if p.state != "conflict"])
    if failures:
        counts += f", {failures} cell(s) not published (see below)"
    return page.document(
        TITLE,
        [
            f"<h1>{page.escape(TITLE)}</h1>",
            page.paragraph(counts + "."),
            *(page.paragraph(t, "warning") for t in weights.doubts(report.checkpoints)),
            *(page.paragraph(t, "warning") for t in cautions.texts(report.provenance)),
            expected.summary(lines),
            page.section("Headline numbers", headline.table(report.long)),
            _problems(report),
            _figures(report),
            humans_section.section(report.beside, report.long),
            _pictures(report),
            tables.section(report.long, report.wide),
            expected.section(lines),
            parity.section(report.compared, report.deviations),
            weights.section(report.checkpoints),
            _provenance(report.provenance),
            _links(report.links),
        ],
    )


def _problems(report: Report) -> str:
    parts = []
    if report.problems:
        parts.append(
            page.table(
                ["model", "benchmark", "state", "examples", "reason"],
                [
                    [
                        p.model,
                        p.benchmark,
                        p.state,
                        f"{p.n_seen} of {p.n_expected}",
                        p.reason,
                    ]
                    for p in report.problems
                ],
            )
        )
    if report.corrupt:
        parts.append(
            page.table(
                ["source", "file", "reason"], report.corrupt, "Unreadable images"
            )
        )
    return page.section("Not published", *parts) if parts else ""


def _figures(report: Report) -> str:
    parts = []
    for heading, text, drawings in report.groups:
        parts += [page.heading(heading), page.paragraph(text)]
        for name, caption, drawing in drawings:
            element = svg.inline(drawing, name, page.escape(caption))
            parts.append(page.figure(element, caption))
    return page.section("Figures", *parts) if parts else ""


def _pictures(report: Report) -> str:
    if not report.pictures:
        return ""
    parts = [page.picture(png, caption) for caption, png in report.pictures]
    return page.section("Stimuli", page.paragraph(STIMULI), *parts)


def _provenance(table: pa.Table) -> str:
    tables = [
        page.folded(summary, page.table(columns, _distinct(table, columns)))
        for summary, columns in PROVENANCE.items()
    ]
    return page.section(
        "Provenance",
        page.paragraph("One line per cell with all of this is in provenance.csv."),
        *tables,
    )


def _distinct(table: pa.Table, columns: Sequence[str]) -> list[tuple]:
    lines = (tuple(line.values()) for line in table.select(columns).to_pylist())
    # Cells that are not published have no provenance.
    return [line for line in dict.fromkeys(lines) if line[0]]


def _links(links: Sequence[str]) -> str:
    items = [
        f'<li><a href="{page.escape(link)}">{page.escape(link)}</a></li>'
        for link in links
    ]
    return page.section("Files", "<ul>", *items, "</ul>") if items else ""
