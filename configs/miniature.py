"""The drawn world in full: all small networks, as many images as have numbers."""

from biases_jax.config import EvaluateConfig
from biases_jax.miniature import study


def get_config() -> EvaluateConfig:
    """Return settings for all networks that were trained in the world."""
    return EvaluateConfig(
        prepare="biases_jax.miniature.study:prepare",
        models=study.models(study.NETWORKS),
        benchmarks=study.BENCHMARKS,
        data_dir=f"{{workdir}}/{study.IMAGES}",
    )
