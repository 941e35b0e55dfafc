"""How do all entry points read their flags and refuse wrong ones?"""

import sys
from collections.abc import Callable, Sequence

from absl import app, flags

from biases_jax.settings import USAGE

OUT = flags.DEFINE_string("out", None, "Folder to write to.")


def run(main: Callable[[], int]) -> None:
    """Parse the flags, call `main` and exit with the code that it returns.

    Wrong flags, stray arguments and an `app.UsageError` print the usage and exit
    with 2.
    """
    app.run(lambda argv: sys.exit(_refuse_stray(argv) or main()), flags_parser=_parse)


def error(message: object) -> app.UsageError:
    """Return the exception that ends a program for wrong usage."""
    return app.UsageError(str(message), USAGE)


def _refuse_stray(argv: Sequence[str]) -> None:
    if argv[1:]:
        raise error(f"got stray arguments {list(argv[1:])}, expected flags only")


def _parse(argv: Sequence[str]) -> list[str]:
    try:
        return flags.FLAGS(list(argv))
    # A flag names a file of settings, which is a user's code and may raise anything.
    except Exception as e:
        app.usage(shorthelp=True, detailed_error=e, exitcode=USAGE)
        sys.exit(USAGE)
