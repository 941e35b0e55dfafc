"""The first tables have what a reader wants first, and can be read."""

import math
import re

from analysis import report_test, synthetic_long

from biases_jax.analysis import headline
from biases_jax.types import Value


def tables(numbers):
    """Return (columns, cells, caption) of each table of the headline, as text."""
    shown = headline.table(synthetic_long.long(numbers)).replace("<wbr>", "")
    report_test.Checker(shown)  # well-formed
    found = []
    for table in shown.split('<div class="scroll">')[1:]:
        columns = re.findall(r'<th scope="col">([^<]*)</th>', table)
        [caption] = re.findall(r"<caption>([^<]*)</caption>", table)
        found.append((columns, re.findall(r"<td.*?>(.*?)</td>", table), caption))
    return found


def test_there_is_a_table_per_family_with_few_columns():
    found = tables({name: synthetic_long.numbers(i) for i, name in enumerate("ab")})
    columns = {columns[1].partition("/")[0]: columns[1:] for columns, _, _ in found}
    assert list(columns) == ["natural", "critical_band", "shape", "spectral"]
    assert columns["critical_band"] == [
        f"critical_band/{metric}{variant}"
        for metric in ("bandwidth", "centre_frequency", "peak_noise_sensitivity")
        for variant in ("", "_paper_norm")
    ]
    assert "shape/bias" in columns["shape"] and "spectral/lpp" in columns["spectral"]
    assert max(map(len, columns.values())) <= 12
    assert [cells[0] for _, cells, _ in found] == ["a"] * 4


def test_every_caption_says_what_the_interval_is():
    for _, _, caption in tables({"a": synthetic_long.numbers()}):
        assert "95 %" in caption and "in brackets" in caption


def test_numbers_that_no_model_has_are_named_below_the_others():
    [(columns, cells, caption)] = tables(
        {
            "a": {"shape/bias": "not measured: shape/cue_conflict", "shape/x": 1.0},
            "b": {"shape/bias": "not measured: shape/cue_conflict", "shape/x": "no"},
        }
    )
    assert columns == ["model", "shape/x"]
    assert "No model has shape/bias" in caption


def test_a_family_without_any_number_says_why():
    [(columns, cells, _)] = tables({"a": {"shape/bias": "no decision"}})
    assert columns == ["model", "shape/bias"]
    assert "no decision" in cells[1] and "–" in cells[1]


def test_an_open_end_of_an_interval_is_a_dash():
    for ends, shown in (((2.1, math.nan), "[2.10, –]"), ((math.nan, 3.2), "[–, 3.20]")):
        value = Value(3.0, *ends, 100, reason="interval open")
        [(_, cells, _)] = tables({"a": {"critical_band/bandwidth": value}})
        assert shown in cells[1]


def test_a_remark_on_a_number_is_marked():
    value = Value(4.74, 4.5, 5.0, 100, reason="amplitude at its bound")
    [(_, cells, caption)] = tables({"a": {"critical_band/bandwidth": value}})
    assert 'title="amplitude at its bound">4.74 *</span>' in cells[1]
    assert "[4.50, 5.00]" in cells[1] and "* has a remark" in caption
