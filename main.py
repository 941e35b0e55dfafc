"""Measure biases and generalisation: flags in, the stages' work out.

Exit codes: 0 all done, 2 wrong usage, 3 something is incomplete (the log says what).
"""

from biases_jax import command_line, usage
from biases_jax.stages import driver

if __name__ == "__main__":
    usage.run(lambda: driver.run(command_line.settings()))
