"""How does a model become `(apply, variables)`, and what identifies it?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from etils import epath

from biases_jax import labels
from biases_jax.models import checkpoints, functions, origin, resnet
from biases_jax.models.names import Reference
from biases_jax.types import Apply, Variables

ModelError = functions.ModelError
NEEDED = ("weights_sha256", "width", "num_classes", "stem_stride")  # of a manifest
LARGEST_CLASS = np.iinfo(np.int16).max  # that per-example records can hold
WITH_BACKGROUND = len(labels.WNIDS) + 1  # TensorFlow-Slim's: 0 is no class of ImageNet


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A model ready to be measured; `variables` are arrays on the host."""

    name: str
    apply: Apply
    variables: Variables


def load(reference: Reference, folder: epath.PathLike, precision: str) -> Loaded:
    """Load a converted checkpoint from `folder/<name>`, or call the model's function.

    Raises:
        ModelError: the checkpoint is absent or damaged, the function is absent, fails
            or returns something else.
    """
    if reference.function:
        apply, variables = functions.call(reference.function)
        return Loaded(reference.name, apply, variables)
    path = epath.Path(folder) / reference.name
    manifest = _manifest(reference, folder)
    sizes = (manifest[name] for name in ("width", "num_classes", "stem_stride"))
    try:
        variables = checkpoints.load(path)
    except functions.FAILURES as error:
        raise ModelError(
            f"{reference.name}: the converted checkpoint in {path} cannot be read "
            f"({type(error).__name__}: {error}); delete that folder and convert again"
        ) from error
    return Loaded(reference.name, resnet.apply_function(*sizes, precision), variables)


def weights_sha256(reference: Reference, folder: epath.PathLike) -> str:
    """Return what identifies the model: a hash of its weights and all else it is.

    For a converted checkpoint that is `origin.identity`. Raises as `load` does.
    """
    if reference.function:
        return functions.identity(reference.function)
    return origin.identity(_manifest(reference, folder))


def check(model: Loaded, side: int, largest_label: int) -> int:
    """Return a model's number of classes; refuse it if it cannot answer for a source.

    Args:
        model: loaded.
        side: of the images, in pixels.
        largest_label: of the source's classes.

    Raises:
        ModelError: it fails on a batch, gives no logits of 2 classes or more that
            hold the label, or counts a background among ImageNet's classes.
    """
    batch = jax.ShapeDtypeStruct((2, side, side, 3), jnp.float32)
    try:
        logits = jax.eval_shape(model.apply, model.variables, batch)
    except functions.FAILURES as error:
        raise ModelError(
            f"{model.name}: apply(variables, images) fails on float32 images of shape "
            f"{batch.shape}: {type(error).__name__}: {error}"
        ) from error
    if not _are_logits(logits):
        raise ModelError(
            f"{model.name}: apply(variables, images) gives {_described(logits)} for 2 "
            "images, expected floating-point logits of shape (2, classes), with 2 "
            "classes or more"
        )
    classes = logits.shape[1]
    if classes == WITH_BACKGROUND:
        raise ModelError(
            f"{model.name}: got {classes} classes, ImageNet's behind a background as "
            f"class 0, so that every label would be off by one; expected ImageNet's "
            f"{len(labels.WNIDS)}: let apply return logits[:, 1:]"
        )
    if not largest_label < classes <= LARGEST_CLASS + 1:
        raise ModelError(
            f"{model.name}: got {classes} classes, expected more than {largest_label} "
            f"(the largest label of this source) and at most {LARGEST_CLASS + 1}"
        )
    return classes


def _manifest(reference: Reference, folder: epath.PathLike) -> dict[str, Any]:
    path = epath.Path(folder) / reference.name
    try:
        manifest = checkpoints.read_manifest(path)
    except (OSError, ValueError) as error:
        raise ModelError(f"{reference.name}: {error}") from error
    origin.check(reference, manifest)
    lacking = [name for name in NEEDED if name not in manifest]
    if lacking:
        raise ModelError(
            f"{reference.name}: {path / checkpoints.MANIFEST} lacks "
            f"{', '.join(lacking)}; delete that folder and convert again"
        )
    return manifest


def _are_logits(logits: Any) -> bool:
    return (
        isinstance(logits, jax.ShapeDtypeStruct)
        and jnp.issubdtype(logits.dtype, jnp.floating)
        and len(logits.shape) == 2
        and logits.shape[0] == 2
        and logits.shape[1] >= 2
    )


def _described(logits: Any) -> str:
    if isinstance(logits, jax.ShapeDtypeStruct):
        return f"{logits.dtype} of shape {logits.shape}"
    return f"a {type(logits).__name__}"
