"""Convert PyTorch checkpoints: python -m convert --models=NAMES --out=DIR.

Exit codes: 0 all converted, 2 wrong usage, 3 some failed (the rest is kept).
"""

import os
import re
import sys
from collections.abc import Sequence

from absl import flags, logging

from biases_jax import usage
from biases_jax.models import names, spec, zoo
from biases_jax.settings import DONE, INCOMPLETE
from convert import batch

_MODELS = flags.DEFINE_list(
    "models",
    None,
    "Names or patterns of the zoo ('robust_*'), and own checkpoints: name=path or "
    "name=layout:path.",
)
_WEIGHTS_DIR = flags.DEFINE_string(
    "weights_dir",
    "",
    "Folder of published files, which are looked for there first and downloaded into "
    "it (default: the user's cache).",
)
_OFFLINE = flags.DEFINE_bool("offline", False, "Download nothing.")
_JOBS = flags.DEFINE_integer(
    "jobs", 0, "Models at a time; 0: one a core, four at most.", lower_bound=0
)
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
        layout = _own_layout(references)
    except ValueError as error:
        raise usage.error(error) from error
    attempts = []
    for attempt in batch.convert(
        references,
        _WEIGHTS_DIR.value,
        os.path.expanduser(usage.OUT.value),
        layout,
        _OFFLINE.value,
        _JOBS.value,
    ):
        attempts.append(attempt)
        logging.info("%s: %s", attempt.name, attempt.status)
    print(batch.table(attempts))
    failures = [attempt for attempt in attempts if attempt.error is not None]
    for attempt in failures:
        print(f"{attempt.name} failed: {attempt.error}", file=sys.stderr)
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
    except (re.error, IndexError) as error:  # IndexError: of an unknown group
        raise ValueError(
            f"got --rename={_RENAME.value} and --drop={_DROP.value}: {error}"
        ) from error
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


if __name__ == "__main__":
    usage.run(main)
