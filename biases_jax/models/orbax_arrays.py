"""How does Orbax keep a tree of arrays, quietly and for this process alone?"""

import contextlib
import errno
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import orbax.checkpoint as ocp
from etils import epath

MARGIN = 2**25  # bytes that must stay free beside the arrays


def write(folder: epath.Path, tree: Mapping[str, Any]) -> None:
    """Write NumPy arrays into a new folder.

    Raises:
        OSError: there is no space for them.
    """
    folder = _absolute(folder)
    _check_space(folder.parent, sum(leaf.nbytes for leaf in jax.tree.leaves(tree)))
    with _quiet(), _checkpointer() as checkpointer:
        checkpointer.save(folder, tree, force=True)


def read(folder: epath.Path) -> dict[str, Any]:
    """Return the tree as it was written, NumPy arrays."""
    with _quiet(), _checkpointer() as checkpointer:
        return checkpointer.restore(_absolute(folder))


def _absolute(folder: epath.Path) -> epath.Path:
    # Orbax takes no relative paths; `absolute` would spoil those of buckets.
    return folder if folder.is_absolute() else folder.absolute()


def _check_space(folder: epath.Path, needed: int) -> None:
    """Refuse beforehand, since Orbax fails with pages of tracebacks."""
    if not os.path.isdir(folder):
        return  # a bucket, whose size has no end
    free = shutil.disk_usage(folder).free
    if needed + MARGIN > free:
        raise OSError(
            errno.ENOSPC,
            f"no space left in {folder}: got {free / 1e6:.0f} MB, expected "
            f"{(needed + MARGIN) / 1e6:.0f} MB for the converted variables",
        )


def _checkpointer() -> ocp.Checkpointer:
    """A checkpointer that waits for no other process: each works for itself."""
    here = jax.process_index()
    options = ocp.options.MultiprocessingOptions(
        primary_host=here,
        active_processes={here},
        barrier_sync_key_prefix=f"process{here}",
    )
    # Weights are as good as incompressible: trying takes time and a copy of them.
    handler = ocp.PyTreeCheckpointHandler(
        use_zarr3=True, use_compression=False, multiprocessing_options=options
    )
    return ocp.Checkpointer(handler, multiprocessing_options=options)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Drop Orbax' own log lines, a dozen for each model."""

    def foreign(record: logging.LogRecord) -> bool:
        return "orbax" not in record.pathname

    logger = logging.getLogger("absl")
    logger.addFilter(foreign)
    try:
        yield
    finally:
        logger.removeFilter(foreign)
