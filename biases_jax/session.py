"""What do all passes of a run share?"""

import dataclasses

from etils import epath

from biases_jax import results, sharding
from biases_jax.config import EvaluateConfig
from biases_jax.processes import Process


@dataclasses.dataclass(frozen=True)
class Session:
    """A run's settings, devices and folders."""

    config: EvaluateConfig
    process: Process
    spread: sharding.Spread
    store: results.ResultsStore
    checkpoints: epath.Path
    records: epath.Path

    @property
    def batch_size(self) -> int:
        """Examples of one step of this process, over all its devices."""
        return self.config.batch_size * len(self.spread.devices)
