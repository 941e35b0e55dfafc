"""The page has the wide table whole, and of the long one what a page can bear."""

from analysis import report_test, synthetic_long

from biases_jax.analysis import table, tables


def test_all_numbers_of_a_small_study_are_there():
    long = synthetic_long.of_models(["a"])
    text = " ".join(report_test.Checker(tables.section(long, table.wide(long))).text)
    assert f"All {len(long)} numbers" in text
    for name in ("critical_band/f3/sd0.08", "shape/cue_conflict/cat"):
        assert name in text


def test_of_a_large_study_the_first_are_and_the_page_says_where_all_are(monkeypatch):
    monkeypatch.setattr(tables, "LINES", 20)
    long = synthetic_long.of_models(["a"])
    page = tables.section(long, table.wide(long))
    assert f"The first 20 of {len(long)} numbers; all are in long.csv" in page
    folded = page.partition("<details>")[2]
    assert folded.count("<tr>") == 1 + 20  # and the heading
