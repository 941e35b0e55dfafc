"""No data, no weights, no network: the whole path in a few minutes on a laptop."""

from biases_jax import demo
from biases_jax.config import EvaluateConfig


def get_config() -> EvaluateConfig:
    """Return settings for two small networks on 24 crops of photographs."""
    return EvaluateConfig(
        prepare="biases_jax.demo:prepare",
        models=tuple(
            f"{name}={{workdir}}/{demo.WEIGHTS}/{name}.safetensors"
            for name in demo.MODELS
        ),
        benchmarks=("natural/imagenet", "spectral/*"),
        data_dir=f"{{workdir}}/{demo.IMAGES}",
        batch_size=12,
    )
