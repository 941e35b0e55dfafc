"""Turn the PyTorch checkpoints of this run into Flax variables."""

from absl import logging

from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages.request import Request
from convert import batch


def run(request: Request) -> int:
    """Convert what is not converted yet; a failure costs its own model only."""
    checkpoints = [r for r in request.references if not r.function]
    config = request.config
    attempts = list(
        batch.convert(
            checkpoints,
            config.weights_dir,
            request.checkpoints,
            offline=config.offline,
        )
    )
    if any(attempt.status != "unchanged" for attempt in attempts):
        print(batch.table(attempts))
    for attempt in attempts:
        if attempt.error is not None:
            request.failed[attempt.name] = str(attempt.error)
            logging.error(
                "%s is not converted and not measured (an earlier conversion's numbers "
                "stay in the results): %s",
                attempt.name,
                attempt.error,
            )
    return INCOMPLETE if request.failed else DONE
