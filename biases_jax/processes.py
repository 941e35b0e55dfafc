"""How many processes share the run, and which one is this?

Processes only meet twice: after the checkpoints are converted and when all rows are
written. In between each works alone on its share of every source.
"""

import dataclasses

import jax
import numpy as np
from absl import logging
from jax.experimental import multihost_utils


@dataclasses.dataclass(frozen=True)
class Process:
    """One of `count` processes that share the run; `linked` if JAX connects them."""

    index: int = 0
    count: int = 1
    linked: bool = False

    @property
    def leads(self) -> bool:
        """Whether this process converts and analyses for the others."""
        return self.index == 0 or not self.linked


def link(
    coordinator_address: str | None,
    process_count: int | None,
    process_index: int | None,
    timeout_seconds: int,
) -> Process:
    """Connect to the other processes; must precede any use of devices.

    Arguments that are None are found by JAX on TPU pods, Slurm and Kubernetes.

    Raises:
        RuntimeError: the others did not come within the timeout.
    """
    # A peer that never comes ends in an abort within JAX, so say beforehand what for.
    logging.info("waiting up to %d s for the other processes", timeout_seconds)
    # Its handler of SIGTERM would swallow the signal; a killed process loses one block.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        jax.distributed.initialize(
            coordinator_address,
            process_count,
            process_index,
            initialization_timeout=timeout_seconds,
        )
    except ValueError as error:
        raise RuntimeError(
            f"JAX found no job to join here ({error}): leave --distributed out, or "
            "give --coordinator_address, --process_count and --process_index"
        ) from error
    except RuntimeError as error:
        raise RuntimeError(
            f"the processes of this run did not meet within {timeout_seconds} s: "
            f"{error}; start the same command on every host"
        ) from error
    process = Process(jax.process_index(), jax.process_count(), linked=True)
    # Meet once now: the first meeting opens connections and does not wait long for
    # those who come late, as all others do (a conversion may take minutes).
    total(process, 0)
    return process


def job(text: str) -> Process:
    """Return the process of an array job, 'index/count': '0/8' ... '7/8'.

    Raises:
        ValueError: the text is malformed.
    """
    index, slash, count = text.partition("/")
    if not (slash and index.isdigit() and count.isdigit() and int(index) < int(count)):
        raise ValueError(f"got job {text!r}, expected index/count such as 0/8 or 7/8")
    return Process(int(index), int(count))


def total(process: Process, number: int) -> int:
    """Return the sum of `number` over all linked processes, once all have come."""
    if not process.linked:
        return number
    return int(multihost_utils.process_allgather(np.int32(number)).sum())
