"""What does every stage need to know about the run?"""

import dataclasses
import os
import pathlib
from collections.abc import Iterable

from etils import epath

from biases_jax import benchmarks
from biases_jax.benchmark import Benchmark
from biases_jax.config import EvaluateConfig
from biases_jax.models import load, names
from biases_jax.rows import Problem, Row
from biases_jax.settings import Settings


@dataclasses.dataclass(frozen=True)
class Request:
    """The settings, with models and benchmarks resolved."""

    settings: Settings
    references: tuple[names.Reference, ...]
    benchmarks: tuple[Benchmark, ...]
    # Models that an earlier stage of this run could not convert, and why.
    failed: dict[str, str] = dataclasses.field(default_factory=dict)

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
    def kept_records(self) -> epath.Path | None:
        """The folder of per-example records, None if none are wanted."""
        return self.records if self.config.records else None

    @property
    def sources(self) -> epath.Path:
        """The folder of the sources' manifests."""
        return self.settings.workdir / "sources"

    @property
    def parity(self) -> epath.Path:
        """The folder of comparisons with other frameworks and machines."""
        return self.settings.workdir / "parity"

    @property
    def report(self) -> epath.Path:
        """The folder of tables, figures and `index.html`."""
        return self.settings.workdir / "report"

    @property
    def logs(self) -> epath.Path:
        """The folder of what the runs had to say, a file for each process."""
        return self.settings.workdir / "logs"

    @property
    def prepares(self) -> bool:
        """Whether evaluating begins with `config.prepare`: of images in this run."""
        if not (self.config.prepare and self.config.data_dir):
            return False
        workdir, data_dir = (
            pathlib.Path(os.path.abspath(place))
            for place in (self.settings.workdir, self.config.data_dir)
        )
        return data_dir.is_relative_to(workdir)

    @property
    def unprepared(self) -> bool:
        """Whether the images that evaluating makes are yet to come, all of them."""
        return self.prepares and not epath.Path(self.config.data_dir).exists()

    @property
    def preparation(self) -> str:
        """Who makes the images, where it is the run itself."""
        return (
            f"the run itself makes its images, in {self.config.data_dir}, when it first"
            f" evaluates (prepare = {self.config.prepare!r})"
        )

    def unfinished(self, verdicts: Iterable[Row | Problem]) -> list[tuple[str, str]]:
        """Return the (model, benchmark) that were asked for and are not complete.

        A row of other weights, settings or definitions is not what was asked for.
        """
        rows = {(v.model, v.benchmark): v for v in verdicts if isinstance(v, Row)}
        lacking = []
        for reference in self.references:
            weights = self._weights(reference)
            for benchmark in self.benchmarks:
                row = rows.get((reference.name, benchmark.name))
                if row is None or not self._is_asked(row, benchmark, weights):
                    lacking.append((reference.name, benchmark.name))
        return lacking

    def _weights(self, reference: names.Reference) -> str | None:
        """Return the model's identity, None where only its results are here."""
        try:
            return load.weights_sha256(reference, self.checkpoints)
        except load.ModelError:
            return None

    def _is_asked(self, row: Row, benchmark: Benchmark, weights: str | None) -> bool:
        asked = {
            "benchmark_repr": repr(benchmark),
            "revision": benchmark.revision,
            "seed": self.config.seed,
            "precision": self.config.precision,
        }
        if weights is not None:
            asked["weights_sha256"] = weights
        return all(row.provenance.get(name) == value for name, value in asked.items())


def resolve(settings: Settings) -> Request:
    """Look up the models and benchmarks that the settings name.

    '{workdir}' in models and folders stands for the run's folder, '~' at their
    beginning for the user's.

    Raises:
        ValueError: a name or pattern is unknown.
    """
    settings.config.check()
    config = _in_workdir(settings.config, str(settings.workdir))
    return Request(
        dataclasses.replace(settings, config=config),
        tuple(names.parse(config.models)),
        tuple(benchmarks.select(config.benchmarks)),
    )


def _in_workdir(config: EvaluateConfig, workdir: str) -> EvaluateConfig:
    def place(text: str) -> str:
        return os.path.expanduser(text.replace("{workdir}", workdir))

    return dataclasses.replace(
        config,
        models=tuple(text.replace("{workdir}", workdir) for text in config.models),
        data_dir=place(config.data_dir),
        tfds_dir=place(config.tfds_dir),
        weights_dir=place(config.weights_dir),
    )
