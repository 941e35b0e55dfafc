"""Convert PyTorch checkpoints: python -m convert --models=NAMES --out=DIR.

Exit codes: 0 all converted, 2 wrong usage, 3 some failed (the rest is kept).
"""

import re
import sys
import time
from collections.abc import Sequence

from absl import flags

from biases_jax import usage
from biases_jax.models import layouts, names, spec, zoo
from biases_jax.settings import DONE, INCOMPLETE
from convert import run

_MODELS = flags.DEFINE_list(
    "models", None, "Names or patterns of the zoo, and name=path of own checkpoints."
)
_WEIGHTS_DIR = flags.DEFINE_string("weights_dir", "", "Folder of published files.")
_ROOT = flags.DEFINE_string(
    "root", "", "Own checkpoints: dotted path of the state dict in the file."
)
_RENAME = flags.DEFINE_multi_string(
    "rename",
    [],
    "Own checkpoints: regular expression and replacement of tensor names, with => in "
    "between ('^module\\.=>'). May be repeated.",
)
_DROP = flags.DEFINE_multi_string(
    "drop", [], "Own checkpoints: regular expression of names that may be left over."
)


def main() -> int:
    """Convert all, print a table, and return the code that tells the outcome."""
    if not _MODELS.value or not usage.OUT.value:
        raise usage.error("expected --models and --out")
    try:
        references = names.parse(_MODELS.value)
        own = _own_layout(references)
    except ValueError as error:
        raise usage.error(error) from error
    rows, failures = [], {}
    for reference in references:
        start = time.perf_counter()
        try:
            outcome = run.convert(
                reference.name,
                reference.path or None,
                _WEIGHTS_DIR.value,
                usage.OUT.value,
                layouts.LAYOUTS.get(reference.layout, own),
            )
        except (OSError, ValueError) as error:
            failures[reference.name] = error
            rows.append((reference.name, "", "", "", "", "failed"))
        else:
            rows += _rows(outcome, time.perf_counter() - start)
    print(_table(rows))
    for name, error in failures.items():
        print(f"{name} failed: {error}", file=sys.stderr)
    return INCOMPLETE if failures else DONE


def _own_layout(references: Sequence[names.Reference]) -> spec.Layout | None:
    """Return the layout that the flags describe, None where they do not."""
    functions = [model.name for model in references if model.function]
    if functions:
        raise ValueError(f"got {functions}, which are functions and need no conversion")
    pairs = [tuple(text.split("=>")) for text in _RENAME.value]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"got --rename={_RENAME.value}, expected pattern=>replacement")
    try:
        for pattern, replacement in [*pairs, *((text, "") for text in _DROP.value)]:
            re.sub(pattern, replacement, "")
    except re.error as error:
        raise ValueError(f"got {error.pattern!r}: {error}") from error
    if not (_ROOT.value or pairs or _DROP.value):
        return None
    rules = spec.Rules((_ROOT.value,), tuple(pairs), tuple(_DROP.value))
    known = [m.name for m in references if m.name in zoo.MODELS or m.layout]
    if known:
        raise ValueError(
            f"got --root, --rename or --drop with {', '.join(known)}, whose rules are "
            "known; convert own checkpoints apart"
        )
    return spec.Layout("as told", rules)


def _rows(outcome: run.Outcome, seconds: float) -> list[tuple[str, ...]]:
    status = "unchanged" if outcome.skipped else "converted"
    return [
        (
            outcome.manifest["model"],
            source["file"],
            f"{source['bytes'] / 1e6:.1f} MB",
            source["sha256"][:12],
            f"{seconds:.1f} s",
            status,
        )
        for source in outcome.manifest["sources"].values()
    ]


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    head = ("model", "source", "size", "sha256", "time", "status")
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


if __name__ == "__main__":
    usage.run(main)
