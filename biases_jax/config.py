"""What can be set for a run?"""

import dataclasses


@dataclasses.dataclass
class EvaluateConfig:
    """All settings of a run; `configs/*.py` return one, flags override fields.

    The science (cut-offs, severities, budgets) is code in `benchmarks/`; only what
    remains to choose is here. Not frozen, since absl assigns overrides.
    """

    # Zoo names or patterns, 'name=path/to/checkpoint', or 'package.module:function'.
    models: tuple[str, ...] = ("*",)
    # Patterns of benchmark names: 'natural/*', 'spectral/low_pass/0.1'.
    benchmarks: tuple[str, ...] = ("*",)
    # Root of the image folders, and of the TFDS data sets; '' for TFDS' own default.
    data_dir: str = ""
    tfds_dir: str = ""
    # Where checkpoint files as published lie ('' if all are converted already).
    weights_dir: str = ""
    # Examples per device and step. Results do not depend on it.
    batch_size: int = 64
    # Models that share one pass over the images.
    models_per_pass: int = 8
    # Image-decoding workers.
    workers: int = 2
    # Seed of all noise.
    seed: int = 0
    # 'float32' (exact products everywhere), 'tf32' or 'bfloat16'.
    precision: str = "float32"
    # 'shard_map' or 'pmap': two spellings of the same data parallelism.
    sharding: str = "shard_map"
    # Keep per-example records beside the sums.
    records: bool = True
    # 'package.module:function' that is called with the run's folder before all else.
    prepare: str = ""
