"""Write tables, figures and a report from results: `python -m biases_jax.analysis`."""

import pathlib

from absl import app, flags

from biases_jax.analysis import run

_RESULTS = flags.DEFINE_list(
    "results", None, "Folders of results (*.jsonl); several are merged.", required=True
)
_RECORDS = flags.DEFINE_string(
    "records", "", "Folder of per-example records (default: beside the first results)."
)
_OUT = flags.DEFINE_string("out", None, "Folder to write to.", required=True)


def main(argv):
    """Analyse and print where everything is, the page last."""
    if argv[1:]:
        raise app.UsageError(f"got stray arguments {argv[1:]}")
    beside = pathlib.Path(_RESULTS.value[0]).parent / "records"
    page = run.analyse(_RESULTS.value, _RECORDS.value or beside, _OUT.value)
    for path in sorted(page.parent.rglob("*")):
        if path.is_file() and path != page:
            print(path)
    print(page)


if __name__ == "__main__":
    app.run(main)
