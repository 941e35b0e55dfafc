"""How far is the run? A bar on a terminal, a line now and then elsewhere."""

import sys
import time
from typing import NamedTuple

from absl import logging
from tqdm import tqdm

SECONDS_BETWEEN_LINES = 30


class Unit(NamedTuple):
    """What is counted: its names in total, rate and bar, and how many make one."""

    total: str
    rate: str
    bar: str
    size: int = 1


FORWARDS = Unit("forwards", "images", "image")
BYTES = Unit("MB", "MB", "B", 10**6)


class Progress:
    """Counts towards a known total: forwards (images times cells), or bytes.

    `done` of the total are there already; they do not count for the rate.
    """

    def __init__(self, total: int, title: str, unit: Unit = FORWARDS, done: int = 0):
        terminal = sys.stderr.isatty()
        self._bar = tqdm(
            total=total,
            desc=title,
            unit=unit.bar,
            unit_scale=unit.size > 1,
            initial=done,
            disable=not terminal,
            smoothing=0.1,
        )
        self._lines = not terminal
        self._title, self._unit = title, unit
        self._total, self._done, self._first = total, done, done
        self._start = self._last = time.monotonic()

    def add(self, count: int, of_what: str):
        """Count some more, of this benchmark or part."""
        self._bar.set_postfix_str(of_what, refresh=False)
        self._bar.update(count)
        self._done += count
        now = time.monotonic()
        if self._lines and now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            rate = (self._done - self._first) / (now - self._start)
            logging.info(
                "%s: %d of %d %s (%.1f %s/s, %s), %.0f s to go",
                self._title,
                self._done / self._unit.size,
                self._total / self._unit.size,
                self._unit.total,
                rate / self._unit.size,
                self._unit.rate,
                of_what,
                (self._total - self._done) / rate,
            )

    def close(self):
        """Leave the terminal's line."""
        self._bar.close()
