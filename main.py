"""Measure biases and generalisation: flags in, the stages' work out.

Exit codes: 0 all done, 2 wrong usage, 3 something is incomplete (the log says what).
"""

import sys

from absl import app

from biases_jax import command_line
from biases_jax.stages import driver

if __name__ == "__main__":
    app.run(
        lambda argv: sys.exit(driver.run(command_line.settings(argv))),
        flags_parser=command_line.parse,
    )
