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
    with pytest.raises(errors.CheckpointError, match="over 16777216 bytes"):
        opcodes.scan(io.BytesIO(data))


@pytest.mark.parametrize("protocol", range(6))
def test_what_python_writes_passes(protocol):
    shared = [1.5, "text"]
    content = {
        "containers": [shared, (shared, shared), {1, 2}, frozenset("ab"), {}],
        "numbers": [True, -1, 10**30, 2**40, 1j],
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


def test_pickles_in_a_row_are_told_apart(tmp_path):
    first, second = pickle.dumps([1, 2], 2), pickle.dumps({"a": None}, 4)
    (tmp_path / "row").write_bytes(first + second + b"rest")
    with (tmp_path / "row").open("rb") as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    assert opcodes.scan(content) == len(first)
    assert opcodes.scan(content) == len(first + second)
