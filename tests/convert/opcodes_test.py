"""Are pickles refused that blow up Python's unpickler before they are unpickled?"""

import argparse
import io
import mmap
import pickle

import numpy as np
import pytest

from convert import errors, opcodes

BRANCHING = b"".join(b"q%c0h%ch%c\x86" % (i, i, i) for i in range(20))
HOSTILE = {
    "2 GB of memo by LONG_BINPUT": b"\x80\x02Nr\xff\xff\xff\x0f.",
    "2 GB of memo by PUT": b"Np268435455\n.",
    "a negative memo index": b"Np-1\n.",
    "an unknown memo entry": b"h\x07.",
    "8 exabytes of text": b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7f.",
    "2 GB of bytes": b"\x80\x03B\xff\xff\xff\x7f.",
    "2 GB of integer": b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "tuples nested 20,000 deep": b"N" + b"\x85" * 20_000 + b".",
    "calls nested 20,000 deep": b"N" + b"\x85R" * 20_000 + b".",
    "2**20 hashes by 20 tuples": b")" + BRANCHING + b".",
    "a tuple of 20,000": b"(" + b"N" * 20_000 + b"t.",
    "a tuple of 20,000 in parts that were altered by nothing": (
        b"N" + b"\x85Nb" * 20_000 + b"."
    ),
    "the same by no items": b"N" + b"\x85(e" * 20_000 + b".",
    "the same as storages": b"\x80\x02N" + b"\x85Q" * 20_000 + b".",
    "6,000 tuples as keys": b"}(" + b"N\x85N" * 6_000 + b"u.",
    "6,000 tuples as keys one by one": b"}" + b"N\x85Ns" * 6_000 + b".",
    "6,000 tuples as keys of a dict": b"(" + b"N\x85N" * 6_000 + b"d.",
    "6,000 tuples in a set": b"\x80\x04\x8f(" + b"N\x85" * 6_000 + b"\x90.",
    "an extension": b"\x80\x02\x82\x01.",
    "a buffer out of band": b"\x80\x05\x97.",
    "a persistent id as text": b"P0\n.",
    "more taken than was put": b"00.",
    "no mark": b"Nt.",
    "no end": b"\x80\x02N",
    "nothing": b"",
    "no pickle": b"\xff\xfe",
    "an integer that is none": b"Ix\n.",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_and_broken_pickles_are_refused(data):
    with pytest.raises(errors.CheckpointError):
        opcodes.scan(io.BytesIO(data))


def test_large_pickles_are_refused():
    texts = [f"{i:01000}" for i in range(opcodes.MAX_BYTES // 1000)]
    data = pickle.dumps(texts)
    with pytest.raises(errors.CheckpointError, match=f"over {opcodes.MAX_BYTES} bytes"):
        opcodes.scan(io.BytesIO(data))


def test_pickles_of_many_operations_are_refused(monkeypatch):
    monkeypatch.setattr(opcodes, "MAX_OPERATIONS", 1000)  # so that the test is fast
    sets = b"\x80\x04" + b"\x8f" * 998 + b"."
    assert opcodes.scan(io.BytesIO(sets)) == len(sets)
    with pytest.raises(errors.CheckpointError, match="or 1000 operations"):
        opcodes.scan(io.BytesIO(sets[:-1] + b"\x8f."))


@pytest.mark.parametrize("protocol", range(6))
def test_what_python_writes_passes(protocol):
    shared = [1.5, "text"]
    content = {
        "containers": [shared, (shared, shared), {1, 2}, frozenset("ab"), {}],
        "numbers": [True, -1, 2**64 - 1, -(2**63), 1j],
        "keys": {(1, 2): 3, 4.5: 6, b"7": 8, None: 9},
        "arrays": [np.arange(3), np.float64(2)],
        "object": argparse.Namespace(a=3),
        "names": [argparse.Namespace, len],
        "many": list(range(20_000)),
        "bytes": [b"x" * 300, bytearray(3)],
    }
    content["itself"] = content
    data = pickle.dumps(content, protocol)
    # Text protocols pickle None of these as persistent ids, so all must pass.
    assert opcodes.scan(io.BytesIO(data)) == len(data)


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 2**5000])
def test_integers_of_more_than_64_bits_are_refused(number):
    texts = (b"I%d\n." % number, b"L%dL\n." % number)
    for data in (pickle.dumps([1, number], 2), *texts):
        with pytest.raises(errors.CheckpointError, match="expected at most 64"):
            opcodes.scan(io.BytesIO(data))


def test_one_integer_may_be_let_through():
    data = pickle.dumps([2**70], 2)
    assert opcodes.scan(io.BytesIO(data), 2**70) == len(data)
    with pytest.raises(errors.CheckpointError, match="71 bits"):
        opcodes.scan(io.BytesIO(data), 2**70 + 1)


def test_keys_of_one_hash_are_refused_at_once():
    # A pickle of 1 MB holds 100,000 such, which take Python minutes.
    keys = {k * (2**61 - 1) for k in range(1, 30)}
    assert len({hash(key) for key in keys}) == 1
    with pytest.raises(errors.CheckpointError, match="bits in a pickle"):
        opcodes.scan(io.BytesIO(pickle.dumps(dict.fromkeys(keys), 2)))


def test_pickles_in_a_row_are_told_apart(tmp_path):
    first, second = pickle.dumps([1, 2], 2), pickle.dumps({"a": None}, 4)
    (tmp_path / "row").write_bytes(first + second + b"rest")
    with (tmp_path / "row").open("rb") as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    assert opcodes.scan(content) == len(first)
    assert opcodes.scan(content) == len(first + second)
