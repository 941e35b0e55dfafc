"""Drawings are the same for the same data, small, and at home on any page."""

import re
import xml.etree.ElementTree as ElementTree

from biases_jax.analysis.figures import bars, style, svg
from biases_jax.types import Value


def draw(number=1.23456789):
    value = Value(number, number / 2, number * 2, 9)
    return svg.text(bars.bars([("a <model>", value)], "label 0.123456"))


def test_equal_data_are_equal_bytes_and_other_data_are_not():
    assert draw() == draw() != draw(1.3)


def test_a_drawing_is_well_formed_and_says_nothing_of_when_it_was_made():
    drawing = draw()
    assert ElementTree.fromstring(drawing).tag.endswith("svg")
    assert "<dc:date" not in drawing and "<!--" not in drawing


def test_points_are_rounded_and_texts_are_not():
    drawing = draw()
    assert "label 0.123456" in drawing
    coordinates = re.findall(r' (?:d|x|y|transform)="([^"]*)"', drawing)
    assert coordinates and not re.search(r"\.\d{3}", " ".join(coordinates))


def test_rounding_moves_no_point_by_more_than_half_of_a_hundredth():
    for text in ("1.005001", "-0.0049", "12.3", "100.000", "-7.129999", "0.00001"):
        found = svg.LONG.fullmatch(text) or re.fullmatch(".*", text)
        # 1e-12: of float64's rounding.
        assert abs(float(svg._rounded(found)) - float(text)) <= 0.005 + 1e-12, text


def test_two_drawings_on_a_page_share_no_ids():
    ids = [
        set(re.findall(r'\bid="([^"]*)"', svg.inline(draw(), name, "title")))
        for name in ("one", "two")
    ]
    assert len(ids[0]) == len(ids[1]) > 5 and not ids[0] & ids[1]
    element = svg.inline(draw(), "one", "title")
    referred = re.findall(r'url\(#([^)]*)\)|xlink:href="#([^"]*)"', element)
    assert referred and {a or b for a, b in referred} <= ids[0]


def test_an_element_has_the_reader_s_colours_and_width():
    element = svg.inline(draw(), "one", "a title")
    assert style.INK not in element and "currentColor" in element
    assert style.PAPER not in element and "#ffffff" not in element
    assert "<title>a title</title>" in element
    assert not re.search(r"<svg[^>]* (width|height)=", element)
    assert 'viewBox="' in element


def test_a_file_is_black_on_white(tmp_path):
    svg.save(draw(), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert style.INK not in text and style.PAPER not in text
    assert "#000000" in text and "#ffffff" in text
