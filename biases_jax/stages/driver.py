"""Which stages run, and how did it end?"""

import contextlib
import importlib
import traceback

from absl import logging
from etils import epath

from biases_jax import log_file, processes, usage
from biases_jax.models import functions
from biases_jax.settings import DONE, INCOMPLETE, Settings
from biases_jax.stages import (
    analyse,
    compare,
    convert,
    corruption_parity,
    doctor,
    evaluate,
    gallery,
    parity,
    plan,
    status,
)
from biases_jax.stages.request import Request, resolve

STAGES = {
    "convert": convert.run,
    "evaluate": evaluate.run,
    "analyse": analyse.run,
    "doctor": doctor.run,
    "plan": plan.run,
    "status": status.run,
    "compare": compare.run,
    "corruption_parity": corruption_parity.run,
    "parity": parity.run,
    "gallery": gallery.run,
}
SHARED = ("evaluate",)  # the others are the leader's work
DEFAULT = ("convert", "evaluate", "gallery", "analyse")
WRITING = (*DEFAULT, "parity")  # the others only read the run's folder


def run(settings: Settings) -> int:
    """Run the stages in order; return the exit code (0 done, 3 incomplete).

    A later stage works on what there is: one broken checkpoint costs its own row.

    Raises:
        app.UsageError: a model, benchmark or setting is unknown, or the run's folder
            cannot be written.
    """
    problem = None
    with contextlib.ExitStack() as stack:
        try:
            request = resolve(settings)
            if set(settings.stages) & set(WRITING):
                stack.enter_context(log_file.keeping(_log(request)))
                if "evaluate" in settings.stages:
                    prepare(request)
        except (OSError, ValueError) as error:
            problem = error
        # All go on or none: who alone went on would wait for the others.
        if processes.total(settings.process, problem is not None):
            raise usage.error(problem or "another process of this run cannot start")
        return max([_stage(name, request) for name in settings.stages])


def prepare(request: Request):
    """Call the configuration's `prepare` function with the run's folder.

    It is not called where the images are others, outside of that folder.

    Raises:
        ValueError: it is absent or fails.
    """
    if request.prepares and request.settings.process.leads:
        module, _, function = request.config.prepare.partition(":")
        try:
            getattr(importlib.import_module(module), function)(request.settings.workdir)
        except functions.FAILURES as error:  # a user's code
            raise ValueError(
                f"prepare = {request.config.prepare!r} fails: {type(error).__name__}: "
                f"{error}"
            ) from error


def _stage(name: str, request: Request) -> int:
    process = request.settings.process
    code = DONE
    if process.leads or name in SHARED:
        code = _guarded(name, request)
    # Nobody goes on before all are here: the leader's files and everyone's rows are
    # then complete, and every process ends with the same code.
    return INCOMPLETE if processes.total(process, code) else DONE


def _guarded(name: str, request: Request) -> int:
    """Run a stage; what is wrong with files and data is a message, no traceback."""
    try:
        return STAGES[name](request)
    except (OSError, ValueError) as error:
        logging.error("stage %s failed: %s", name, error)
        path = _log(request)
        if path.exists():
            with path.open("a") as file:
                traceback.print_exc(file=file)
        return INCOMPLETE


def _log(request: Request) -> epath.Path:
    return request.logs / f"{request.settings.process.index}.log"
