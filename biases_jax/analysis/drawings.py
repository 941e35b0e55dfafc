"""Which figures does a long table call for?"""

import math
import pathlib
import re
from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from biases_jax.analysis import figures, table
from biases_jax.benchmarks import spectral
from biases_jax.types import Value

CONDITION = re.compile(r"spectral/(low|high)_pass/(.+)")


def draw(long: pa.Table) -> list[tuple[str, str, str]]:
    """Return (name, caption, SVG) of every figure that the table has numbers for."""
    lines = long.to_pylist()
    drawn = []
    if any(CONDITION.fullmatch(line["benchmark"]) for line in lines):
        curves = {kind: _curves(lines, kind) for kind in ("low", "high")}
        figure = figures.band_pass(curves["low"], curves["high"])
        caption = (
            "Top-1 accuracy on low- and high-pass filtered images, as a ratio of the"
            " clean accuracy. Bands: 95 % Wilson intervals of the filtered accuracy."
        ) + _absent(lines, {c.model for c in (*curves["low"], *curves["high"])})
        drawn.append(("band_pass", caption, figures.svg(figure)))
    clean = _clean(lines)
    if clean:
        bars = sorted(clean.items(), key=lambda item: (-item[1].value, item[0]))
        figure = figures.bars(bars, "top-1 accuracy on ImageNet (%)")
        caption = "Top-1 accuracy on clean images. Bars: 95 % Wilson intervals."
        drawn.append(("top1", caption, figures.svg(figure)))
    return drawn


def save(svg: str, path: pathlib.Path) -> None:
    """Write a drawing as a file of its own, in black ink."""
    path.write_text(svg.replace(figures.INK, "#000000"), encoding="utf-8")


def _clean(lines: Sequence[Mapping]) -> dict[str, Value]:
    return {
        line["model"]: table.value_of(line)
        for line in lines
        if (line["benchmark"], line["metric"]) == (spectral.CLEAN, "top1")
        and not math.isnan(line["value"])
    }


def _absent(lines: Sequence[Mapping], drawn: Collection[str]) -> str:
    """Return which models have no curve, and why, to be added to a caption."""
    reasons = {
        line["model"]: line["reason"]
        for line in lines
        if CONDITION.fullmatch(line["benchmark"]) and line["reason"]
    }
    absent = [f"{m} ({why})" for m, why in sorted(reasons.items()) if m not in drawn]
    return f" Not drawn: {', '.join(absent)}." if absent else ""


def _curves(lines: Sequence[Mapping], kind: str) -> list[figures.Curve]:
    clean = _clean(lines)
    points: dict[str, dict[float, Value]] = {}
    for line in lines:
        match = CONDITION.fullmatch(line["benchmark"])
        model = line["model"]
        known = match and line["metric"] == "top1" and clean.get(model)
        if known and match[1] == kind and clean[model].value > 0:
            value = _ratio(line, clean[model].value)
            points.setdefault(model, {})[float(match[2])] = value
    return [
        figures.Curve(model, sorted(found), [found[x] for x in sorted(found)])
        for model, found in points.items()
    ]


def _ratio(line: Mapping, clean: float) -> Value:
    return Value(
        line["value"] / clean, line["low"] / clean, line["high"] / clean, line["n"]
    )
