"""What is a column of the table?"""

import dataclasses

from biases_jax import scores, transforms
from biases_jax.types import Score, Transform


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """A source, what is done to its images, and how answers are judged.

    `name` is `family/variant/level`; the family is the file in `benchmarks/` that
    yields it. `stream` names the noise stream: benchmarks that share it see the same
    draws for the same example (default: the benchmark's own name). `revision` grows
    when a formula is corrected, so that older rows no longer count.
    """

    name: str
    source: str
    transform: Transform = transforms.Identity()
    score: Score = scores.TopK()
    stream: str = ""
    revision: int = 1

    def __post_init__(self):
        if not self.stream:
            object.__setattr__(self, "stream", self.name)

    @property
    def family(self) -> str:
        """The first part of the name."""
        return self.name.split("/", 1)[0]

    def lacks(self) -> str:
        """Return why its stimuli cannot be made on this machine, '' if they can.

        A transform that needs files of its own has a method `lacks` that tells.
        """
        lacks = getattr(self.transform, "lacks", None)
        return lacks() if lacks else ""
