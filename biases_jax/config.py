"""What can be set for a run?"""

import dataclasses

PRECISIONS = ("float32", "tf32", "bfloat16")
SHARDINGS = ("shard_map", "pmap")


@dataclasses.dataclass
class EvaluateConfig:
    """All settings of a run; `configs/*.py` return one, flags override fields.

    The science (cut-offs, severities, budgets) is code in `benchmarks/`; only what
    remains to choose is here. Not frozen, since absl assigns overrides.
    """

    # Zoo names or patterns, 'name=path/to/checkpoint', 'name=layout:path' or
    # 'package.module:function'.
    models: tuple[str, ...] = ("*",)
    # Patterns of benchmark names: 'natural/*', 'spectral/low_pass/0.1'.
    benchmarks: tuple[str, ...] = ("*",)
    # Root of the image folders, and of the TFDS data sets; '' for TFDS' own default.
    data_dir: str = ""
    tfds_dir: str = ""
    # Where checkpoint files as published lie, or are downloaded to; '' for the cache.
    weights_dir: str = ""
    # Download nothing.
    offline: bool = False
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
    # 'package.module:function' that makes the images, if data_dir lies in the run's
    # folder: it is called with that folder before the stage evaluate.
    prepare: str = ""

    def check(self):
        """Refuse values that no run can have.

        Raises:
            ValueError: says which field, what was got and what is expected.
        """
        for name, least in {
            "batch_size": 1,
            "models_per_pass": 1,
            "workers": 0,
        }.items():
            if getattr(self, name) < least:
                raise ValueError(
                    f"got {name} = {getattr(self, name)}, expected {least} or more"
                )
        for name, known in {"precision": PRECISIONS, "sharding": SHARDINGS}.items():
            if getattr(self, name) not in known:
                raise ValueError(
                    f"got {name} = {getattr(self, name)!r}, expected one of {known}"
                )
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"got seed = {self.seed}, expected 0 to 2**32 - 1")
        for name in ("models", "benchmarks"):
            if not getattr(self, name):
                raise ValueError(
                    f"got no {name}, expected one name or pattern at least"
                )
