"""What is not drawn is named, briefly."""

import math

from analysis import synthetic_long

from biases_jax.analysis.drawings import numbers
from biases_jax.analysis.drawings.drawing import parts
from biases_jax.types import Value


def test_a_number_that_is_not_there_says_which():
    found = numbers.Numbers(synthetic_long.long({"a": {"spectral/lpp": 0.5}}))
    assert found.models == ["a"]
    assert found.get("a", "spectral/lpp").value == 0.5
    for model in ("a", "b"):
        value = found.get(model, "natural/imagenet/top1")
        assert math.isnan(value.value)
        assert value.reason == "not measured: natural/imagenet"


def test_models_are_named_once_per_reason():
    one, other = (Value(math.nan, reason=reason) for reason in ("one", "other"))
    gaps = [("a", one), ("a", one), ("b", one), ("a", other), ("c", Value(1.0))]
    assert numbers.missing(gaps) == " Not drawn: a, b (one); a (other)."
    assert numbers.missing([("c", Value(1.0))]) == ""


def test_many_models_and_long_reasons_are_cut():
    value = Value(math.nan, reason="x" * 500)
    told = numbers.missing((f"model {index}", value) for index in range(48))
    assert "model 11, and 36 more, see long.csv (xxx" in told
    assert len(told) < 400
    several = [(f"m{i}", Value(math.nan, reason=f"reason {i}")) for i in range(48)]
    assert "; and 36 more, see long.csv." in numbers.missing(several)


def test_parts_hold_all_items_in_order():
    for count in (0, 1, 12, 13, 48):
        found = parts("name", list(range(count)))
        assert [item for _, part in found for item in part] == list(range(count))
        assert all(0 < len(part) <= 12 for _, part in found)
        assert len({name for name, _ in found}) == len(found)
    assert [name for name, _ in parts("name", [1])] == ["name"]
