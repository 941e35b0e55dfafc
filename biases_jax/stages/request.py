"""What does every stage need to know about the run?"""

import dataclasses
from collections.abc import Sequence

from etils import epath

from biases_jax import benchmarks
from biases_jax.benchmark import Benchmark
from biases_jax.config import EvaluateConfig
from biases_jax.models import checkpoints, load
from biases_jax.settings import Settings


@dataclasses.dataclass(frozen=True)
class Request:
    """The settings, with models and benchmarks resolved."""

    settings: Settings
    references: tuple[load.Reference, ...]
    benchmarks: tuple[Benchmark, ...]

    @property
    def config(self) -> EvaluateConfig:
        """The run's configuration."""
        return self.settings.config

    @property
    def checkpoints(self) -> epath.Path:
        """The folder of converted models."""
        return self.settings.workdir / "checkpoints"

    @property
    def results(self) -> epath.Path:
        """The folder of rows."""
        return self.settings.workdir / "results"

    @property
    def records(self) -> epath.Path:
        """The folder of per-example records."""
        return self.settings.workdir / "records"

    @property
    def sources(self) -> epath.Path:
        """The folder of the sources' manifests."""
        return self.settings.workdir / "sources"

    @property
    def report(self) -> epath.Path:
        """The folder of tables, figures and `index.html`."""
        return self.settings.workdir / "report"

    @property
    def logs(self) -> epath.Path:
        """The folder of what the runs had to say, a file for each process."""
        return self.settings.workdir / "logs"

    def ready(self) -> tuple[load.Reference, ...]:
        """Return the models that can be loaded now."""
        return tuple(
            reference
            for reference in self.references
            if reference.function
            or checkpoints.is_complete(self.checkpoints / reference.name)
        )


def resolve(settings: Settings) -> Request:
    """Look up the models and benchmarks that the settings name.

    '{workdir}' in models, `data_dir` and `weights_dir` stands for the run's folder.

    Raises:
        ValueError: a name or pattern is unknown.
    """
    settings.config.check()
    config = _in_workdir(settings.config, str(settings.workdir))
    return Request(
        dataclasses.replace(settings, config=config),
        tuple(load.parse(config.models)),
        tuple(benchmarks.select(config.benchmarks)),
    )


def _in_workdir(config: EvaluateConfig, workdir: str) -> EvaluateConfig:
    def place(text: str) -> str:
        return text.replace("{workdir}", workdir)

    return dataclasses.replace(
        config,
        models=_placed(config.models, place),
        data_dir=place(config.data_dir),
        weights_dir=place(config.weights_dir),
    )


def _placed(texts: Sequence[str], place) -> tuple[str, ...]:
    return tuple(place(text) for text in texts)
