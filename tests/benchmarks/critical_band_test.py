"""Are the 29 conditions there, and are the numbers of them those that they make?"""

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

from biases_jax import benchmarks, scores, transforms
from biases_jax.benchmarks import critical_band
from biases_jax.masking import gaussian, stimulus, thresholds
from biases_jax.types import Cell

BANDS = range(7)
SDS = ("0.02", "0.04", "0.08", "0.16")
NAMES = [
    "critical_band/sd0",
    *(f"critical_band/f{f}/sd{sd}" for f, sd in itertools.product(BANDS, SDS)),
]
METRICS = ("bandwidth", "centre_frequency", "peak_noise_sensitivity", "residual")
SUFFIXES = ("", "_raw", "_paper", "_paper_norm")
NUMBERS = {f"critical_band/{m}{s}" for m in METRICS for s in SUFFIXES} | {
    f"critical_band/f{f}/threshold{s}" for f in BANDS for s in ("", *SUFFIXES[2:])
}
COUNT = 50_000
PARAMETERS = (3.1, 3.8, 1.4)  # amplitude, centre, width
HUMAN = [0, 0, 0, 0, 2, 2, 0]


def no_records():
    raise ValueError("50000 examples were measured with records turned off")


def cells(share, free=0.8, count=COUNT):
    """Return cells of which `share(band, sd)` of the noise-free answers are right."""
    top1 = {"critical_band/sd0": free} | {
        f"critical_band/f{f}/sd{sd}": free * share(f, float(sd))
        for f, sd in itertools.product(BANDS, SDS)
    }
    return {
        name: Cell({"top1": round(rate * count), "count": count}, no_records)
        for name, rate in top1.items()
    }


def of_gaussian(band, sd, relative=0.5):
    """Return a share that crosses `relative` where a Gaussian's threshold is."""
    amplitude, centre, width = PARAMETERS
    threshold = amplitude * math.exp(-((band - centre) ** 2) / (2 * width**2))
    return float(np.clip(relative - 0.2 * (threshold - 0.5 - octaves(sd)), 0, 1))


def octaves(sd):
    return math.log2(0.16 / sd)


def of_integers(integers, relative=0.5):
    """Return a share that makes these integer thresholds."""
    return lambda f, sd: relative + (0.1 if octaves(sd) >= integers[f] else -0.1)


def numbers(parameters):
    return gaussian.numbers(*parameters)


def test_conditions_are_the_papers_29():
    found = list(critical_band.benchmarks())
    assert [benchmark.name for benchmark in found] == NAMES
    assert len(set(NAMES)) == 29
    assert benchmarks.select(("critical_band/*",)) == found
    for benchmark in found:
        assert benchmark.source == "imagenet"
        assert benchmark.score == scores.TopK()
        assert benchmark.stream == "critical_band"
    assert found[0].transform == stimulus.BandNoise(0, 0.0)
    for benchmark, (f, sd) in zip(
        found[1:], itertools.product(BANDS, SDS), strict=True
    ):
        assert benchmark.transform == stimulus.BandNoise(f, float(sd))


def test_conditions_share_one_field_of_noise_and_one_program():
    found = [b.transform for b in critical_band.benchmarks()]
    assert {transform.preparation for transform in found} == {stimulus.WhiteNoise()}
    assert len({transforms.compiled_part(transform) for transform in found}) == 1


def test_all_numbers_are_named_and_of_the_examples():
    values = critical_band.summarize(cells(of_gaussian))
    assert set(values) == NUMBERS
    assert {value.n for value in values.values()} == {COUNT}
    assert set(critical_band.summarize({})) == NUMBERS


def test_a_gaussian_of_thresholds_is_found():
    values = critical_band.summarize(cells(of_gaussian))
    for metric, expected in numbers(PARAMETERS).items():
        # Whole numbers of 50,000 images: thresholds to 2e-4 of an octave.
        found = values[f"critical_band/{metric}"].value
        np.testing.assert_allclose(found, expected, rtol=1e-3)
    assert values["critical_band/residual"].value < 1e-3
    for f in BANDS:
        amplitude, centre, width = PARAMETERS
        threshold = amplitude * math.exp(-((f - centre) ** 2) / (2 * width**2))
        value = values[f"critical_band/f{f}/threshold"]
        np.testing.assert_allclose(value.value, max(threshold, 0.5), atol=2e-4)
        censored = "censored: the strongest noise is borne, so at most this"
        assert (censored in value.reason) == (threshold < 0.5)
    assert "2 of 7 thresholds censored" in values["critical_band/bandwidth"].reason


def test_plain_numbers_are_of_half_of_the_noise_free_accuracy_and_raw_ones_of_50():
    """The same columns crossed at 50 %, of a model that is right in 70 %."""
    share = 0.5 / 0.7
    measured = cells(lambda f, sd: of_gaussian(f, sd, share), free=0.7)
    values = critical_band.summarize(measured)
    for metric, expected in numbers(PARAMETERS).items():
        raw = values[f"critical_band/{metric}_raw"].value
        np.testing.assert_allclose(raw, expected, rtol=1e-3)
    # In between lies more than an octave of noise: 0.21 / 0.2.
    sensitivity = "critical_band/peak_noise_sensitivity"
    assert values[sensitivity].value < 0.7 * values[f"{sensitivity}_raw"].value


@pytest.mark.parametrize("suffix", ["_paper", "_paper_norm"])
@pytest.mark.parametrize(
    "integers", [HUMAN, [0, 1, 2, 3, 4, 4, 3], [1, 2, 3, 3, 4, 4, 4]]
)
def test_the_papers_numbers_are_its_fit_to_integers(suffix, integers):
    free = 0.8
    relative = 0.5 if suffix == "_paper_norm" else 0.5 / free
    values = critical_band.summarize(cells(of_integers(integers, relative), free))
    for f in BANDS:
        value = values[f"critical_band/f{f}/threshold{suffix}"]
        assert (value.value, value.reason) == (integers[f], "")
    expected = gaussian.fit_as_paper(np.array(integers, float))
    for metric, number in expected.numbers.items():
        assert values[f"critical_band/{metric}{suffix}"].value == number
    assert values[f"critical_band/residual{suffix}"].value == expected.residual


def test_people_have_a_band_of_one_octave():
    values = critical_band.summarize(cells(of_integers(HUMAN)))
    assert abs(values["critical_band/bandwidth_paper_norm"].value - 0.9999) < 5e-5


def test_an_absent_cell_leaves_no_fit_and_no_threshold_of_its_band():
    measured = cells(of_gaussian)
    del measured["critical_band/f3/sd0.08"]
    values = critical_band.summarize(measured)
    assert set(values) == NUMBERS
    for name, value in values.items():
        needs_it = "/f" not in name or "/f3/" in name
        assert math.isnan(value.value) == needs_it, name
        if needs_it:
            assert value.reason == "not measured: critical_band/f3/sd0.08"


def test_nothing_is_known_without_the_noise_free_accuracy():
    measured = cells(of_gaussian)
    del measured["critical_band/sd0"]
    for value in critical_band.summarize(measured).values():
        assert math.isnan(value.value)
        assert value.reason == "not measured: critical_band/sd0"


def test_near_chance_only_the_papers_way_has_numbers_with_a_doubt():
    values = critical_band.summarize(cells(of_gaussian, free=0.009))
    remark = "near chance without noise: 0.90 % right"
    for name, value in values.items():
        assert math.isnan(value.value) != name.endswith("_paper_norm"), name
        raw = "_raw" in name or name.endswith("_paper")
        assert (remark in value.reason) == (not raw), name
    at_limit = critical_band.summarize(cells(of_gaussian, free=0.01))
    assert not math.isnan(at_limit["critical_band/bandwidth"].value)


def test_of_few_classes_near_chance_is_their_largest_share():
    labels = pa.table({"imagenet": np.arange(1600, dtype=np.int32) % 16})
    free = "critical_band/sd0"
    for rate, doubted in ((0.0625, True), (0.07, False)):
        found = cells(of_gaussian, free=rate)
        found[free] = Cell(found[free].sums, no_records, lambda: labels)
        values = critical_band.summarize(found)
        for name in ("bandwidth", "f3/threshold"):
            value = values[f"critical_band/{name}"]
            assert math.isnan(value.value) == doubted
            assert ("always the same answer would be" in value.reason) == doubted


def test_the_papers_criterion_that_is_never_passed_is_told():
    values = critical_band.summarize(cells(of_gaussian, free=0.5))
    for name, value in values.items():
        absolute = name.endswith("_raw") or name.endswith("_paper")
        assert math.isnan(value.value) == absolute, name
        if absolute:
            assert value.reason.startswith("below the threshold without noise: 50.00 %")


def test_a_model_that_is_never_right_has_no_number():
    for name, value in critical_band.summarize(cells(of_gaussian, free=0.0)).items():
        assert math.isnan(value.value), name
        assert value.reason


@pytest.mark.parametrize("integer", range(5))
def test_flat_thresholds_have_no_band(integer):
    values = critical_band.summarize(cells(of_integers([integer] * 7)))
    for metric in ("bandwidth", "centre_frequency"):
        value = values[f"critical_band/{metric}_paper_norm"]
        assert math.isnan(value.value)
        assert "flat" in value.reason or "no masking effect" in value.reason
    ours = values["critical_band/bandwidth"]
    assert math.isnan(ours.value) == (integer in (0, 4))
    if integer == 0:
        assert ours.reason.startswith("no masking effect")
    elif integer == 4:
        assert ours.reason.startswith("censored everywhere")
    else:
        assert "width at its bound" in ours.reason


def test_without_records_numbers_have_no_interval_and_say_so():
    values = critical_band.summarize(cells(of_gaussian))
    remark = "no interval: 50000 examples were measured with records turned off"
    for name, value in values.items():
        assert math.isnan(value.low) and math.isnan(value.high)
        ours = "_paper" not in name and "residual" not in name
        assert (remark in value.reason) == ours, name


def measured(n, seed):
    """Return cells with records: images differ in how much noise they bear."""
    ease = np.random.default_rng(seed).uniform(-2.5, 2.5, n)
    found = {}
    for name in NAMES:
        part = name.split("/")
        hit = np.arange(n) % 5 > 0  # four fifths, without noise
        if name != NAMES[0]:
            f, sd = int(part[1][1:]), float(part[2][2:])
            hit = hit & (ease < 5 * (of_gaussian(f, sd) - 0.5))
        table = pa.table({"id": np.arange(n, dtype=np.uint64), "correct": hit})
        found[name] = Cell({"top1": int(hit.sum()), "count": n}, lambda t=table: t)
    return found


def test_our_numbers_have_intervals_that_cover_the_truth():
    values = critical_band.summarize(measured(2000, 0))
    truth = {f"critical_band/{m}": v for m, v in numbers(PARAMETERS).items()}
    for name, value in values.items():
        there = "_paper" not in name and "residual" not in name
        if "what is tested" in value.reason:
            # Two bands bear the strongest noise, one of them nearly not.
            assert value.value == 0.5 and math.isnan(value.low)
            continue
        assert math.isnan(value.low) != there
        assert not there or value.low <= value.value <= value.high
        if name in truth:
            # 95 % intervals: this sample's hold; half as wide at four times the images.
            assert value.low < truth[name] < value.high
            assert value.high - value.low < 0.25 * value.value
    without = critical_band.summarize(
        {n: Cell(c.sums, no_records) for n, c in measured(2000, 0).items()}
    )
    assert {n: v.value for n, v in without.items()} == {
        n: v.value for n, v in values.items()
    }


def test_a_censored_threshold_has_no_interval_of_no_width():
    found = measured(2000, 0)
    ids = pa.array(np.arange(2000, dtype=np.uint64))
    for band, share in ((0, 1.0), (1, 0.0), (2, 0.5)):
        for sd in SDS:
            right = (np.arange(2000) % 5 > 0) & (np.arange(2000) < share * 2000)
            right &= (band < 2) | (np.arange(2000) % 2 == 0) | (sd == SDS[0])
            table = pa.table({"id": ids, "correct": right})
            sums = {"top1": int(right.sum()), "count": 2000}
            found[f"critical_band/f{band}/sd{sd}"] = Cell(sums, lambda t=table: t)
    values = critical_band.summarize(found)
    borne, nowhere, edge = (values[f"critical_band/f{f}/threshold"] for f in range(3))
    assert (borne.value, nowhere.value) == (0.5, 3.5)
    for value in (borne, nowhere):
        assert math.isnan(value.low) and math.isnan(value.high)
        assert "censored" in value.reason and "no interval: " in value.reason
    # Half of the answers are left at the weakest noise: some resamples have less.
    assert edge.low < 3.5 and math.isnan(edge.high)
    assert "interval open above" in edge.reason


def test_intervals_shrink_with_the_root_of_the_images():
    widths = []
    for n in (500, 8000):
        value = critical_band.summarize(measured(n, 1))["critical_band/bandwidth"]
        widths.append(value.high - value.low)
    # A ratio of 4, each width known to some 5 % of 1000 resamples.
    assert 3 < widths[0] / widths[1] < 5


def test_records_of_other_images_make_no_interval():
    found = measured(500, 0)
    found[NAMES[3]] = measured(499, 0)[NAMES[3]]
    values = critical_band.summarize(found)
    for metric in METRICS[:3]:
        value = values[f"critical_band/{metric}"]
        assert not math.isnan(value.value)
        assert "no interval: got records of different images" in value.reason


def test_strengths_are_those_that_thresholds_are_counted_in():
    assert tuple(map(float, SDS)) == thresholds.SDS
