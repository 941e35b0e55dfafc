"""Does any damaged or hostile file crash, hang, mislead or abuse the reader?"""

import collections
import json
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
KINDS = 15


@pytest.fixture(scope="session")
def bases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bases")
    script("fuzz_bases.py", folder)
    return folder


def script(name, *arguments, **options):
    """Run a script of this folder in a process of its own."""
    command = [sys.executable, str(HERE / name), *map(str, arguments)]
    return subprocess.run(command, text=True, capture_output=True, **options)


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


def read(bases, seed, start, stop):
    """Return a line about each file; one that ends the process has a failure, too."""
    found = []
    while start < stop:
        numbers = ("--seed", seed, "--start", start, "--stop", stop)
        done = script("fuzz_worker.py", *numbers, "--bases", bases)
        found += [line for line in lines(done.stdout) if "index" in line]
        start = found[-1]["index"] + 1 if found else start
        if done.returncode:
            end = f"the process ended with {done.returncode}: {done.stderr[-1500:]}"
            nothing = {"kind": "?", "tensors": {}, "error": None}
            found.append({"index": start, "failure": end} | nothing)
            start += 1
    return found


def compare(bases, seed, accepted, scratch):
    """Return PyTorch's verdict by index, '' where it did not survive the file."""
    verdicts = {}
    options = ("--seed", seed, "--bases", bases, "--scratch", scratch)
    while accepted:
        text = "".join(json.dumps(line) + "\n" for line in accepted)
        done = script("fuzz_oracle.py", *options, input=text)
        verdicts |= {v["index"]: v["verdict"] for v in lines(done.stdout)}
        accepted = [line for line in accepted if line["index"] not in verdicts]
        if accepted:
            assert done.returncode != 0
            verdicts[accepted.pop(0)["index"]] = ""
    return verdicts


def fuzz(bases, seed, count, scratch):
    """Read `count` files of a seed; assert that each is read rightly or refused."""
    found = read(bases, seed, 0, count)
    accepted = [x for x in found if arrays(x) and not x["failure"]]
    verdicts = compare(bases, seed, accepted, scratch)
    faults = {x["index"]: x["failure"] for x in found if x["failure"]}
    faults |= {n: v for n, v in verdicts.items() if v not in ("", "same", "refused")}
    assert not faults, "\n".join(
        f"python tests/convert/fuzz_worker.py --seed={seed} --index={index}: {fault}"
        for index, fault in sorted(faults.items())
    )
    assert [x["index"] for x in found] == list(range(count))
    assert_no_walk_over(found, verdicts)


def arrays(line):
    return [text for text in line["tensors"].values() if not text.startswith("refused")]


def assert_no_walk_over(found, verdicts):
    """Assert that in each kind some files are read and some refused, for many reasons.

    The shares are half of the smallest that were seen.
    """
    total = collections.Counter(line["kind"] for line in found)
    read_well = collections.Counter(line["kind"] for line in found if arrays(line))
    refused = collections.Counter(line["kind"] for line in found if line["error"])
    assert len(total) == KINDS
    for kind, count in total.items():
        assert read_well[kind] >= 0.02 * count, kind
        assert refused[kind] >= 0.05 * count, kind
    words = [re.sub(r"[\d']+|'.*'", "", x["error"]) for x in found if x["error"]]
    assert len(set(words)) >= 60
    same = sum(verdict == "same" for verdict in verdicts.values())
    assert same >= 0.6 * len(verdicts)


FAULTS = {
    "imports": ("import this", "side effects: .*import"),
    "starts a process": ("os.system('true')", "side effects: .*os.system"),
    "opens a socket": ("import socket; socket.socket()", "side effects: "),
    "writes a file": ("open('x', 'w')", "side effects: .*open"),
    "looks a name up": ("pickle.loads(b'cos\\nsystem\\n.')", "pickle.find_class"),
    "raises another error": ("raise KeyError('a')", "KeyError"),
    "takes much memory": ("bytes(2**28)", "MemoryError"),
    "hides a lack of memory": (
        "raise errors.CheckpointError('broken: MemoryError')",
        "more memory",
    ),
    "is slow": ("while True: pass", "ended with -27: .*in read"),
    "is slow in C": ("sum(range(10**12))", "ended with -27: .*in read"),
    "crashes": ("faulthandler._sigsegv()", "ended with -11"),
    "misreads": ("return CHANGED", "checksums"),
}
FAULTY = """
import faulthandler, io, os, pathlib, pickle, sys
sys.path.insert(0, {here!r})
import numpy, fuzz_worker, mutations
from convert import errors, state_dict
CHANGED = state_dict.Checkpoint({{"flat": numpy.zeros(96, "f4")}}, (), "", {{}})
def read(path):
    {fault}
def make(bases, seed, index):
    state_dict.read = read
    return mutations.Mutated("bits", "views.zip", bases["views.zip"], True)
mutations.make, fuzz_worker.SECONDS = make, 1
fuzz_worker.main()
"""


@pytest.mark.parametrize("fault, message", FAULTS.values(), ids=FAULTS)
def test_the_worker_notices_a_reader_that(bases, fault, message, monkeypatch):
    code = FAULTY.format(here=str(HERE), fault=fault)

    def run(name, *arguments):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, text=True, capture_output=True)

    monkeypatch.setattr(sys.modules[__name__], "script", run)
    (line,) = read(bases, 0, 0, 1)
    assert re.search(message, line["failure"], re.DOTALL)


def test_pytorch_notices_tensors_that_are_wrong(bases, tmp_path):
    accepted = [x for x in read(bases, 0, 0, 60) if arrays(x)][:2]
    path = next(
        p for p, text in accepted[0]["tensors"].items() if "refused" not in text
    )
    accepted[0]["tensors"][path] += "0"
    found = compare(bases, 0, accepted, tmp_path / "mutated")
    assert found[accepted[0]["index"]].startswith(f"{path}: ")
    assert found[accepted[1]["index"]] in ("same", "refused")


def test_2000_mutated_files_are_read_rightly_or_refused(bases, tmp_path):
    fuzz(bases, 0, 2000, tmp_path / "mutated")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_20000_more_are_read_rightly_or_refused(bases, tmp_path, seed):
    fuzz(bases, seed, 4000, tmp_path / "mutated")
