"""Do the shipped figures of people agree with those that were published?"""

import importlib.resources
import json
import statistics

import pytest

from biases_jax import labels
from biases_jax.humans import reference
from biases_jax.sources import model_vs_human

DATA = importlib.resources.files("biases_jax") / "data"
SHIPPED = json.loads((DATA / "model_vs_human_reference.json").read_text())
ORDER = (
    "edge silhouette cue-conflict colour contrast high-pass low-pass phase-scrambling "
    "power-equalisation false-colour rotation eidolonI eidolonII eidolonIII "
    "uniform-noise sketch stylized"
).split()
# Means over the sets as they are quoted, to as many digits.
ACCURACIES = (
    ".871 .753 .776 .887 .661 .629 .661 .688 .759 .874 .830 .608 .583 .639 .683 .916 "
    ".471"
).split()
SHAPE_BIASES = (
    ".893 .935 .997 .968 .872 .987 .974 .959 .991 .996 .941 .963 .942 .891 .968 .983"
).split()
EXCLUDED = {
    "colour": "cr",
    "contrast": "c100 c03 c01",
    "high-pass": "inf 0.55 0.45 0.4",
    "low-pass": "0 15 40",
    "phase-scrambling": "0 150 180",
    "power-equalisation": "0",
    "false-colour": "True",
    "rotation": "0",
    "eidolonI": "1-10-10 64-10-10 128-10-10",
    "eidolonII": "1-3-10 32-3-10 64-3-10 128-3-10",
    "eidolonIII": "1-0-10 16-0-10 32-0-10 64-0-10 128-0-10",
    "uniform-noise": "0.0 0.6 0.9",
}


def test_the_seventeen_sets_have_the_published_order_observers_and_sizes():
    assert list(reference.SETS) == list(model_vs_human.SETS) == ORDER
    observers = {name: found.observers for name, found in reference.SETS.items()}
    assert [n for n in observers if observers[n] == 10] == ORDER[:3]
    assert (observers["sketch"], observers["stylized"]) == (7, 5)
    assert sorted(observers.values()) == [4] * 12 + [5, 7, 10, 10, 10]
    sizes = {
        name: sum(condition.n for condition in found.conditions.values())
        for name, found in reference.SETS.items()
    }
    small = {"edge": 160, "silhouette": 160, "sketch": 800, "stylized": 800}
    medium = ("phase-scrambling", "power-equalisation", "false-colour")
    others = {name: 1120 if name in medium else 1280 for name in ORDER}
    assert sizes == others | small


@pytest.mark.parametrize(("name", "quoted"), [*zip(ORDER, ACCURACIES, strict=True)])
def test_accuracy_is_the_quoted_one_and_that_of_the_conditions_used(name, quoted):
    found = reference.SETS[name]
    # Half of the last digit; eidolonI is .6075, a tie that was rounded up.
    assert found.accuracy == pytest.approx(float(quoted), abs=5.0001e-4)
    used = [found.conditions[condition] for condition in found.used]
    pooled = sum(c.n * c.accuracy for c in used) / sum(c.n for c in used)
    # Accuracies of conditions are kept to six digits.
    assert pooled == pytest.approx(found.accuracy, abs=1e-6)
    every = found.conditions.values()
    pooled = sum(c.n * c.accuracy for c in every) / sum(c.n for c in every)
    assert pooled == pytest.approx(found.accuracy_all, abs=1e-6)


@pytest.mark.parametrize("name", ORDER)
def test_excluded_conditions_are_the_published_ones(name):
    found = reference.SETS[name]
    assert set(found.excluded) == set(EXCLUDED.get(name, "").split())
    shipped = SHIPPED[name]
    assert set(found.excluded) == set(shipped["excluded"])
    assert set(found.conditions) == set(shipped["conditions"])
    assert found.used and set(found.used) | set(found.excluded) == set(found.conditions)


def test_the_undistorted_condition_comes_first_and_is_excluded():
    for name in EXCLUDED:
        found = reference.SETS[name]
        assert next(iter(found.conditions)) in found.excluded


def test_means_over_all_sets_are_the_published_ones():
    assert reference.mean("accuracy") == pytest.approx(0.7228, abs=5e-5)
    assert reference.mean("error_consistency") == pytest.approx(0.4312, abs=5e-5)
    assert reference.mean("observed_consistency") == pytest.approx(0.8085, abs=5e-5)
    assert reference.mean("accuracy_difference") == pytest.approx(0.0066, abs=5e-5)


def test_shape_bias_is_the_published_one():
    found = reference.SHAPE_BIAS
    assert (found.shape, found.texture) == (9236, 398)
    assert found.pooled == pytest.approx(9236 / (9236 + 398), rel=1e-12)
    assert found.pooled == pytest.approx(0.95869, abs=5e-6)
    assert tuple(found.per_category) == labels.CATEGORIES
    quoted = [float(text) for text in SHAPE_BIASES]
    assert list(found.per_category.values()) == pytest.approx(quoted, abs=5e-4)
    by_category = statistics.fmean(found.per_category.values())
    assert by_category == pytest.approx(0.95385, abs=5e-6)
    by_observer = statistics.fmean(found.per_observer.values())
    assert by_observer == pytest.approx(found.mean_over_observers, rel=1e-12)
    assert by_observer == pytest.approx(0.95758, abs=1e-5)
    assert len(found.per_observer) == 10
    assert min(found.per_observer.values()) == pytest.approx(0.919, abs=5e-4)
    assert max(found.per_observer.values()) == pytest.approx(0.987, abs=5e-4)


def test_the_critical_band_of_people_is_an_octave_wide():
    found = reference.CRITICAL_BAND
    assert found.thresholds == (0, 0, 0, 0, 2, 2, 0) and found.observers == 14
    fit = (found.bandwidth, found.centre_frequency, found.peak_noise_sensitivity)
    assert fit == (1.00, 39.6, 1.00)


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("uniform-noise", "0.90", "0.9"),
        ("uniform-noise", "0", "0.0"),
        ("false-colour", "true", "True"),
        ("high-pass", "inf", "inf"),
        ("high-pass", "1", "1.0"),
        ("contrast", "c05", "c05"),
        ("power-equalisation", "pow", "pow"),
        ("eidolonI", "8-10-10", "8-10-10"),
        ("edge", "0", "0"),
    ],
)
def test_a_condition_is_known_however_it_is_spelled(name, text, meant):
    assert reference.condition(name, text) == meant


@pytest.mark.parametrize(
    ("name", "text"),
    [("contrast", "c5"), ("low-pass", "2"), ("eidolonI", "8-3-10"), ("edge", "na")],
)
def test_an_unknown_condition_is_refused_with_those_there_are(name, text):
    with pytest.raises(ValueError, match=f"got condition '{text}', expected .*{name}"):
        reference.condition(name, text)
