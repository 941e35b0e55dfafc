"""How far is the run? A bar on a terminal, a line now and then elsewhere."""

import sys
import time

from absl import logging
from tqdm import tqdm

SECONDS_BETWEEN_LINES = 30


class Progress:
    """Counts forwards (images times cells) towards a known total."""

    def __init__(self, total: int, title: str):
        terminal = sys.stderr.isatty()
        self._bar = tqdm(
            total=total, desc=title, unit="image", disable=not terminal, smoothing=0.1
        )
        self._lines = not terminal
        self._title, self._total, self._done = title, total, 0
        self._start = self._last = time.monotonic()

    def add(self, forwards: int, benchmark: str):
        """Count `forwards` more, of this benchmark."""
        self._bar.set_postfix_str(benchmark, refresh=False)
        self._bar.update(forwards)
        self._done += forwards
        now = time.monotonic()
        if self._lines and now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            rate = self._done / (now - self._start)
            left = (self._total - self._done) / rate
            logging.info(
                "%s: %d of %d forwards (%.1f images/s, %s), %.0f s to go",
                self._title,
                self._done,
                self._total,
                rate,
                benchmark,
                left,
            )

    def close(self):
        """Leave the terminal's line."""
        self._bar.close()
