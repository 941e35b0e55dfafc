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
    records: epath.Path | None  # None if no records are wanted

    def batch_size(self, examples: int) -> int:
        """Return the examples of one step of this process, over all its devices.

        A share of fewer than a full batch is not padded to one.
        """
        devices = len(self.spread.devices)
        return devices * min(self.config.batch_size, max(-(-examples // devices), 1))
