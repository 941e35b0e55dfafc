"""What did the user ask for, once the command line is read?"""

import dataclasses

from etils import epath

from biases_jax.config import EvaluateConfig
from biases_jax.processes import Process

DONE, USAGE, INCOMPLETE = 0, 2, 3  # exit codes


@dataclasses.dataclass(frozen=True)
class Parity:
    """What to compare with PyTorch, or between machines.

    An archive is written or read, or neither: then PyTorch itself is asked. `framework`
    is whose answers are written, or compared with an archive. `images` is a folder, a
    file or a pattern; '' stands for four crops of photographs.
    """

    write_reference: str = ""
    reference: str = ""
    framework: str = "jax"
    images: str = ""
    precisions: tuple[str, ...] = ("float64", "float32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Settings:
    """The command line, checked and frozen.

    `compare` and `allow_mixed_numerics` are for the stage `compare` alone, `parity` for
    the stage of that name, `sample` and `sources` for the stage `doctor`: how many
    images of a source it decodes, None for all, and which sources it looks at, none for
    those that the benchmarks read. `image` is the path of what the stage `gallery`
    shows, '' for an image of each source.
    """

    config: EvaluateConfig
    stages: tuple[str, ...]
    workdir: epath.Path
    process: Process
    compare: tuple[str, ...] = ()
    allow_mixed_numerics: bool = False
    parity: Parity = Parity()
    sample: int | None = 200
    sources: tuple[str, ...] = ()
    image: str = ""
