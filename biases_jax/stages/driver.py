"""Which stages run, and how did it end?"""

import importlib
import logging

from etils import epath

from biases_jax import processes, usage
from biases_jax.settings import DONE, INCOMPLETE, Settings
from biases_jax.stages import analyse, compare, convert, evaluate, plan, status
from biases_jax.stages.request import Request, resolve

STAGES = {
    "convert": convert.run,
    "evaluate": evaluate.run,
    "analyse": analyse.run,
    "plan": plan.run,
    "status": status.run,
    "compare": compare.run,
}
ALONE = ("convert", "analyse", "plan", "status", "compare")  # the leader's work


def run(settings: Settings) -> int:
    """Run the stages in order; return the exit code (0 done, 3 incomplete).

    A later stage works on what there is: one broken checkpoint costs its own row.

    Raises:
        app.UsageError: a model, benchmark or setting is unknown.
    """
    try:
        request = resolve(settings)
    except ValueError as error:
        raise usage.error(error) from error
    _keep_log(request.logs / f"{settings.process.index}.log")
    prepare(request)
    codes = [_stage(name, request) for name in settings.stages]
    return max(codes)


def _keep_log(path: epath.Path):
    """Write all messages to a file too, each run below the earlier ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.getLogger().addHandler(handler)


def prepare(request: Request):
    """Call the configuration's `prepare` function with the run's folder."""
    if request.config.prepare and request.settings.process.leads:
        module, _, function = request.config.prepare.partition(":")
        getattr(importlib.import_module(module), function)(request.settings.workdir)


def _stage(name: str, request: Request) -> int:
    process = request.settings.process
    alone = name in ALONE
    code = STAGES[name](request) if process.leads or not alone else 0
    # Nobody goes on before all are here: the leader's files and everyone's rows are
    # then complete, and every process ends with the same code.
    return INCOMPLETE if processes.total(process, code) else DONE
