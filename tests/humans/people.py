"""Writes trials as model-vs-human publishes those of people."""

import numpy as np

from biases_jax import labels
from biases_jax.humans import trials

HEADER = "subj,Session,trial,rt,object_response,category,condition,imagename"


def write(folder, name, observer, lines, session=1, header=HEADER):
    """Write (condition, category, image, answer) of one observer; return the path."""
    path = folder / "raw-data" / name / f"{name}_{observer}_session_{session}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    who = observer.replace("subject-", "s")
    body = [
        f"{observer},{session},{trial},0.7,{answer},{category},{condition},"
        f"{trial:04d}_x_{who}_{condition}_{category}_00_{image}"
        for trial, (condition, category, image, answer) in enumerate(lines, 1)
    ]
    path.write_text("\n".join([header, *body]) + "\n")
    return path


def write_all(folder, name, shown):
    """Write what `trials.Trials` hold, each observer in an order of its own."""
    spelled = (*labels.CATEGORIES, "na")
    for number, observer in enumerate(shown.makers):
        order = np.random.default_rng(number).permutation(len(shown.images))
        lines = [
            (
                shown.images[i].condition,
                labels.CATEGORIES[shown.categories[i]],
                shown.images[i].id,
                spelled[shown.answers[number, i]],
            )
            for i in order
        ]
        write(folder, name, observer, lines)


def made(makers, conditions, answers, categories=None):
    """Return trials of images numbered in the order of sorted (condition, id)."""
    answers = np.array(answers, np.int8)
    n = answers.shape[1]
    images = tuple(
        trials.Image(condition, f"{number:04d}.png")
        for number, condition in enumerate(conditions)
    )
    assert len(images) == n and list(images) == sorted(images)
    right = np.zeros(n, np.int8) if categories is None else categories
    return trials.Trials(tuple(makers), images, np.array(right, np.int8), answers)
