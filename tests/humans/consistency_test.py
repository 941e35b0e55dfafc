"""Is consistency what the formulas say, and averaged in the published order?"""

import itertools
import math

import numpy as np
import pytest
from humans import people
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from biases_jax.humans import consistency, reference

# 1e-12: a few hundred float64 operations on numbers up to 1.
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def plain(right, its_right):
    """Return (difference, observed, expected, kappa) of two lists, by the formulas."""
    n = len(right)
    p, q = sum(right) / n, sum(its_right) / n
    observed = sum(a == b for a, b in zip(right, its_right, strict=True)) / n
    expected = p * q + (1 - p) * (1 - q)
    error = 1.0 if observed == 1 else (observed - expected) / (1 - expected)
    return (p - q) ** 2, observed, expected, error


def of_conditions(name, shown, line, its, its_line):
    """Return the means over the conditions used, one condition after the other."""
    found = []
    for condition in reference.SETS[name].used:
        places = [i for i, im in enumerate(shown.images) if im.condition == condition]
        if places:
            right = [bool(shown.right[line, i]) for i in places]
            its_right = [bool(its.right[its_line, i]) for i in places]
            found.append(plain(right, its_right))
    return [sum(numbers) / len(found) for numbers in zip(*found, strict=True)]


def drawn(seed, makers, name="contrast", each=30):
    """Return answers that are right as often as it happens."""
    generator = np.random.default_rng(seed)
    conditions = sorted(list(reference.SETS[name].conditions) * each)
    categories = np.random.default_rng(99).integers(0, 16, len(conditions))
    answers = generator.integers(-1, 16, (len(makers), len(conditions)))
    known = generator.random(answers.shape) < generator.random((len(makers), 1))
    answers = np.where(known, categories, answers)
    return people.made(makers, conditions, answers, categories)


def test_kappa_has_the_values_that_are_found_by_hand():
    # Ten trials: six right and five right, together right in four, wrong in three.
    first = np.array([[1, 1, 1, 1, 1, 1, 0, 0, 0, 0]], bool)
    second = np.array([[1, 1, 1, 1, 0, 0, 1, 0, 0, 0]], bool)
    found = consistency.compare(first, second, np.zeros(10, int))
    assert found.accuracy_difference.item() == pytest.approx(0.01, **CLOSE)
    assert found.observed.item() == pytest.approx(0.7, **CLOSE)
    assert found.expected.item() == pytest.approx(0.6 * 0.5 + 0.4 * 0.5, **CLOSE)
    assert found.error.item() == pytest.approx(0.4, **CLOSE)


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ([1, 1], [1, 1], 1),  # both always right: expected is 1, too
        ([0, 0], [0, 0], 1),
        ([1, 0], [1, 0], 1),
        ([1, 0], [0, 1], -1),
        ([1, 1], [0, 0], 0),  # never alike, and none was expected
        ([1, 1], [1, 0], 0),
    ],
)
def test_kappa_has_no_gaps(first, second, kappa):
    first, second = np.array([first], bool), np.array([second], bool)
    found = consistency.compare(first, second, np.zeros(2, int))
    assert found.error.item() == kappa


@given(
    arrays.arrays(bool, (2, 12)),
    arrays.arrays(bool, (3, 12)),
    arrays.arrays(int, 12, elements=st.integers(-1, 2)),
)
@settings(max_examples=60, deadline=None)
def test_all_pairs_at_once_are_the_pairs_one_by_one(first, second, conditions):
    conditions[:3] = 0, 1, 2  # each occurs
    found = consistency.compare(first, second, conditions)
    assert found.error.shape == (2, 3, 3)
    for a, b, k in np.ndindex(2, 3, 3):
        shown = conditions == k
        expected = plain(first[a, shown].tolist(), second[b, shown].tolist())
        assert [part[a, b, k] for part in found] == pytest.approx(expected, **CLOSE)


@given(arrays.arrays(bool, (4, 9)))
@settings(max_examples=60, deadline=None)
def test_everyone_is_wholly_consistent_with_oneself_and_pairs_are_symmetric(right):
    found = consistency.compare(right, right, np.zeros(9, int)).error[..., 0]
    assert (np.diag(found) == 1).all()
    np.testing.assert_array_equal(found, found.T)
    assert (found <= 1).all() and (found >= -1).all()


def test_independent_answers_are_consistent_by_chance_only():
    n = 1000
    generator = np.random.default_rng(0)
    right = generator.random((40, n)) < generator.uniform(0.2, 0.8, (40, 1))
    found = consistency.compare(right, right, np.zeros(n, int)).error[..., 0]
    p, q = np.broadcast_arrays(right.mean(1)[:, None], right.mean(1)[None])
    # Of independent answers observed - expected is twice the answers' covariance.
    spread = 2 * np.sqrt(p * (1 - p) * q * (1 - q) / n) / (p + q - 2 * p * q)
    pairs = (found / spread)[np.triu_indices(40, 1)]
    # 780 standard normal numbers: the largest is below 4.5, the mean (were they
    # independent of each other) below 4 / sqrt(780).
    assert np.abs(pairs).max() < 4.5
    assert abs(pairs.mean()) < 4 / math.sqrt(len(pairs))
    assert pairs.std() == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize("name", ["contrast", "edge", "eidolonIII", "false-colour"])
def test_models_and_people_are_averaged_over_conditions_then_people(name):
    models, seen = drawn(1, "abc", name), drawn(2, "12345", name)
    found = consistency.with_people(name, models, seen)
    for line in range(3):
        each = [of_conditions(name, models, line, seen, its) for its in range(5)]
        expected = [sum(numbers) / 5 for numbers in zip(*each, strict=True)]
        assert [part[line] for part in found] == pytest.approx(expected, **CLOSE)


def test_people_are_averaged_over_conditions_then_all_unordered_pairs():
    seen = drawn(2, "1234")
    found = consistency.among_people("contrast", seen)
    pairs = list(itertools.combinations(range(4), 2))
    each = [of_conditions("contrast", seen, a, seen, b) for a, b in pairs]
    expected = [sum(numbers) / 6 for numbers in zip(*each, strict=True)]
    assert list(found) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("others", ["abcd", "12345"])
def test_each_is_compared_with_each_in_the_conditions_used(others):
    models, rest = drawn(1, "abcd"), drawn(len(others), others)
    found = consistency.pairs("contrast", models, rest)
    for part, numbers in zip((0, 1, 2, 3), found, strict=True):
        assert numbers.shape == (4, len(others))
        for a, b in np.ndindex(numbers.shape):
            expected = of_conditions("contrast", models, a, rest, b)[part]
            assert numbers[a, b] == pytest.approx(expected, **CLOSE)


def test_excluded_conditions_leave_no_trace():
    models, seen = drawn(1, "ab"), drawn(2, "123")
    excluded = [i.condition in ("c100", "c03", "c01") for i in models.images]
    before = consistency.with_people("contrast", models, seen)
    models.answers[:, excluded] = -1
    after = consistency.with_people("contrast", models, seen)
    np.testing.assert_array_equal(before, after)


def test_one_observer_has_no_ceiling():
    seen = drawn(2, "1")
    assert all(map(math.isnan, consistency.among_people("contrast", seen)))
    assert math.isnan(consistency.between_halves("contrast", seen))


def test_two_halves_of_two_observers_are_the_two():
    seen = drawn(2, "12")
    found = consistency.between_halves("contrast", seen)
    expected = consistency.among_people("contrast", seen).error
    assert found == pytest.approx(expected, **CLOSE)


def half_by_hand(seen, members, place):
    """Return how probably the members' most frequent answer is right."""
    named = [int(seen.answers[m, place]) for m in members]
    named = [answer for answer in named if answer >= 0]
    if not named:
        return 0.0
    most = max(named.count(answer) for answer in named)
    winners = {answer for answer in named if named.count(answer) == most}
    return (int(seen.categories[place]) in winners) / len(winners)


@pytest.mark.parametrize("observers", [3, 4, 5])
def test_halves_decide_by_majority_and_draw_among_ties(observers):
    seen = drawn(5, "12345"[:observers])
    numbers = []
    size = observers // 2
    for members in itertools.combinations(range(observers), size):
        others = [m for m in range(observers) if m not in members]
        of_halving = []
        for condition in reference.SETS["contrast"].used:
            places = [i for i, m in enumerate(seen.images) if m.condition == condition]
            one = [half_by_hand(seen, members, i) for i in places]
            its = [half_by_hand(seen, others, i) for i in places]
            p, q = np.mean(one), np.mean(its)
            both = [a * b + (1 - a) * (1 - b) for a, b in zip(one, its, strict=True)]
            chance = p * q + (1 - p) * (1 - q)
            of_halving.append((np.mean(both) - chance) / (1 - chance))
        numbers.append(np.mean(of_halving))
    found = consistency.between_halves("contrast", seen)
    assert found == pytest.approx(np.mean(numbers), **CLOSE)


def test_halves_of_many_observers_are_drawn_and_are_always_the_same():
    makers = [f"subject-{n:02d}" for n in range(13)]
    seen = drawn(5, makers, each=5)
    first = consistency.between_halves("contrast", seen)
    assert first == consistency.between_halves("contrast", seen)
    one_alone = consistency.among_people("contrast", seen).error
    assert one_alone < first < 1  # a majority errs less by chance than one observer


def test_a_set_without_a_condition_that_counts_is_refused():
    seen = people.made("12", ["c100", "c100"], [[0, 0], [0, 1]])
    with pytest.raises(ValueError, match="got no image of contrast in a condition"):
        consistency.among_people("contrast", seen)
