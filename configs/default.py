"""Every setting at its default: all models, all benchmarks, exact float32."""

from biases_jax.config import EvaluateConfig


def get_config() -> EvaluateConfig:
    """Return the default settings."""
    return EvaluateConfig()
