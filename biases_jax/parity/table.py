"""How does a person read the comparison of one model?"""

from collections.abc import Sequence

from biases_jax import columns
from biases_jax.parity import comparison, runs

HEADER = (
    "",
    "run",
    "against",
    "logits/spread",
    "logits",
    "gradient",
    "sign flips",
    "ulp median",
    "ulp 99 %",
    "ulp max",
    "top-1",
    "",
)
NOTE = (
    "logits/spread: largest difference over the logits' standard deviation; logits,"
    " gradient, stages: relative L2; ulp: logits, in units of the last place of the"
    " coarser precision; yardstick: what rounding does to the reference itself"
)


def text(result: comparison.Result) -> str:
    """Return all comparisons of a model, their stages, and the verdict, as text."""
    parts = [f"{result.model}"]
    if result.rows:
        parts.append(columns.aligned([HEADER, *map(_line, *_numbered(result.rows))]))
        parts.append(columns.aligned(_stages(result.rows)))
    parts += [f"{p}: {why}" for p, why in result.absent.items()]
    return "\n".join([*parts, verdict(result)])


def verdict(result: comparison.Result) -> str:
    """Return one line: the verdict, and the bounds that are broken."""
    broken = [
        f"{row.comparison.a} / {row.comparison.b}: {', '.join(row.failures)}"
        for row in result.rows
        if row.failures
    ]
    line = f"{result.model}: {result.verdict}"
    if result.weights_sha256 != result.reference_sha256:
        line += (
            f" (sha256 {result.weights_sha256:.12} here, {result.reference_sha256:.12}"
            " in the reference; convert the same file on both sides)"
        )
    line += f" ({'; '.join(broken)})" if broken else ""
    reader = comparison.reader(result.about)
    return line + (f" ({reader})" if reader else "")


def _numbered(rows: Sequence[comparison.Row]) -> tuple[range, Sequence[comparison.Row]]:
    return range(1, len(rows) + 1), rows


def _line(number: int, row: comparison.Row) -> tuple[str, ...]:
    c = row.comparison
    logits = c.stages["logits"]
    judged = "yardstick" if row.yardstick else "differs" if row.failures else "agrees"
    return (
        str(number),
        c.a,
        c.b,
        f"{logits.over_spread:.1e}",
        f"{logits.relative:.1e}",
        f"{c.stages[runs.GRADIENT].relative:.1e}",
        f"{c.sign_flips:.2%}",
        f"{logits.ulp_median:.3g}",
        f"{logits.ulp_99:.3g}",
        f"{logits.ulp_max:.3g}",
        f"{c.agree} of {c.images}",
        judged,
    )


def _stages(rows: Sequence[comparison.Row]) -> list[tuple[str, ...]]:
    """Return a line per stage: which, values compared, and each row's difference."""
    header = ("stage", "values", *(str(number) for number in range(1, len(rows) + 1)))
    lines = [header]
    for name in runs.NAMES:
        found = [row.comparison.stages.get(name) for row in rows]
        counts = [str(f.count) for f in found if f]
        cells = [f"{f.relative:.1e}" if f else "" for f in found]
        if counts:
            lines.append((name, counts[0], *cells))
    return lines
