"""Strict JAX, eight CPU devices, and shapes checked at run time, for every test."""

import os

# Before jax is imported anywhere: the devices and the strictness of the whole run.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
from jaxtyping import install_import_hook

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

_hook = install_import_hook(["biases_jax", "convert"], "beartype.beartype")
