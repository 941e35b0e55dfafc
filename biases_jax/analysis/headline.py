"""Which numbers does a reader want first, and how are they shown?"""

import math
from collections.abc import Mapping

import pyarrow as pa

from biases_jax.analysis import page

SHOWN = 120  # characters of a reason; all of it is the tooltip


def table(long: pa.Table) -> page.Markup:
    """Return the numbers of whole families and natural sources, one line per model.

    Natural sources that no model was measured on are left out.
    """
    lines = [line for line in long.to_pylist() if _is_headline(line)]
    there = {_name(line) for line in lines if not math.isnan(line["value"])}
    lines = [line for line in lines if _name(line) in there or not _is_natural(line)]
    names = sorted({_name(line) for line in lines})
    shown = {(line["model"], _name(line)): value(line) for line in lines}
    models = sorted({line["model"] for line in lines})
    return page.table(
        ["model", *names],
        [[model, *(shown.get((model, name)) for name in names)] for model in models],
        "Accuracies in percent with 95 % Wilson intervals in brackets; n is the number"
        " of examples; – is a number that cannot be given, and why.",
    )


def value(line: Mapping) -> page.Markup:
    """Return a number with its interval and n, or a dash with the reason."""
    shown = page.number(line["value"])
    if math.isnan(line["value"]):
        reason = line["reason"]
        brief = reason if len(reason) <= SHOWN else reason[: SHOWN - 3] + "..."
        return page.Markup(
            f'<span title="{page.escape(reason)}">{shown}</span>'
            f'<small class="reason">{page.escape(brief)}</small>'
        )
    interval = ""
    if not math.isnan(line["low"]):
        interval = f"[{page.number(line['low'])}, {page.number(line['high'])}] "
    return page.Markup(f"{shown}<small>{interval}n = {line['n']}</small>")


def _is_headline(line: Mapping) -> bool:
    return "/" not in line["benchmark"] or _is_natural(line)


def _is_natural(line: Mapping) -> bool:
    return line["family"] == "natural"


def _name(line: Mapping) -> str:
    return f"{line['benchmark']}/{line['metric']}"
