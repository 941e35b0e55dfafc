"""Which numbers does a reader want first, and how are they shown?"""

import math
import re
from collections.abc import Mapping, Sequence

import pyarrow as pa

from biases_jax.analysis import page

# What only the long table has: the reader wants our numbers, and those that the paper
# correlates.
VARIANTS = re.compile(r".*_(raw|paper)|residual.*")
CAPTIONS = {
    "natural": "Accuracies in percent with 95 % Wilson intervals in brackets",
    "critical_band": "Bandwidth in octaves, centre in cycles per image, and the peak"
    " sensitivity, with 95 % bootstrap intervals over the images in"
    " brackets; of thresholds relative to the noise-free accuracy; those with"
    " _paper_norm in the paper's whole steps",
    "spectral": "lpp and hpp: parts of the clean accuracy that are left of filtered"
    " images, bias: hpp / (lpp + hpp); with 95 % intervals over the images in brackets",
    "shape": "Percent of the decisions for either cue with 95 % Wilson intervals in"
    " brackets; those with _clustered of a bootstrap over the images of shapes",
    "model_vs_human": "ood_mean in percent, of the sets' conditions that count, with"
    " normal 95 % intervals in brackets; consistencies are fractions, without any",
}
INTERVALS = "Numbers with 95 % intervals in brackets"
REST = (
    "; n is the number of examples or decisions; – is a number that cannot be given,"
    " and why; * has a remark that appears under the pointer and is in long.csv."
)


def table(long: pa.Table) -> page.Markup:
    """Return the numbers of whole families and natural sources, a table per family.

    One line per model. Numbers that no model has, where some have others of the family,
    are named in the caption; natural sources are then left out without a word.
    """
    lines = [line for line in long.to_pylist() if _is_headline(line)]
    families = dict.fromkeys(["natural", *(line["family"] for line in lines)])
    tables = [
        _table(family, [line for line in lines if line["family"] == family])
        for family in families
    ]
    return page.Markup("\n".join(filter(None, tables)))


def _table(family: str, lines: Sequence[Mapping]) -> str:
    if not lines:
        return ""
    names = sorted({_name(line) for line in lines})
    there = {_name(line) for line in lines if not math.isnan(line["value"])}
    known = [name for name in names if name in there or not there]
    shown = {(line["model"], _name(line)): value(line) for line in lines}
    models = sorted({line["model"] for line in lines})
    caption = CAPTIONS.get(family, INTERVALS) + REST
    lacking = ", ".join(name for name in names if name not in known)
    if lacking and family != "natural":
        caption += f" No model has {lacking}; long.csv says why."
    return page.table(
        ["model", *known],
        [[model, *(shown.get((model, name)) for name in known)] for model in models],
        caption,
    )


def value(line: Mapping) -> page.Markup:
    """Return a number with its interval and n, or a dash; with a reason or remark."""
    shown = page.number(line["value"])
    if math.isnan(line["value"]):
        return page.Markup(
            f'<span title="{page.escape(line["reason"])}">{shown}</span>'
            f'<small class="reason">{page.escape(page.brief(line["reason"]))}</small>'
        )
    if line["reason"]:
        shown = f'<span title="{page.escape(line["reason"])}">{shown} *</span>'
    interval = ""
    if not (math.isnan(line["low"]) and math.isnan(line["high"])):
        interval = f"[{page.number(line['low'])}, {page.number(line['high'])}] "
    return page.Markup(f"{shown}<small>{interval}n = {line['n']}</small>")


def _is_headline(line: Mapping) -> bool:
    whole = "/" not in line["benchmark"] and not VARIANTS.fullmatch(line["metric"])
    return whole or line["family"] == "natural"


def _name(line: Mapping) -> str:
    return f"{line['benchmark']}/{line['metric']}"
