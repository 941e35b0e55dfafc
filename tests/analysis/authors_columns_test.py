"""The wide table is the authors': their names, their units, and not every number."""

import re

import pytest
from analysis import synthetic_long

from biases_jax.analysis import authors_columns, table
from biases_jax.humans import reference


@pytest.mark.parametrize(
    ("number", "column"),
    [
        ("natural/imagenet_a/subset200/top1", "top1_acc/imagenet-a"),
        ("spectral/high_pass/0.3/ratio", "metric/bandpass/HFC/0.3"),
        ("critical_band/bandwidth_paper", "metric/criticalband/bw"),
        ("critical_band/bandwidth_paper_norm", "metric/criticalband/bw_norm"),
        ("critical_band/centre_frequency_paper", "metric/criticalband/cf"),
        ("critical_band/centre_frequency_paper_norm", "metric/criticalband/cf_norm"),
        ("critical_band/peak_noise_sensitivity_paper", "metric/criticalband/pns"),
        (
            "critical_band/peak_noise_sensitivity_paper_norm",
            "metric/criticalband/pns_norm",
        ),
        ("shape/bias", "shape-bias"),
        ("shape/bias_sum", "shape-bias_sum"),
        ("model_vs_human/ood_mean", "top1_acc/ood_mean"),
        ("model_vs_human/stylized/sum/top1", "top1_acc/stylized/sum"),
        ("model_vs_human/own/mine/top1", "top1_acc/own/mine"),
        ("model_vs_human/own/mine/sum/top1", "top1_acc/own/mine/sum"),
    ],
)
def test_the_authors_names_are_theirs(number, column):
    assert authors_columns.column(number).name == column


def test_each_of_the_seventeen_sets_has_the_authors_column():
    assert len(reference.SETS) == 17
    for name in reference.SETS:
        found = authors_columns.column(f"model_vs_human/{name}/top1").name
        assert found == f"top1_acc/{name}"


@pytest.mark.parametrize(
    "number",
    [
        "vignette/2/top5",
        "spectral/low_pass/0.3/top1",
        "spectral/low_pass/0.3/ratio_corrected",
        "spectral/low_pass_clean/0.3/ratio",
        "critical_band/sd0/top1",
        "critical_band/f3/sd0.08/top1",
        "critical_band/f3/threshold",
        "critical_band/f3/threshold_paper_norm",
        "shape/cue_conflict/cat/bias",
        "shape/cue_conflict/sum/cat/bias",
        "shape/frequency_cue_conflict/cat/bias",
        "shape/own/mine/cat/bias",
        "shape/own/mine/sum/cat/bias",
        "model_vs_human/contrast/c05/top1",
        "model_vs_human/contrast/sum/c05/top1",
        "model_vs_human/contrast/ood",
        "model_vs_human/contrast/error_consistency",
    ],
)
def test_numbers_of_single_conditions_are_left_out(number):
    assert authors_columns.column(number).name == ""


@pytest.mark.parametrize(
    "number",
    [
        "vignette/slope",
        "critical_band/bandwidth",
        "critical_band/centre_frequency_raw",
        "spectral/lpp_corrected",
        "shape/frequency_bias",
        "shape/own/mine/bias",
        "shape/own/mine/bias_sum",
        "shape/cue_conflict/decided",
        "model_vs_human/error_consistency",
    ],
)
def test_ours_keep_their_own_names(number):
    assert authors_columns.column(number)[:2] == (len(authors_columns.COLUMNS), number)


@pytest.mark.parametrize("twin", ["", "_sum"])
@pytest.mark.parametrize("bias", ["bias", "bias_clustered"])
@pytest.mark.parametrize("start", ["", "own/mine/", "frequency_"])
def test_all_shape_biases_are_fractions_and_the_rates_beside_them_percent(
    start, bias, twin
):
    assert authors_columns.column(f"shape/{start}{bias}{twin}").unit == 0.01
    for rate in ("own/mine/decided", "own/bias_x/shape", "cue_conflict/sum/texture"):
        assert authors_columns.column(f"shape/{rate}").unit == 1.0
    assert authors_columns.column("spectral/bias").unit == 1.0  # is a fraction


def test_a_new_benchmark_s_accuracy_is_a_top1():
    assert authors_columns.column("vignette/2/top1").name == "top1_acc/vignette/2"


def test_no_number_has_two_columns_and_no_column_two_numbers():
    names = list(synthetic_long.numbers())
    columns = [authors_columns.column(name).name for name in names]
    shown = [column for column in columns if column]
    assert len(set(shown)) == len(shown) > 30


def test_the_shape_bias_is_a_fraction_and_accuracies_are_percent():
    long = synthetic_long.long(
        {
            "a": {
                "shape/bias": 21.8,
                "shape/bias_sum": 50.0,
                "shape/frequency_bias": 30.0,
                "shape/own/mine/bias_sum": 40.0,
                "model_vs_human/edge/top1": 40.0,
                "model_vs_human/ood_mean": 55.9,
                "spectral/low_pass/0.3/ratio": 0.5,
            }
        }
    )
    [line] = table.wide(long).to_pylist()
    assert line == {
        "model": "a",
        "top1_acc/edge": 40.0,
        "top1_acc/ood_mean": 55.9,
        "shape-bias": pytest.approx(0.218, rel=1e-12),  # one rounding
        "shape-bias_sum": pytest.approx(0.5, rel=1e-12),
        "metric/bandpass/LFC/0.3": 0.5,
        "shape/frequency_bias": pytest.approx(0.3, rel=1e-12),
        "shape/own/mine/bias_sum": pytest.approx(0.4, rel=1e-12),
    }


def test_the_wide_table_of_all_families_can_be_read():
    wide = table.wide(synthetic_long.of_models(["a", "b"]))
    conditions = [c for c in wide.column_names if re.search(r"/f\d/|/sd|c05|/cat/", c)]
    assert conditions == [] and len(wide.column_names) < 100
