"""What did the user ask for?"""

import dataclasses
import pathlib

from absl import flags, logging
from etils import epath
from ml_collections import config_flags

from biases_jax import compilation_cache, processes, sharding, usage
from biases_jax.config import EvaluateConfig
from biases_jax.doctor import chosen, images
from biases_jax.parity import runs
from biases_jax.settings import Parity, Settings
from biases_jax.stages import driver

STAGES = tuple(driver.STAGES)

_CONFIG = config_flags.DEFINE_config_file(
    "config", "configs/default.py", "Settings of the run; see biases_jax/config.py."
)
_STAGE = flags.DEFINE_list(
    "stage", list(driver.DEFAULT), f"Stages to run, in order, of {', '.join(STAGES)}."
)
_WORKDIR = flags.DEFINE_string(
    "workdir", "", "Folder of all state and results (default: runs/<config>)."
)
_DISTRIBUTED = flags.DEFINE_bool(
    "distributed", False, "Share the run with the other processes of this job."
)
_EXPECTED = flags.DEFINE_integer(
    "expected_process_count", None, "Refuse to run with another number of processes."
)
_TIMEOUT = flags.DEFINE_integer(
    "distributed_timeout", 120, "Seconds to wait for the other processes to start."
)
_COORDINATOR = flags.DEFINE_string(
    "coordinator_address", None, "host:port of process 0 (found on TPU, Slurm, k8s)."
)
_PROCESS_COUNT = flags.DEFINE_integer("process_count", None, "Number of processes.")
_PROCESS_INDEX = flags.DEFINE_integer("process_index", None, "Which one this is.")
_JOB = flags.DEFINE_string(
    "job", None, "index/count: this job's part of an array of unlinked jobs."
)
_COMPARE = flags.DEFINE_list(
    "compare", [], "For --stage=compare: two workdirs, or two models of this workdir."
)
_ALLOW_MIXED = flags.DEFINE_bool(
    "allow_mixed_numerics", False, "Compare runs whose numerics differ."
)
_WRITE_REFERENCE = flags.DEFINE_string(
    "write_reference", "", "For --stage=parity: archive of the models' answers (.npz)."
)
_REFERENCE = flags.DEFINE_string(
    "reference", "", "For --stage=parity: archive to compare with, instead of PyTorch."
)
_FRAMEWORK = flags.DEFINE_enum(
    "framework", "jax", ("jax", "torch"), "Whose answers an archive is to do with."
)
_IMAGES = flags.DEFINE_string(
    "images", "", "For --stage=parity: folder or pattern of own images."
)
_PRECISIONS = flags.DEFINE_list(
    "precisions", list(Parity.precisions), f"Some of {', '.join(runs.PRECISIONS)}."
)
_SAMPLE = flags.DEFINE_string(
    "sample",
    "200",
    "For --stage=doctor: images to decode of each source, or 'all': then the sums of "
    "weights that are still to be converted are compared, too.",
)
_SOURCES = flags.DEFINE_list(
    "sources",
    [],
    "For --stage=doctor: names or patterns of image sets to look at, in place of those "
    "that the benchmarks read: imagenet_c/*,cue_conflict.",
)

_IMAGE = flags.DEFINE_string(
    "image",
    "",
    "Image file whose conditions the stage gallery shows (default: the first of the "
    "images that the benchmarks change).",
)


def settings() -> Settings:
    """Return what the parsed flags ask for, linked to the other processes.

    Raises:
        app.UsageError: the flags contradict each other.
    """
    logging.set_verbosity(logging.INFO)
    sharding.use_cores()
    compilation_cache.keep()
    unknown = [stage for stage in _STAGE.value if stage not in STAGES]
    if unknown or not _STAGE.value:
        raise usage.error(f"got stage {unknown}, expected some of {STAGES}")
    file = config_flags.get_config_filename(flags.FLAGS["config"])
    if not isinstance(_CONFIG.value, EvaluateConfig):
        raise usage.error(
            f"got no settings from {file!r}, expected a file with get_config() -> "
            "EvaluateConfig; give its path from here as --config"
        )
    workdir = _WORKDIR.value or f"runs/{pathlib.Path(file).stem}"
    if "://" in workdir:
        raise usage.error(
            f"got workdir {workdir!r}, expected a folder that can be appended to and "
            "synced: a local or mounted one; copy it to a bucket afterwards"
        )
    return Settings(
        config=dataclasses.replace(_CONFIG.value),
        stages=tuple(_STAGE.value),
        workdir=epath.Path(workdir).expanduser(),
        process=_process(),
        compare=tuple(_COMPARE.value),
        allow_mixed_numerics=_ALLOW_MIXED.value,
        parity=Parity(
            write_reference=_WRITE_REFERENCE.value,
            reference=_REFERENCE.value,
            framework=_FRAMEWORK.value,
            images=_IMAGES.value,
            precisions=tuple(_PRECISIONS.value),
        ),
        sample=_sample(),
        sources=_sources(),
        image=_IMAGE.value,
    )


def _sample() -> int | None:
    try:
        return images.sample_size(_SAMPLE.value)
    except ValueError as error:
        raise usage.error(error) from error


def _sources() -> tuple[str, ...]:
    try:
        return chosen.select(_SOURCES.value)
    except ValueError as error:
        raise usage.error(error) from error


def _process() -> processes.Process:
    linking = (_COORDINATOR.value, _PROCESS_COUNT.value, _PROCESS_INDEX.value)
    if not _DISTRIBUTED.value and linking != (None, None, None):
        raise usage.error(
            "got --coordinator_address, --process_count or --process_index without "
            "--distributed; add it"
        )
    if _DISTRIBUTED.value and _JOB.value:
        raise usage.error("got both --distributed and --job; give one")
    process = processes.Process()
    if _DISTRIBUTED.value:
        try:
            process = processes.link(*linking, _TIMEOUT.value)
        except RuntimeError as error:
            raise usage.error(error) from error
    elif _JOB.value:
        try:
            process = processes.job(_JOB.value)
        except ValueError as error:
            raise usage.error(error) from error
    if _EXPECTED.value not in (None, process.count):
        raise usage.error(
            f"got {process.count} process(es), expected {_EXPECTED.value}; start the "
            "same command on every host with --distributed"
        )
    return process
