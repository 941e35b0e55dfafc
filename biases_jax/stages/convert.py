"""Turn the PyTorch checkpoints of this run into Flax variables."""

from absl import logging

from biases_jax.models import layouts
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages.request import Request
from convert import run as conversion


def run(request: Request) -> int:
    """Convert what is not converted yet; a failure costs its own model only."""
    for reference in request.references:
        if reference.function:
            continue
        try:
            conversion.convert(
                reference.name,
                reference.path or None,
                request.config.weights_dir,
                request.checkpoints,
                layouts.LAYOUTS.get(reference.layout),
            )
        except (OSError, ValueError) as error:
            request.failed[reference.name] = str(error)
            logging.error(
                "%s is not converted and not measured (an earlier conversion's numbers "
                "stay in the results): %s",
                reference.name,
                error,
            )
    return INCOMPLETE if request.failed else DONE
