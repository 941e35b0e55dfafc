"""How are models' answers handed to the programs of model-vs-human?

As the files `<set>/<set>_<model>_session-1.csv` (Geirhos et al. 2021), a line a trial.
"""

import csv
import io
import pathlib
import re
from collections.abc import Iterable, Mapping

from biases_jax import labels
from biases_jax.humans import answers, trial_files

HEADER = "subj,session,trial,rt,object_response,category,condition,imagename"
_PERSON = "subject"  # what begins so is taken for a person


def write(
    folder: pathlib.Path,
    name: str,
    found: answers.Answers,
    called: Mapping[str, str],
) -> dict[str, str]:
    """Write a file for each model; return the files' paths below the folder, by model.

    Args:
        folder: where the set's own folder is made.
        name: of the set.
        found: what models answered.
        called: the models' names in files (`safe_names`).
    """
    (folder / name).mkdir(parents=True, exist_ok=True)
    facts = _facts(found)
    spelled = (*labels.CATEGORIES, trial_files.NO_ANSWER)  # the last is also -1
    files = {}
    for model, its_answers in zip(
        found.trials.makers, found.trials.answers.tolist(), strict=True
    ):
        who = called[model]
        lines = [
            f"{who},1,{trial},NaN,{spelled[its_answers[place]]},{rest}"
            for trial, (place, rest) in enumerate(facts, 1)
        ]
        files[model] = f"{name}/{name}_{who}_session-1.csv"
        text = "\n".join([HEADER, *lines]) + "\n"
        (folder / files[model]).write_text(text, encoding="utf-8")
    return files


def safe_names(models: Iterable[str]) -> dict[str, str]:
    """Return for each model a name of letters, digits, '.' and '-', each its own.

    Fields of the files' names are separated by '_', and some disks do not tell small
    letters from capitals. A name that would be another's has a number added.
    """
    plain = {model: _plain(model) for model in models}
    taken: set[str] = set()
    safe = {}
    # Those whose name is safe as it is keep it.
    for model in sorted(plain, key=lambda model: (plain[model] != model, model)):
        name, number = plain[model], 2
        while name.casefold() in taken:
            name, number = f"{plain[model]}-{number}", number + 1
        taken.add(name.casefold())
        safe[model] = name
    return safe


def _plain(model: str) -> str:
    name = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.") or "model"
    return f"model-{name}" if name.casefold().startswith(_PERSON) else name


def _facts(found: answers.Answers) -> list[tuple[int, str]]:
    """Return each image's place and the last fields of its line, sorted by name.

    Published names begin with the number of the trial.
    """
    places = sorted(range(len(found.names)), key=found.names.__getitem__)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for place in places:
        category = labels.CATEGORIES[found.trials.categories[place]]
        base = found.names[place].rsplit("/", 1)[-1]
        writer.writerow([category, found.trials.images[place].condition, base])
    return list(zip(places, text.getvalue().splitlines(), strict=True))
