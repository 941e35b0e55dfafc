"""The whole study in minutes: six small networks in a drawn world, no download."""

from biases_jax.config import EvaluateConfig
from biases_jax.miniature import study


def get_config() -> EvaluateConfig:
    """Return settings for six networks and a few images of each class."""
    return EvaluateConfig(
        prepare="biases_jax.miniature.study:prepare_few",
        models=study.models(study.FEW),
        benchmarks=study.FEW_BENCHMARKS,
        data_dir=f"{{workdir}}/{study.IMAGES}",
    )
