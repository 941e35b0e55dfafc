"""What do the files of all runs say together?"""

import json
import os
import pathlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from biases_jax import tiling, verdicts
from biases_jax.rows import Block, CellHeader, Problem, Row
from biases_jax.verdicts import Age, Placed

Folder = str | os.PathLike


class Journal:
    """All headers and blocks of some files, and what follows from them.

    Of several fingerprints of one (model, benchmark) the newest counts, complete or
    not: older ones are history, unless asked for by `fingerprints`.
    """

    def __init__(self):
        self._runs: dict[str, Mapping[str, Any]] = {}
        self._headers: dict[tuple[str, str], dict[str, tuple[Age, CellHeader]]] = {}
        self._blocks: dict[str, list[Placed]] = {}
        self._read: dict[pathlib.Path, tuple[int, int]] = {}  # bytes and lines so far

    def add(self, path: pathlib.Path, number: int, entry: Mapping[str, Any]) -> None:
        """Take in one line of a file.

        Raises KeyError, TypeError or ValueError if it is no line of results.
        """
        age = (path.name, str(path.parent), number)
        fields = {name: value for name, value in entry.items() if name != "kind"}
        if entry["kind"] == "run":
            self._runs[path.stem] = fields
        elif entry["kind"] == "cell":
            self._add_header(age, CellHeader(**fields))
        elif entry["kind"] == "block":
            block = Block(**fields)
            self._blocks[block.fingerprint].append(Placed(age, path.stem, block))
        else:
            raise ValueError(f"unknown kind {entry['kind']!r}")

    def positions(self) -> dict[pathlib.Path, int]:
        """Return how many bytes of each file are read."""
        return {path: done for path, (done, _) in self._read.items()}

    def read_on(self, path: pathlib.Path) -> None:
        """Take in the lines of a file that are new; a torn last one waits.

        Raises ValueError that names file and line if another is broken.
        """
        done, number = self._read.get(path, (0, 0))
        with path.open("rb") as file:
            file.seek(done)
            lines = file.read().splitlines(keepends=True)
        for line in lines:
            number += 1
            try:
                if line.strip():
                    self.add(path, number, json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                if line is lines[-1] and not line.endswith(b"\n"):
                    break
                raise _broken(path, number, error) from error
            done += len(line)
            self._read[path] = (done, number)

    def refuse(self, header: CellHeader) -> None:
        """Raise ValueError if a known header of this fingerprint contradicts it."""
        known = self._headers.get((header.model, header.benchmark), {})
        if header.fingerprint in known:
            first = known[header.fingerprint][1]
            if first.n_expected != header.n_expected:
                raise ValueError(
                    f"{header.n_expected} examples expected where another line of this"
                    f" fingerprint expects {first.n_expected}"
                )

    def _add_header(self, age: Age, header: CellHeader) -> None:
        self.refuse(header)
        known = self._headers.setdefault((header.model, header.benchmark), {})
        older, _ = known.get(header.fingerprint, (age, header))
        known[header.fingerprint] = (max(age, older), header)
        self._blocks.setdefault(header.fingerprint, [])

    def cells(self, fingerprints: Collection[str] | None = None) -> list[CellHeader]:
        """Return the cell that counts for each (model, benchmark), sorted by these."""
        chosen = []
        for _, known in sorted(self._headers.items()):
            candidates = [
                entry
                for name, entry in known.items()
                if fingerprints is None or name in fingerprints
            ]
            if candidates:
                chosen.append(max(candidates, key=lambda entry: entry[0])[1])
        return chosen

    def missing(
        self,
        header: CellHeader,
        order: str,
        usable: Callable[[Block], bool] = lambda block: True,
    ) -> list[tuple[int, int]]:
        """Return the runs [first, last) of examples that no usable block covers.

        Blocks that did not count all their examples (a corrupt image) do not cover,
        so that mending the image is enough to have them measured again.
        """
        placed = sorted(self._blocks.get(header.fingerprint, []))
        kept = [p for p in placed if p.block.order == order and p.block.whole]
        kept = [p for p in kept if usable(p.block)]
        return tiling.gaps(tiling.cover(kept), header.n_expected)

    def verdicts(
        self, fingerprints: Collection[str] | None = None
    ) -> list[Row | Problem]:
        """Return a row for each cell that is complete, and a problem for the others."""
        return [
            verdicts.judge(header, self._blocks[header.fingerprint], self._runs)
            for header in self.cells(fingerprints)
        ]

    def rows(self, fingerprints: Collection[str] | None = None) -> list[Row]:
        """Return the cells that are complete and sound: the only publishable ones."""
        return [v for v in self.verdicts(fingerprints) if isinstance(v, Row)]

    def incomplete(self, fingerprints: Collection[str] | None = None) -> list[Problem]:
        """Return the cells of which some examples are still missing."""
        return in_state("partial", self.verdicts(fingerprints))

    def refused(self, fingerprints: Collection[str] | None = None) -> list[Problem]:
        """Return the cells that are finished and yet not published, with the reason."""
        return in_state("refused", self.verdicts(fingerprints))

    def conflicts(self) -> list[Problem]:
        """Return where two runs disagree on the integer sums of the same examples.

        The newest is used. A few counts differ where a decision is nearly a tie and
        the device or the batch was another; much more than that is an error.
        """
        return [
            problem
            for header in self.cells()
            for problem in verdicts.conflicts(header, self._blocks[header.fingerprint])
        ]


def in_state(state: str, results: Sequence[Row | Problem]) -> list[Problem]:
    """Return the problems that are in this state."""
    problems = [result for result in results if isinstance(result, Problem)]
    return [problem for problem in problems if problem.state == state]


def read(folders: Folder | Sequence[Folder]) -> Journal:
    """Return what all `*.jsonl` files of one or several folders say.

    The last line of a file may be torn (its process was killed) and is then left
    out. Raises ValueError that names file and line for any other broken line, and
    FileNotFoundError for a folder that does not exist.
    """
    return update(Journal(), folders)


def update(journal: Journal, folders: Folder | Sequence[Folder]) -> Journal:
    """Return the journal with what the files say since it read them.

    Only what is new is read; all of it, if a file is gone or shorter. Raises as
    `read` does.
    """
    sizes = {path: path.stat().st_size for path in files(folders)}
    if any(sizes.get(path, -1) < done for path, done in journal.positions().items()):
        journal = Journal()
    done = journal.positions()
    for path, size in sizes.items():
        if size > done.get(path, 0):
            journal.read_on(path)
    return journal


def files(folders: Folder | Sequence[Folder]) -> list[pathlib.Path]:
    """Return the results files of one or several folders, oldest run first."""
    if isinstance(folders, str | os.PathLike):
        folders = [folders]
    paths = []
    for folder in map(pathlib.Path, folders):
        if not folder.is_dir():
            raise FileNotFoundError(f"got {folder}, expected a folder of results")
        paths += folder.glob("*.jsonl")
    return sorted(paths, key=lambda path: (path.name, str(path.parent)))


def _broken(path: pathlib.Path, number: int, error: Exception) -> ValueError:
    return ValueError(
        f"{path}, line {number}: not a line of results ({error!r}); delete the line or"
        " move the file away, then run the same command again"
    )
