"""What did the user ask for, once the command line is read?"""

import dataclasses

from etils import epath

from biases_jax.config import EvaluateConfig
from biases_jax.processes import Process

DONE, USAGE, INCOMPLETE = 0, 2, 3  # exit codes


@dataclasses.dataclass(frozen=True)
class Settings:
    """The command line, checked and frozen.

    `compare` and `allow_mixed_numerics` are for the stage `compare` alone.
    """

    config: EvaluateConfig
    stages: tuple[str, ...]
    workdir: epath.Path
    process: Process
    compare: tuple[str, ...] = ()
    allow_mixed_numerics: bool = False
