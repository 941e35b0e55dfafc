"""On what would a run compute here, and with which software?"""

import importlib.metadata
import platform

import jax
import jax.numpy as jnp

from biases_jax import provenance

_BIT = 2.0**-40  # lost by float32, kept by float64


def described() -> list[str]:
    """Return lines on this process' devices, their number formats, and versions.

    Raises:
        RuntimeError: JAX finds no device.
    """
    devices = jax.local_devices()
    first = devices[0]
    kind = f"{first.platform}, {first.device_kind}, {_memory(first)}"
    doubles = "yes" if _has_float64() else "no"
    x64 = "on" if jax.config.jax_enable_x64 else "off"
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in provenance.LIBRARIES
    )
    return [
        f"devices: {len(devices)} of {kind}; float64: {doubles}, x64 mode: {x64}",
        f"software: Python {platform.python_version()}, {versions}",
    ]


def _memory(device: jax.Device) -> str:
    limit = (device.memory_stats() or {}).get("bytes_limit")
    return "memory unknown" if limit is None else f"{limit / 2**30:.1f} GiB each"


def _has_float64() -> bool:
    try:
        with jax.enable_x64(True):
            one = jnp.ones((), jnp.float64)
            return bool(one + jnp.full((), _BIT, jnp.float64) > one)
    except RuntimeError:  # the platform has no such type
        return False
