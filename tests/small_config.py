"""Two random networks on 24 crops: the whole program in seconds."""

import small_study

from biases_jax.config import EvaluateConfig


def get_config() -> EvaluateConfig:
    """Return settings for the files that `small_study.prepare` writes."""
    return EvaluateConfig(
        prepare="small_study:prepare",
        models=tuple(
            f"{name}={{workdir}}/{small_study.WEIGHTS}/{name}.safetensors"
            for name in small_study.MODELS
        ),
        benchmarks=("natural/imagenet", "spectral/*"),
        data_dir=f"{{workdir}}/{small_study.IMAGES}",
        batch_size=12,
    )
