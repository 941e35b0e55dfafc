"""Do patterns stand for the names that a shell would give, and is none in vain?"""

import re

import pytest

from biases_jax import naming

KNOWN = {"a/1": None, "b": None, "a/2": None, "A/1": None}


def test_names_are_in_the_order_of_the_known_and_once():
    assert naming.select(("a/*", "b", "a/2"), KNOWN, "a thing") == ["a/1", "b", "a/2"]
    assert naming.select(("*",), KNOWN, "a thing") == list(KNOWN)
    assert naming.select(("a/[2-9]",), KNOWN, "a thing") == ["a/2"]
    assert naming.select((), KNOWN, "a thing") == []


def test_all_patterns_in_vain_are_told_with_what_is_known():
    message = "got 'a/3', 'B', expected a name or pattern of a thing; known: a/1, b, "
    with pytest.raises(ValueError, match=re.escape(message) + "a/2, A/1$"):
        naming.select(("a/3", "b", "B"), KNOWN, "a thing")


def test_of_many_names_the_nearest_are_told_and_how_all_begin():
    many = {f"{letter}/low-pass/{i}": None for letter in "abcd" for i in range(20)}
    with pytest.raises(ValueError) as caught:
        naming.select(("b/lowpass/7",), many, "a thing")
    message = str(caught.value)
    assert "nearest: b/low-pass/7" in message
    assert message.endswith("; all begin with one of a, b, c, d")
    assert len(message) < 250
    with pytest.raises(ValueError, match="a thing; all begin with one of a, b, c, d"):
        naming.select(("qqqq",), many, "a thing")
