"""How is a batch spread over this process' devices? The only file that knows.

Each process works alone on its own examples and its own devices: no collective, no
rendezvous. Sums leave each device as they are and are added on the host.
"""

import dataclasses
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

AXIS = "batch"


@runtime_checkable
class Spread(Protocol):
    """A way to run one per-device function on every device."""

    devices: tuple[jax.Device, ...]

    def replicate(self, tree: Any) -> Any:
        """Put a whole copy of every array on each device."""

    def shard(self, tree: Any) -> Any:
        """Split every array along axis 0 over the devices."""

    def per_device(self, function: Callable, sharded: tuple[bool, ...]) -> Callable:
        """Compile `function` to run on each device's part.

        `sharded` tells for each argument whether it is split or replicated. All
        results are split: a per-device sum is returned with a leading axis of one.
        """

    def collect(self, tree: Any) -> Any:
        """Return NumPy arrays, the devices' parts joined along axis 0."""


@dataclasses.dataclass(frozen=True)
class ShardMap:
    """`jax.jit(jax.shard_map(...))` over a mesh of one axis."""

    devices: tuple[jax.Device, ...]

    def replicate(self, tree: Any) -> Any:
        """See `Spread`."""
        return jax.device_put(tree, _placement(self.devices, PartitionSpec()))

    def shard(self, tree: Any) -> Any:
        """See `Spread`."""
        return jax.device_put(tree, _placement(self.devices, PartitionSpec(AXIS)))

    def per_device(self, function: Callable, sharded: tuple[bool, ...]) -> Callable:
        """See `Spread`."""
        specs = tuple(PartitionSpec(AXIS) if s else PartitionSpec() for s in sharded)
        return jax.jit(
            jax.shard_map(
                function,
                mesh=_mesh(self.devices),
                in_specs=specs,
                out_specs=PartitionSpec(AXIS),
                # Nothing is communicated, so there is no replication to prove.
                check_vma=False,
            )
        )

    def collect(self, tree: Any) -> Any:
        """See `Spread`."""
        return jax.device_get(tree)


@dataclasses.dataclass(frozen=True)
class Pmap:
    """`jax.pmap`: arrays carry a leading axis of devices between the stages."""

    devices: tuple[jax.Device, ...]

    def replicate(self, tree: Any) -> Any:
        """See `Spread`."""
        return jax.device_put(tree, _placement(self.devices, PartitionSpec()))

    def shard(self, tree: Any) -> Any:
        """See `Spread`."""
        return jax.device_put(
            jax.tree.map(self._split, tree),
            _placement(self.devices, PartitionSpec(AXIS)),
        )

    def per_device(self, function: Callable, sharded: tuple[bool, ...]) -> Callable:
        """See `Spread`."""
        axes = tuple(0 if s else None for s in sharded)
        return jax.pmap(function, AXIS, in_axes=axes, devices=self.devices)

    def collect(self, tree: Any) -> Any:
        """See `Spread`."""
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), jax.device_get(tree))

    def _split(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(len(self.devices), -1, *x.shape[1:])


SPREADS: dict[str, type[ShardMap] | type[Pmap]] = {
    "shard_map": ShardMap,
    "pmap": Pmap,
}


def spread(name: str, devices: Sequence[jax.Device] | None = None) -> Spread:
    """Return the named way to use `devices` (default: all devices of this process).

    Raises:
        ValueError: the name is unknown.
    """
    if name not in SPREADS:
        raise ValueError(f"got sharding {name!r}, expected one of {sorted(SPREADS)}")
    return SPREADS[name](tuple(devices or jax.local_devices()))


def use_cores(limit: int = 4) -> None:
    """Let the CPU be one device per core, `limit` at most; before any device is used.

    A core that runs a network alone is faster than cores that share each layer: by a
    tenth on two (`tests/speed/forward.py`). Every device holds the weights, hence the
    limit; more cores share the devices' work. Does nothing where the number of CPU
    devices is set already, and nothing to accelerators.
    """
    chosen = "xla_force_host_platform_device_count" in os.environ.get("XLA_FLAGS", "")
    if not chosen and jax.config.jax_num_cpu_devices < 1:
        jax.config.update("jax_num_cpu_devices", min(cores(), limit))


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@functools.cache
def _mesh(devices: tuple[jax.Device, ...]) -> jax.sharding.Mesh:
    # Explicit axes would refuse per-image loops and kernels inside shard_map.
    return jax.sharding.Mesh(np.array(devices), (AXIS,), axis_types=(AxisType.Auto,))


def _placement(devices: tuple[jax.Device, ...], spec: PartitionSpec) -> NamedSharding:
    return NamedSharding(_mesh(devices), spec)
