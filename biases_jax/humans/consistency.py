"""How alike do decision makers err, beyond what their accuracies explain?

Geirhos, Meding and Wichmann 2020, and Geirhos et al. 2021 for the order of the means:
over the conditions that are used, then over people, then (by the caller) over sets.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from biases_jax import labels
from biases_jax.humans import reference, trials

Numbers = Float[np.ndarray, "..."] | float
HALVINGS = 252  # ways to halve ten observers, as many as ever saw a published set


class Consistency(NamedTuple):
    """How two decision makers compare, all in fractions.

    `accuracy_difference` is squared. `observed` is the share of trials in which both
    are right or both wrong, `expected` that of two independent ones of their
    accuracies, and `error` Cohen's kappa of the two: 0 by chance, 1 if they agree.
    """

    accuracy_difference: Numbers
    observed: Numbers
    expected: Numbers
    error: Numbers


def with_people(name: str, models: trials.Trials, people: trials.Trials) -> Consistency:
    """Return how models compare with people on a set: arrays of length m, of models.

    Raises:
        ValueError: they saw different images, or none of a condition that is used.
    """
    return Consistency(*(part.mean(1) for part in pairs(name, models, people)))


def among_people(name: str, people: trials.Trials) -> Consistency:
    """Return how people compare with each other on a set: means over all pairs.

    NaN where there is one observer only.

    Raises:
        ValueError: no image is of a condition that is used.
    """
    found = pairs(name, people, people)
    first, second = np.triu_indices(len(people.makers), 1)
    if not len(first):
        return Consistency(*[math.nan] * 4)
    return Consistency(*(float(part[first, second].mean()) for part in found))


def pairs(name: str, one: trials.Trials, other: trials.Trials) -> Consistency:
    """Return how each maker of one compares with each of another: arrays [a, b].

    Raises:
        ValueError: they saw different images, or none of a condition that is used.
    """
    trials.demand_same_images(other, one)
    found = compare(one.right, other.right, used_conditions(name, one))
    return Consistency(*(part.mean(2) for part in found))


def between_halves(name: str, people: trials.Trials) -> float:
    """Return the error consistency of one half of the observers with the other.

    What a half decides is the category that most of it named; those who did not
    answer have no vote, and several categories of equally many votes count as a draw
    among them, in expectation. The mean is over conditions and then over all ways to
    halve the observers; of more than ten, over 252 random ways, always the same. NaN
    where there is one observer only.

    Raises:
        ValueError: no image is of a condition that is used.
    """
    conditions = used_conditions(name, people)
    halves = _halvings(len(people.makers))
    if not halves.any():
        return math.nan
    one, other = (_chance_of_right(people, half) for half in (halves, ~halves))
    both = one * other + (1 - one) * (1 - other)
    parts = []
    for condition in range(conditions.max() + 1):
        shown = conditions == condition
        sums = (part[:, shown].sum(1) for part in (both, one, other))
        parts.append(kappa(*sums, float(shown.sum())))
    return float(np.mean(np.mean(parts, 0)))


def compare(
    first: Bool[np.ndarray, "a n"],
    second: Bool[np.ndarray, "b n"],
    conditions: Int[np.ndarray, " n"],
) -> Consistency:
    """Return arrays [a, b, k]: each of a decision makers with each of b.

    Args:
        first: whether its answers to n images are right.
        second: the same of the others.
        conditions: of the images, 0 to k - 1; -1 is left out.
    """
    parts = []
    for condition in range(conditions.max() + 1):
        shown = conditions == condition
        n = float(shown.sum())
        # Counts in float64 are exact, and so is what is the same for both.
        one, other = first[:, shown].astype(float), second[:, shown].astype(float)
        both = one @ other.T + (1 - one) @ (1 - other).T
        right, its_right = one.sum(1)[:, None], other.sum(1)[None]
        parts.append(
            Consistency(
                ((right - its_right) / n) ** 2,
                both / n,
                _agreements(right, its_right, n) / n**2,
                kappa(both, right, its_right, n),
            )
        )
    return Consistency(*(np.stack(part, 2) for part in zip(*parts, strict=True)))


def kappa(both: Numbers, right: Numbers, its_right: Numbers, n: float) -> Numbers:
    """Return (observed - expected) / (1 - expected), 1 where two always agree.

    Args:
        both: of n trials, those in which both are right or both are wrong.
        right: those in which the first is.
        its_right: those in which the second is.
        n: trials.
    """
    expected = _agreements(right, its_right, n)
    always = both == n  # also where both are always right, or never: 0 by 0 else
    rest = np.where(always, 1.0, n**2 - expected)
    return np.where(always, 1.0, (both * n - expected) / rest)


def used_conditions(name: str, shown: trials.Trials) -> Int[np.ndarray, " n"]:
    """Return the number of each image's condition among those used, -1 for others.

    Raises:
        ValueError: there is no image of a condition that is used.
    """
    used = reference.SETS[name].used
    conditions = [image.condition for image in shown.images]
    there = [condition for condition in used if condition in conditions]
    if not there:
        raise ValueError(
            f"got no image of {name} in a condition that counts, expected some in one "
            f"of {', '.join(used)}"
        )
    numbers = {condition: number for number, condition in enumerate(there)}
    return np.array([numbers.get(condition, -1) for condition in conditions])


def _agreements(right: Numbers, its_right: Numbers, n: float) -> Numbers:
    """Return n squared times the share of trials in which chance makes two agree."""
    return right * its_right + (n - right) * (n - its_right)


def _halvings(observers: int) -> Bool[np.ndarray, "halvings observers"]:
    size = observers // 2
    if math.comb(observers, size) <= HALVINGS:
        chosen = list(itertools.combinations(range(observers), size))
    else:
        generator = np.random.default_rng(0)
        drawn = (generator.permutation(observers) for _ in range(HALVINGS))
        chosen = [order[:size] for order in drawn]
    halves = np.zeros((len(chosen), observers), bool)
    for half, members in zip(halves, chosen, strict=True):
        half[list(members)] = True
    return halves


def _chance_of_right(
    people: trials.Trials, members: Bool[np.ndarray, "groups observers"]
) -> Float[np.ndarray, "groups n"]:
    """Return how probably each group's decision is right for each image."""
    categories = np.arange(len(labels.CATEGORIES))
    named = (people.answers[..., None] == categories).astype(np.float32)
    votes = np.einsum("go,onc->gnc", members.astype(np.float32), named, optimize=True)
    most = votes.max(2)
    drawn = (votes == most[..., None]).sum(2)
    images = np.arange(len(people.images))
    hit = (votes[:, images, people.categories] == most) & (most > 0)
    return hit / drawn
