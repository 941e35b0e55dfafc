"""Which software, devices and settings made a row?"""

import dataclasses
import datetime
import importlib.metadata
import platform
from typing import Any

import jax
from PIL import features

from biases_jax import processes, stimuli
from biases_jax.config import EvaluateConfig

LIBRARIES = (
    "biases_jax",
    "flax",
    "grain",
    "jax",
    "jaxlib",
    "numpy",
    "orbax-checkpoint",
    "pillow",
    "scipy",
    "tensorflow-datasets",
)


def of_run(config: EvaluateConfig, process: processes.Process) -> dict[str, Any]:
    """Return what is written once per run: for people, and for `compare`."""
    devices = jax.local_devices()
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "process_index": process.index,
        "process_count": process.count,
        "platform": devices[0].platform,
        "device_kind": devices[0].device_kind,
        "device_count": len(devices),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        "jpeg_decoder": f"libjpeg-turbo {features.version('libjpeg_turbo')}",
        "prng": stimuli.PRNG,
        "threefry_partitionable": bool(jax.config.jax_threefry_partitionable),
        "config": dataclasses.asdict(config),
    }
