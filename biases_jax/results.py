"""Where does a run leave its results, and which are missing?"""

import dataclasses
import datetime
import json
import os
import pathlib
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from biases_jax import journal
from biases_jax.journal import Folder, Journal, read
from biases_jax.rows import Block, CellHeader, Problem, Row, fingerprint

TIME = "%Y%m%dT%H%M%S_%f"  # sorts by time; a file's name begins with it

__all__ = [
    "Block",
    "CellHeader",
    "Journal",
    "Problem",
    "ResultsStore",
    "Row",
    "fingerprint",
    "read",
]


class ResultsStore:
    """The results folder of a run: reads all runs' files, appends to its own.

    Every process of every run writes a file of its own (JSON lines, never rewritten),
    so that a line torn by a kill cannot damage another's, and merging runs is having
    their files in one folder. `run` is what the file opens with: library versions,
    device kind and count, `process_index`, configuration; it must be JSON. `name` is
    this process' own: the stem of its file, good for others that go with it.
    """

    def __init__(self, folder: Folder, run: Mapping[str, Any]):
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._run = dict(run)
        process = int(self._run.get("process_index", 0))
        time = _later_than(journal.files(self._folder))
        self.name = f"{time}_{process:05d}_{secrets.token_hex(4)}"
        self._path = self._folder / f"{self.name}.jsonl"
        self._written: set[str] = set()
        self._journal = Journal()

    def append(self, headers: Iterable[CellHeader], blocks: Sequence[Block]) -> None:
        """Write blocks to the disk, with the headers that the file does not hold yet.

        Returns when they are safe there (one write, flushed and synced). Raises
        ValueError if a block's header was never given, or contradicts an earlier one.
        """
        named = {(h.model, h.benchmark, h.fingerprint): h for h in headers}
        new = [h for identity, h in named.items() if identity not in self._written]
        known = {identity[-1] for identity in [*named, *self._written]}
        strange = sorted({b.fingerprint for b in blocks} - known)
        if strange:
            raise ValueError(f"got blocks of {strange}, expected their headers first")
        entries = [_entry("cell", header) for header in new]
        entries += [_entry("block", block) for block in blocks]
        if not entries:
            return
        if new:
            known_now = self._journal_now()
            for header in new:
                known_now.refuse(header)
        if not self._path.exists():
            entries.insert(0, {"kind": "run", **self._run})
            self._create()
        _write(self._path, entries)
        self._written |= set(named)

    def claim(self, headers: Iterable[CellHeader]) -> None:
        """Make these the cells that count, whatever was measured before or after.

        Writes the headers that are not the newest of their (model, benchmark): a cell
        that is asked for and never begun is then known to be missing.
        """
        newest = {(h.model, h.benchmark, h.fingerprint) for h in self.cells()}
        stale = [
            h for h in headers if (h.model, h.benchmark, h.fingerprint) not in newest
        ]
        self.append(stale, [])

    def cells(self) -> list[CellHeader]:
        """Return the cell that counts for each (model, benchmark)."""
        return self._journal_now().cells()

    def missing(
        self,
        header: CellHeader,
        order: str,
        usable: Callable[[Block], bool] = lambda block: True,
    ) -> list[tuple[int, int]]:
        """Return the runs [first, last) of examples that no usable block covers."""
        return self._journal_now().missing(header, order, usable)

    def rows(self, fingerprints: Collection[str] | None = None) -> list[Row]:
        """Return the cells that are complete and sound, of all runs in the folder.

        Only the newest fingerprint of a (model, benchmark) counts, or the newest of
        those in `fingerprints`.
        """
        return self._journal_now().rows(fingerprints)

    def incomplete(self, fingerprints: Collection[str] | None = None) -> list[Problem]:
        """Return the cells of which some examples are still missing."""
        return self._journal_now().incomplete(fingerprints)

    def refused(self, fingerprints: Collection[str] | None = None) -> list[Problem]:
        """Return the cells that are finished and yet not published, with the reason."""
        return self._journal_now().refused(fingerprints)

    def conflicts(self) -> list[Problem]:
        """Return where two runs disagree on the integer sums of the same examples."""
        return self._journal_now().conflicts()

    def _create(self) -> None:
        self._path.touch(exist_ok=False)
        folder = os.open(self._folder, os.O_RDONLY)
        os.fsync(folder)  # so that the file's name outlives a crash too
        os.close(folder)

    def _journal_now(self) -> Journal:
        """Return the journal with what this and other processes wrote since."""
        self._journal = journal.update(self._journal, self._folder)
        return self._journal


def _later_than(paths: Sequence[pathlib.Path]) -> str:
    """Return the time, or a moment after the newest file where its clock is ahead."""
    now = f"{datetime.datetime.now(datetime.UTC):{TIME}}"
    newest = max((path.name[: len(now)] for path in paths), default="")
    if newest < now:
        return now
    try:
        ahead = datetime.datetime.strptime(newest, TIME)
    except ValueError:
        return now  # a file that no run has named
    return f"{ahead + datetime.timedelta(microseconds=1):{TIME}}"


def _entry(kind: str, thing: CellHeader | Block) -> dict[str, Any]:
    fields = dataclasses.fields(thing)
    return {"kind": kind, **{f.name: getattr(thing, f.name) for f in fields}}


def _write(path: pathlib.Path, entries: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(entry) + "\n" for entry in entries)
    with path.open("ab") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
