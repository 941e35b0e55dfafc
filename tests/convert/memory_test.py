"""Does reading take little more memory than the file has bytes, whatever is in it?"""

import struct
import subprocess
import sys

import handmade_checkpoints as handmade
import numpy as np
import pytest

from convert import opcodes, torch_zip

# Of the reader's own limits: an eightfold text, a set for each operation, ten times the
# list of entries. None depends on the file's size.
CONSTANT = 64 * 2**20
READ = """
import pathlib, resource, sys
from convert import errors, state_dict

def peak():  # of this process's memory, in bytes, since it was reset
    text = pathlib.Path("/proc/self/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) * 1024

pathlib.Path("/proc/self/clear_refs").write_text("5")
before = peak()
try:
    tree = state_dict.read(pathlib.Path(sys.argv[1])).tree
    if isinstance(tree, dict):
        for value in tree.values():
            value.array().sum()
except errors.CheckpointError:
    pass
print(peak() - before)
"""


def text(size):
    """A text of wide characters: four bytes each in memory, all but one of one here."""
    wide = "a" * (size - 4) + "\U0001f600"
    return b"X" + struct.pack("<I", size) + wide.encode()


def directory(path):
    """As many entries as the list may have bytes for, all of nothing."""
    handmade.write_zip(path, b"\x80\x02}.", {str(i): b"" for i in range(25_000)})


def tensors(path):
    """Forty views of one storage, each as large as the file."""
    numel = 2**22
    views = {
        str(i): handmade.Tensor(handmade.Storage("0", numel), 0, (numel,), (1,))
        for i in range(40)
    }
    storage = np.ones(numel, np.float32).tobytes()
    handmade.write_zip(path, handmade.described(views), {"0": storage})


HALF = opcodes.MAX_OPERATIONS // 2
CONTENTS = {
    "sets": b"\x80\x04(" + b"\x8f" * (2 * HALF - 9) + b"l.",
    "tuples": b"\x80\x04(" + b"(\x91" * (HALF - 9) + b"l.",
    "memo": b"\x80\x04N" + b"\x94" * (2 * HALF - 9) + b".",
    "byte arrays": b"\x80\x04(" + (b"\x96" + bytes(8)) * (2 * HALF - 9) + b"l.",
    "text": b"\x80\x04" + text(opcodes.MAX_BYTES - 100) + b".",
    "line": b"\x80\x04V" + b"a" * (opcodes.MAX_BYTES - 100) + b"\n.",
    "too much": b"\x80\x04(" + b"\x8f" * (20 * HALF) + b"l.",
    "too long": b"\x80\x04" + text(2**25) + b".",
}


@pytest.mark.parametrize("content", [*CONTENTS, directory, tensors])
def test_reading_takes_the_files_size_and_a_constant(tmp_path, content):
    path = tmp_path / "model.pth"
    if isinstance(content, str):
        handmade.write_zip(path, CONTENTS[content])
    else:
        content(path)
    command = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) < path.stat().st_size + CONSTANT


def test_the_limits_leave_room_for_honest_checkpoints(tmp_path):
    """A ResNet-50 has 320 tensors; here with Adam's two of each, and an average."""
    tensor = handmade.Tensor(handmade.Storage("0", 6))
    pickle = handmade.described([{f"layer.{i}": tensor for i in range(320)}] * 4)
    assert 4 * len(pickle) < opcodes.MAX_BYTES / 10
    assert 320 * 4 < torch_zip.MAX_ENTRIES / 10
