"""What does the reader do with each mutated file: tensors, or its one named error?

    python tests/convert/fuzz_worker.py --seed=0 --index=17 --keep=damaged.pth

reads file 17 of seed 0 again and keeps it. Whatever else happens is a
failure: another exception, an event that Python reports to auditors (an import, a
process, a socket, another file opened), a file that appears, over 5 s of a processor,
or more memory than a cap above what the imports took.
"""

import argparse
import codecs
import faulthandler
import hashlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

import mutations
import numpy as np

from convert import errors, state_dict, tensors

SECONDS = 5  # of a processor, so that a busy machine makes no difference
STANDSTILL = 120  # seconds that pass, if it only waits
# The files have at most 1 MB; an operation of a pickle takes up to 216 bytes.
MEMORY = 64 * 2**20
FILE = "mutated"
# What reading a file tells auditors: it opens and maps that one, and nothing else.
CODECS = ("ascii", "cp437", "latin1", "raw_unicode_escape", "unicode_escape", "utf8")
HARMLESS = {"mmap.__new__", "builtins.id", "object.__getattr__", "sys._getframe"}


class SideEffect(BaseException):
    """Not to be caught by any `except Exception`."""


class Auditor:
    """Notes and stops all that a file makes Python do beyond reading it."""

    def __init__(self):
        self.armed, self.seen = False, []
        sys.addaudithook(self)

    def __call__(self, event, arguments):
        if not self.armed or event in HARMLESS:
            return
        if (
            event == "open"
            and str(arguments[0]) == FILE
            and arguments[1] in ("r", "rb")
        ):
            return
        if event == "open" and str(arguments[0]) == FILE and arguments[2] & 3 == 0:
            return
        self.seen.append(f"{event} {arguments!r:.200}")
        raise SideEffect(event)


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.bases or pathlib.Path(scratch, "bases")
        if not options.bases:
            folder.mkdir()
            script = pathlib.Path(__file__).with_name("fuzz_bases.py")
            subprocess.run([sys.executable, script, folder], check=True)
        bases = mutations.read_bases(folder.resolve())
        home = pathlib.Path(scratch, "work")
        home.mkdir()
        os.chdir(home)
        run(options, bases)
        os.chdir("/")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--index", type=int, help="read this file only")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--stop", type=int, default=100)
    parser.add_argument("--bases", type=pathlib.Path, help="made if not given")
    parser.add_argument("--keep", type=pathlib.Path, help="where to keep the file")
    options = parser.parse_args()
    if options.index is not None:
        options.start, options.stop = options.index, options.index + 1
    if options.keep:
        options.keep = options.keep.absolute()
    return options


def run(options, bases):
    """Read each file and print a line of JSON about it."""
    file, auditor = pathlib.Path(FILE), Auditor()
    honest = {}
    for name in CODECS:  # Python's own, imported when first used
        codecs.lookup(name)
    for name, content in bases.items():
        file.write_bytes(content)
        honest[name] = found(state_dict.read(file).tree)
    limit_memory()
    # Ends the process, also one that is busy in C, after it says where.
    faulthandler.register(signal.SIGPROF, chain=True)
    for index in range(options.start, options.stop):
        mutated = mutations.make(bases, options.seed, index)
        file.write_bytes(mutated.content)
        if options.keep:
            options.keep.write_bytes(mutated.content)
        line = {"index": index, "kind": mutated.kind, "base": mutated.base}
        line |= watched(file, auditor)
        if mutated.intact and changed(line["tensors"], honest[mutated.base]):
            line["failure"] = "tensors that the checksums do not belong to"
        file.unlink()
        print(json.dumps(line), flush=True)
    print(json.dumps({"peak_kB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


def limit_memory():
    """Let this process have no more than the cap above what it has now."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def watched(file, auditor) -> dict:
    """Read a file, and end this process if it takes too long."""
    faulthandler.dump_traceback_later(STANDSTILL, exit=True)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    line = outcome(file, auditor)
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()
    return line


def outcome(file, auditor) -> dict:
    """Read a file as a conversion does: its tree, then each tensor."""
    line = {"tensors": {}, "error": None, "failure": None}
    auditor.seen, auditor.armed = [], True
    try:
        tree = state_dict.read(file).tree
        line["tensors"] = found(tree)
    except errors.CheckpointError as error:
        line["error"] = str(error)
    except BaseException as error:  # noqa: B036 - any other is what we look for
        line["failure"] = f"{type(error).__name__}: {error!s:.300}"
    auditor.armed = False
    if auditor.seen:
        line["failure"] = f"side effects: {auditor.seen}"
    elif os.listdir() != [FILE]:
        line["failure"] = f"files that appeared: {os.listdir()}"
    elif any("MemoryError" in text for text in refusals(line)):
        line["failure"] = "more memory than the cap"
    return line


def refusals(line) -> list[str]:
    texts = [text for text in line["tensors"].values() if text.startswith("refused")]
    return texts + ([line["error"]] if line["error"] else [])


def found(tree) -> dict[str, str]:
    """Return each tensor's digest, or why it was refused, by its path in the tree."""
    return {
        path: digest(value) for path, value in leaves(tree, tensors.Tensor, np.ndarray)
    }


def digest(value) -> str:
    try:
        array = value.array() if isinstance(value, tensors.Tensor) else value
    except errors.CheckpointError as error:
        return f"refused: {error!s:.300}"
    return describe(array.dtype.name, array.shape, array.tobytes())


def describe(dtype: str, shape, content: bytes) -> str:
    return f"{dtype} {list(shape)} {hashlib.sha1(content).hexdigest()}"


def leaves(tree, *kinds):
    """Yield (path, value) of all values of some kinds, each container once."""
    pending, seen = [("", tree)], set()
    while pending:
        path, node = pending.pop()
        if isinstance(node, kinds):
            yield path, node
        elif isinstance(node, (dict, list, tuple)) and id(node) not in seen:
            seen.add(id(node))
            named = node.items() if isinstance(node, dict) else enumerate(node)
            pending += [
                (f"{path[-200:]}/{label(key, n)}", child)
                for n, (key, child) in enumerate(named)
            ]


def label(key, position: int) -> str:
    plain = isinstance(key, (str, int, float, bytes, type(None)))
    return f"{key!r:.100}" if plain else f"#{position}"


def changed(found_tensors, honest_tensors) -> bool:
    return any(
        not text.startswith("refused") and honest_tensors.get(path) != text
        for path, text in found_tensors.items()
    )


if __name__ == "__main__":
    main()
