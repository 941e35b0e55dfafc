"""Write tables, figures and a report from results: `python -m biases_jax.analysis`."""

import pathlib
import sys

from absl import flags

from biases_jax import results, usage
from biases_jax.analysis import parity, run
from biases_jax.rows import Problem
from biases_jax.settings import DONE, INCOMPLETE

_RESULTS = flags.DEFINE_list(
    "results", [], "Folders of results (*.jsonl); several are merged."
)
_RECORDS = flags.DEFINE_string(
    "records", "", "Folder of per-example records (default: beside the first results)."
)


def main() -> int:
    """Analyse and print where everything is, the page last."""
    if not _RESULTS.value or not usage.OUT.value:
        raise usage.error("expected --results and --out")
    beside = pathlib.Path(_RESULTS.value[0]).absolute().parent
    try:
        journal = results.read(_RESULTS.value)
        page = run.analyse(
            journal,
            _RECORDS.value or beside / "records",
            usage.OUT.value,
            compared=parity.read(dict.fromkeys(map(_compared, _RESULTS.value))),
            manifests=beside / "sources",
        )
    except (OSError, ValueError) as error:
        raise usage.error(error) from error
    for path in sorted(page.parent.rglob("*")):
        if path.is_file() and path != page:
            print(path)
    print(page)
    verdicts = journal.verdicts()
    problems = [verdict for verdict in verdicts if isinstance(verdict, Problem)]
    if problems or not verdicts:
        print(
            f"{len(problems)} of {len(verdicts)} cell(s) are incomplete: see the page",
            file=sys.stderr,
        )
    return INCOMPLETE if problems or not verdicts else DONE


def _compared(results_folder: str) -> pathlib.Path:
    """Return where a run keeps what `--stage=parity` found, beside its results."""
    return pathlib.Path(results_folder).absolute().parent / "parity"


if __name__ == "__main__":
    usage.run(main)
