"""Do stand-ins take all that a pickle does to them, and keep no more than it holds?"""

import io

import pytest

from convert import errors, opcodes, pickles

PAIRS = b"ccollections\nOrderedDict\n(%btR."
TWICE = (
    b"](](VX\nK\x01eeq\x000ccollections\nOrderedDict\nq\x01(h\x00tRh\x01(h\x00tR\x86."
)


def load(data):
    placeholders = set()
    opcodes.scan(io.BytesIO(data))
    return pickles.loads(data, pickles.no_storage, placeholders), placeholders


def test_placeholders_swallow_all_that_a_pickle_does_to_an_object():
    # arguments, keyword arguments, state, list items, dict items, set items, a call
    steps = (
        b"\x80\x04\x8c\x01m\x8c\x01n\x93K\x01\x85}\x8c\x01kK\x02s\x92"
        b"}\x8c\x01aK\x03sb"
        b"(K\x01K\x02e" + b"K\x01a" + b"(K\x01K\x02u" + b"K\x01K\x02s" + b"(K\x01\x90"
        b"K\x05\x85R."
    )
    found, placeholders = load(steps)
    assert placeholders == {"m.n"}
    assert found.origin == "m.n"
    assert not hasattr(found, "a")
    with pytest.raises(AttributeError):
        found.a = 1


def test_attributes_of_a_dict_are_dropped():
    data = b"ccollections\nOrderedDict\n)R}X\x05\x00\x00\x00itemsNsb."
    found, _ = load(data)
    assert isinstance(found, dict) and list(found.items()) == []


def test_the_pairs_of_python_2_are_a_dict():
    assert load(PAIRS % b"](](VX\nK\x01e](VY\nNee")[0] == {"X": 1, "Y": None}


def test_a_list_fills_one_dict_only():
    # The memo's list for a million dicts would take its size a million times.
    found, _ = load(TWICE)
    assert found == ({"X": 1}, {})


@pytest.mark.parametrize(
    "argument", [b"}", b"](](NNee", b"](]()Nee", b"](VXY\ne", b")", b"]]"]
)
def test_other_arguments_of_a_dict_are_refused(argument):
    with pytest.raises(errors.CheckpointError, match="got a dict"):
        load(PAIRS % argument)
