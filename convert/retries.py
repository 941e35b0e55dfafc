"""Is another attempt worth it, and after which wait?"""

import email.utils
import random
import time
from collections.abc import Callable
from typing import TypeVar

from absl import logging

ATTEMPTS = 5  # in a row that bring nothing new
NEWS = 2**20  # bytes that make it worth beginning to count anew
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds, between which waits double
LONGEST_ASKED = 300.0  # seconds; who asks for more is taken for one that fails
STATUSES = (408, 425, 429, 500, 502, 503, 504)
pause: Callable[[float], None] = time.sleep

Result = TypeVar("Result")


class TransientError(OSError):
    """A failure that may pass. `asked` is the wait in seconds that the server wants."""

    def __init__(self, message: str, asked: float = 0.0):
        super().__init__(message)
        self.asked = asked


def until_done(
    attempt: Callable[[], Result], position: Callable[[], int] = lambda: 0
) -> Result:
    """Return what `attempt` returns, tried anew after each `TransientError`.

    Args:
        attempt: may begin where the last one ended.
        position: tells how many bytes are there. As long as there are `NEWS` more of
            them than ever before, further attempts are made.

    Raises:
        OSError: the last failure, after `ATTEMPTS` that brought nothing new.
    """
    failures, furthest = 0, position()
    while True:
        try:
            return attempt()
        except TransientError as error:
            if position() >= furthest + NEWS:
                failures, furthest = 0, position()
            failures += 1
            if failures >= ATTEMPTS:
                raise OSError(f"{error} ({ATTEMPTS} attempts)") from error
            if error.asked > LONGEST_ASKED:
                raise OSError(
                    f"{error}; it asks to come again in {error.asked:.0f} s"
                ) from error
            seconds = max(error.asked, _wait(failures))
            logging.info("%s; next attempt in %.1f s", error, seconds)
        pause(seconds)


def asked(header: str | None) -> float:
    """Return the seconds of a Retry-After, given as such or as a date; 0 if neither."""
    text = (header or "").strip()
    if text.isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def _wait(failures: int) -> float:
    """Half of it is left to chance, so that many clients do not come back at once."""
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1))
    return longest * random.uniform(0.5, 1.0)
