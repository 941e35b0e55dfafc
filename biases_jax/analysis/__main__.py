"""Write tables, figures and a report from results: `python -m biases_jax.analysis`."""

import pathlib
import sys

from absl import flags

from biases_jax import results, usage
from biases_jax.analysis import errors, parity, run
from biases_jax.humans import trial_files
from biases_jax.rows import Problem
from biases_jax.settings import DONE, INCOMPLETE

_RESULTS = flags.DEFINE_list(
    "results", [], "Folders of results (*.jsonl); several are merged."
)
_RECORDS = flags.DEFINE_string(
    "records", "", "Folder of per-example records (default: beside the first results)."
)
_HUMANS = flags.DEFINE_string(
    "humans", "", "Folder with the trials of people: raw-data/<set>/*.csv in it."
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
            humans=_humans(),
        )
    except (OSError, ValueError) as error:
        raise usage.error(error) from error
    for path in sorted(page.parent.rglob("*")):
        place = path.relative_to(page.parent)
        # Of hundreds of files with trials a list tells where they are.
        listed = place.parts[0] != errors.TRIALS or place == pathlib.Path(errors.LIST)
        if path.is_file() and path != page and listed:
            print(path)
    print(page)
    verdicts = journal.verdicts()
    problems = [verdict for verdict in verdicts if isinstance(verdict, Problem)]
    if problems or not verdicts:
        print(
            f"{len(problems)} of {len(verdicts)} cell(s) are incomplete: see the page"
            if verdicts
            else f"no results in {', '.join(_RESULTS.value)}: the page is empty",
            file=sys.stderr,
        )
    return INCOMPLETE if problems or not verdicts else DONE


def _humans() -> str | None:
    """Return the folder of people's trials, None if none is named."""
    if _HUMANS.value and not trial_files.available(_HUMANS.value):
        raise ValueError(
            f"got no trials of people in {_HUMANS.value}, expected raw-data/<set>/"
            "<set>_subject-NN_session_K.csv there, as model-vs-human publishes them"
        )
    return _HUMANS.value or None


def _compared(results_folder: str) -> pathlib.Path:
    """Return where a run keeps what `--stage=parity` found, beside its results."""
    return pathlib.Path(results_folder).absolute().parent / "parity"


if __name__ == "__main__":
    usage.run(main)
