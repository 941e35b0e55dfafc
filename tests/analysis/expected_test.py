"""Is an accuracy that is not the published one found, and its likely cause asked?"""

import math
import re

import pytest
from analysis import synthetic

from biases_jax import results
from biases_jax.analysis import expected, published, run, table
from biases_jax.models import zoo

MODEL = "tv_resnet50"
R = "natural/imagenet_r/subset200"


def judged(benchmark, away, model=MODEL):
    """Judge an accuracy that is `away` points from the published one."""
    figure = published.figures(model)[benchmark]
    correct = round((figure.percent + away) * figure.n / 100)
    return expected.judge(model, benchmark, correct, figure.n)


@pytest.mark.parametrize("model", zoo.MODELS)
def test_the_published_counts_are_inside(model):
    for benchmark in published.figures(model):
        verdict = judged(benchmark, 0.0, model)
        assert verdict.inside is True and verdict.text == "as published"


def test_a_wrong_label_space_is_told_with_its_likely_cause():
    verdict = judged(R, -6.0)
    assert verdict.inside is False
    assert verdict.published == pytest.approx(36.157, abs=1e-3)  # rounded here
    assert verdict.text == (
        "natural/imagenet_r/subset200 is 6.00 points below the published 36.16: is the"
        " label space the 200-class one (subset200), and are labels in 0 to 999, mapped"
        " once?"
    )
    assert "points above" in judged(R, 6.0).text


@pytest.mark.parametrize("benchmark", published.COLUMNS)
@pytest.mark.parametrize("side", [-1, 1])
def test_the_range_ends_where_it_says(benchmark, side):
    model = "tv2_resnet50"  # of which no figure is near 0
    n = published.figures(model)[benchmark].n
    one = 100 / n
    assert judged(benchmark, side * (expected.width(n) - one), model).inside is True
    assert judged(benchmark, side * (expected.width(n) + one), model).inside is False


def test_the_range_is_that_of_flips_and_drift():
    assert expected.width(10_000) == pytest.approx(0.2 + 0.3, rel=1e-12)
    # What it must tell apart: no antialiasing (0.8 points) on the validation set.
    assert expected.width(50_000) < 0.4
    # What it must not: torchvision's own figure of the same checkpoint.
    assert judged("natural/imagenet", 76.13 - 76.146).inside is True


@pytest.mark.parametrize(
    ("benchmark", "cause"),
    [
        ("natural/imagenet", "weights"),
        ("natural/imagenet_v2/matched_frequency", "matched-frequency.*numbers"),
        ("natural/imagenet_a/subset200", "subset200.*selected against ResNet-50"),
        ("natural/imagenet_r/subset200", "subset200"),
        ("natural/imagenet_sketch", "50,889"),
        ("model_vs_human/stylized", "800 images.*16-way"),
        ("spectral/low_pass/0.5", "clean accuracy"),
        ("imagenet_c/fog/3", "not resized"),
        ("imagenet_cbar/sparkles/1", "not generated anew"),
    ],
)
def test_every_benchmark_has_a_hint_of_its_own(benchmark, cause):
    assert re.search(cause, judged(benchmark, -10.0, "tv2_resnet50").text)


def test_no_figure_lacks_a_hint():
    for benchmark in published.figures(MODEL):
        assert expected.hint(benchmark).endswith("?")


def test_another_number_of_images_is_not_judged():
    verdict = expected.judge(MODEL, "natural/imagenet", 1, 24)
    assert verdict.inside is None
    assert verdict.text == "the published figure is of 50000 images, this of 24"
    assert expected.judge(MODEL, "natural/imagenet", 0, 0).inside is None
    assert expected.judge(MODEL, "natural/imagenet", 1, 50_001).inside is None


@pytest.mark.parametrize(
    ("model", "benchmark"),
    [
        ("mine", "natural/imagenet"),
        (MODEL, "natural/imagenet_real"),
        (MODEL, "natural/imagenet_a/full1000"),
        (MODEL, "natural/imagenet_v2/top_images"),
        (MODEL, "adversarial/pgd40_low"),
    ],
)
def test_what_was_not_published_or_not_rightly_is_not_judged(model, benchmark):
    verdict = expected.judge(model, benchmark, 100, 50_000)
    assert verdict == expected.Verdict(None, None, "no published figure")


def measured(folder, benchmark, correct, n, scored=None, model=MODEL):
    """Write one complete cell of n examples."""
    header = synthetic.header(model, benchmark, source_sha256=benchmark)
    cell = results.CellHeader(
        model, benchmark, header.fingerprint, n, header.provenance
    )
    sums = {"count": n, "top1": correct, "top5": correct, "nonfinite": 0}
    sums |= {} if scored is None else {"scored": scored}
    block = results.Block(cell.fingerprint, "order", 0, n, sums, {"seconds": 1.0})
    results.ResultsStore(folder, synthetic.RUN).append([cell], [block])


def lines(folder):
    long = table.long(results.read(folder).rows(), run.summaries())
    return {(line["benchmark"], line["metric"]): line for line in long.to_pylist()}


def test_the_long_table_says_which_cells_are_off(tmp_path):
    measured(tmp_path, R, 9_000, 30_000, scored=30_000)
    measured(tmp_path, "natural/imagenet", 38_073, 50_000)
    measured(tmp_path, "natural/imagenet_real", 30_000, 50_000, scored=46_837)
    found = lines(tmp_path)
    off = found[R, "top1"]
    assert off["inside"] is False and "subset200" in off["expected"]
    assert off["published"] == published.figures(MODEL)[R].percent
    fine = found["natural/imagenet", "top1"]
    assert fine["inside"] is True and fine["expected"] == "as published"
    real = found["natural/imagenet_real", "top1"]
    assert real["inside"] is None and real["expected"] == "no published figure"
    assert real["n"] == 46_837
    assert real["value"] == pytest.approx(100 * 30_000 / 46_837, rel=1e-12)
    assert found[R, "top5"]["published"] is None


def test_rates_are_of_the_judged_images_and_so_is_the_comparison(tmp_path):
    # All 50,000 are read, but only those of 200 classes are scored.
    measured(tmp_path, "natural/imagenet_clean_a", 8_000, 50_000, scored=10_000)
    line = lines(tmp_path)["natural/imagenet_clean_a", "top1"]
    assert (line["value"], line["n"], line["correct"]) == (80.0, 10_000, 8_000)


def page_of(folder):
    out = run.analyse(results.read(folder), folder, folder / "report")
    return out.read_text(encoding="utf-8")


def test_the_report_says_so_and_asks_for_the_cause(tmp_path):
    measured(tmp_path, R, 9_000, 30_000, scored=30_000)
    measured(tmp_path, "natural/imagenet", 38_073, 50_000)
    text = page_of(tmp_path)
    assert "1 of 2 accuracies that can be compared are not the published ones" in text
    assert "tv_resnet50: natural/imagenet_r/subset200 is 6.16 points below" in text
    assert "is the label space the 200-class one (subset200)" in text
    assert "Janis" in text or "J. Keuper" in text
    assert "CC BY-SA 4.0" in text


def test_a_report_that_agrees_says_so_without_a_warning(tmp_path):
    measured(tmp_path, "natural/imagenet", 38_073, 50_000)
    text = page_of(tmp_path)
    assert "All 1 accuracies that can be compared are as published" in text
    assert 'class="warning"' not in text


def test_a_row_of_other_images_is_shown_without_a_warning(tmp_path):
    measured(tmp_path, "natural/imagenet", 1, 24)
    text = page_of(tmp_path)
    assert "the published figure is of 50000 images, this of 24" in text
    assert 'class="warning"' not in text


def test_models_of_ones_own_have_no_such_section(tmp_path):
    measured(tmp_path, "natural/imagenet", 38_073, 50_000, model="mine")
    assert "Published figures" not in page_of(tmp_path)


def test_the_wide_table_has_the_authors_protocols(tmp_path):
    names = {
        "natural/imagenet": "top1_acc/imagenet",
        "natural/imagenet_v2/matched_frequency": "top1_acc/imagenet-v2",
        "natural/imagenet_real": "top1_acc/imagenet-real",
        "natural/imagenet_a/subset200": "top1_acc/imagenet-a",
        "natural/imagenet_r/subset200": "top1_acc/imagenet-r",
        "natural/imagenet_sketch": "top1_acc/imagenet-sketch",
        "model_vs_human/stylized": "top1_acc/stylized",
    }
    others = ["natural/imagenet_a/full1000", "natural/stylized_imagenet"]
    for place, name in enumerate([*names, *others]):
        measured(tmp_path, name, 10 + place, 100)
    long = table.long(results.read(tmp_path).rows(), run.summaries())
    [line] = table.wide(long).to_pylist()
    assert list(line)[1 : 1 + len(names)] == list(names.values())
    for place, name in enumerate([*names.values(), *(f"top1_acc/{o}" for o in others)]):
        assert line[name] == 10 + place
    assert not math.isnan(line["top1_acc/stylized"])
