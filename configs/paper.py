"""The paper's study: its models on all benchmarks, in exact float32."""

from biases_jax.config import EvaluateConfig


def get_config() -> EvaluateConfig:
    """Return settings for an accelerator; give `data_dir` and `weights_dir`."""
    return EvaluateConfig(
        models=("*",),
        benchmarks=("*",),
        batch_size=256,
        models_per_pass=8,
        workers=16,
        precision="float32",
    )
