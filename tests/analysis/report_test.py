"""The report is one page that needs nothing but itself."""

import dataclasses
import html.parser
import re
import xml.etree.ElementTree as ElementTree

import pytest
from analysis import synthetic

from biases_jax import proportions, results
from biases_jax.analysis import drawings, headline, page, run, table
from biases_jax.analysis.figures import style
from biases_jax.sources import validation

VOID = {"meta", "img", "br", "link", "input"}


class Checker(html.parser.HTMLParser):
    """Collects what is wrong with a page, and what it refers to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.references, self.text = [], [], [], []
        self.feed(text.replace("<wbr>", ""))  # a place where a name may break
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href"):
                self.references.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def report(tmp_path):
    synthetic.fill(tmp_path / "results")
    return run.analyse(
        results.read(tmp_path / "results"),
        tmp_path / "records",
        tmp_path / "report",
        pictures=[("low <pass> & co", b"\x89PNG")],
        corrupt=[("imagenet", "broken<1>.JPEG", "truncated")],
    )


def test_the_page_is_well_formed_and_refers_to_nothing_outside(report):
    text = report.read_text()
    checker = Checker(text)
    assert len(set(checker.ids)) == len(checker.ids) > 20
    for reference in checker.references:
        inside = reference.startswith("#") and reference[1:] in checker.ids
        assert (
            inside
            or reference.startswith("data:image/png;base64,")
            or (report.parent / reference).is_file()
        ), reference
    for pointed in re.findall(r"url\(#([^)]*)\)", text):
        assert pointed in checker.ids
    outside = re.sub(r'xmlns(:xlink)?="[^"]*"', "", text)
    assert "http" not in outside and "@import" not in outside
    assert "<script" not in text


def test_the_page_shows_numbers_intervals_counts_and_what_is_wrong(report):
    text = " ".join(Checker(report.read_text()).text)
    value = proportions.wilson(150, 200)
    assert f"[{value.low:.2f}, {value.high:.2f}]" in text and "n = 200" in text
    assert "spectral/lpp" in text and "broken<1>.JPEG" in text
    assert "jax 0.10.2" in text and "weights of a" in text


def test_the_page_follows_the_readers_theme_width_and_printer(report):
    text = report.read_text()
    for needed in ("color-scheme: light dark", "width=device-width", "@media print"):
        assert needed in text
    assert style.INK not in text and "currentColor" in text


def test_links_lead_to_all_tables_and_figures(report):
    references = Checker(report.read_text()).references
    for name in (
        "wide.csv",
        "long.csv",
        "long.parquet",
        "provenance.csv",
        "figures/band_pass.svg",
        "figures/top1.svg",
    ):
        assert name in references and (report.parent / name).stat().st_size > 0


def test_unpublished_cells_are_listed_and_nan_shows_its_reason(tmp_path):
    store = synthetic.fill(tmp_path, benchmarks=synthetic.BENCHMARKS[:3])
    cell = synthetic.header("<b>", "natural/imagenet")
    store.append([cell], synthetic.blocks(cell, (0, 80)))
    path = run.analyse(results.read(tmp_path), tmp_path, tmp_path / "out")
    text = path.read_text()
    assert "80 of 200" in text and "[80, 200) are missing" in text
    assert "&lt;b&gt;" in text and "<b>" not in text
    assert 'title="not measured: spectral/low_pass/0.1' in text
    assert "1 cell(s) not published" in text
    provenance = (tmp_path / "out" / "provenance.csv").read_text()
    assert "<b>,natural/imagenet,partial" in provenance


def test_labels_other_than_published_are_said_above_all_numbers(
    report, tmp_path, monkeypatch
):
    said = "imagenet: its labels are other than those published"
    assert said not in report.read_text()
    header = synthetic.header

    def own(*arguments, **changes):
        found = header(*arguments, **changes)
        provenance = {**found.provenance, "labels": validation.OTHER}
        return dataclasses.replace(found, provenance=provenance)

    monkeypatch.setattr(synthetic, "header", own)
    synthetic.fill(tmp_path / "own")
    written = run.analyse(results.read(tmp_path / "own"), "", tmp_path / "own_report")
    text = written.read_text()
    assert text.count(said) == 1 and text.index(said) < text.index("Headline numbers")
    assert validation.OTHER in (written.parent / "provenance.csv").read_text()


def test_natural_sets_that_were_not_measured_are_no_headlines(tmp_path):
    synthetic.fill(tmp_path, benchmarks=("natural/imagenet",))
    long = table.long(results.read(tmp_path).rows(), run.summaries())
    shown = headline.table(long).replace("<wbr>", "")
    assert "natural/imagenet/top1" in shown and "natural/imagenet/top5" in shown
    assert "natural/imagenet_real" not in shown and "not measured" not in shown


def test_no_results_still_give_a_page(tmp_path):
    path = run.analyse(results.read(tmp_path), tmp_path, tmp_path / "out")
    assert "0 model(s), 0 complete" in " ".join(Checker(path.read_text()).text)


def test_figures_are_byte_deterministic_files(tmp_path):
    synthetic.fill(tmp_path)
    rows = results.read(tmp_path).rows()
    long = table.long(rows, run.summaries())
    first, second = drawings.draw(long), drawings.draw(long)
    assert first == second
    drawn = [drawing for group in first for drawing in group.drawings]
    assert [drawing.name for drawing in drawn] == [
        "top1",
        "band_pass",
        "band_pass_clean",
    ]
    for drawing in drawn:
        root = ElementTree.fromstring(drawing.svg)
        assert root.tag.endswith("svg") and "<dc:date" not in drawing.svg


def test_numbers_are_readable():
    assert [page.number(x) for x in (76.146, 0.12345, float("nan"))] == [
        "76.15",
        "0.1235",
        "–",
    ]
