"""Strict JAX, eight CPU devices, and shapes checked at run time, for every test."""

import os
import pathlib
import sys
import tempfile

# Before jax is imported anywhere: the devices and the strictness of the whole run.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
from jaxtyping import install_import_hook

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

# Not `convert.opcodes`: it checks the integers of 10,000 operations in each file.
_CONVERT = pathlib.Path(__file__).parents[1] / "convert"
_CHECKED = [
    f"convert.{path.stem}" for path in _CONVERT.glob("*.py") if path.stem != "opcodes"
]
_hook = install_import_hook(["biases_jax", *_CHECKED], "beartype.beartype")

# No test, and no program that it starts, finds or leaves anything in the user's cache.
_CACHE = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = _CACHE.name


def pytest_unconfigure():
    """Remove the cache."""
    _CACHE.cleanup()


def _refuse_the_internet(event: str, arguments: tuple):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
        if not host.startswith("127.") and host not in ("::1", "localhost"):
            raise RuntimeError(f"got a connection to {host} in a test, expected none")


sys.addaudithook(_refuse_the_internet)
