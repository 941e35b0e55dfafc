"""What does a checkpoint's pickle describe, read without running anything in it?"""

import io
import pickle
from collections.abc import Callable
from typing import Any

from convert import errors, stand_ins, tensors

# All that unpickling instructions gone wrong can raise, and nothing else.
BROKEN = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)


# Each name without a place on the list becomes a class of 1 kB; a whole network that
# was pickled has some thirty.
MAX_PLACEHOLDERS = 1000
MAX_NAME = 1000  # of a class or a storage: each use copies it, as do error messages


# The arguments are those of the functions in torch._utils, so that what PyTorch would
# refuse is not read as something else.
def _tensor(storage, offset, size, stride):
    return tensors.Tensor(storage, offset, size, stride)


def _tensor_v2(storage, offset, size, stride, requires_grad, hooks, metadata=None):
    if type(requires_grad) is not bool:
        raise errors.CheckpointError("got a tensor with malformed flags")
    return tensors.Tensor(storage, offset, size, stride, metadata)


def _parameter(value, requires_grad, hooks, state=None):
    return value


def _typed(function, kind, arguments, state):
    if not isinstance(function, stand_ins.Rebuild) or not isinstance(arguments, tuple):
        raise errors.CheckpointError("got a tensor of an unknown class")
    return function(*arguments)


# Everything that a checkpoint's pickle can call. Nothing is ever imported by name.
ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): stand_ins.Mapping,
    ("torch._utils", "_rebuild_tensor"): stand_ins.Rebuild(_tensor),
    ("torch._utils", "_rebuild_tensor_v2"): stand_ins.Rebuild(_tensor_v2),
    ("torch._utils", "_rebuild_parameter"): stand_ins.Rebuild(_parameter),
    ("torch._utils", "_rebuild_parameter_with_state"): stand_ins.Rebuild(_parameter),
    ("torch._tensor", "_rebuild_from_type_v2"): stand_ins.Rebuild(_typed),
} | {
    (module, name): tensors.StorageType(name, dtype)
    for module in ("torch", "torch.cuda")
    for name, dtype in tensors.DTYPES.items()
}


def loads(
    data: bytes, persistent_load: Callable[[Any], Any], placeholders: set[str]
) -> Any:
    """Return the described object: dicts, lists, plain values and `tensors.Tensor`.

    Args:
        data: one pickle that `opcodes.scan` has passed.
        persistent_load: turns a persistent id (a tuple) into a storage.
        placeholders: gets the full name of each global that is not on the list.

    Raises:
        CheckpointError: the pickle is broken.
    """
    try:
        return _Unpickler(data, persistent_load, placeholders).load()
    except BROKEN as error:
        if isinstance(error, errors.CheckpointError):
            raise
        raise errors.CheckpointError(
            f"got a broken pickle: {type(error).__name__}: {error!s:.200}"
        ) from error


def no_storage(persistent_id: Any) -> Any:
    """Refuse storages, in pickles that have none."""
    raise errors.CheckpointError("got a storage where none can be")


def storage_of(persistent_id: Any) -> tuple[tensors.StorageType, str, int, Any]:
    """Return type, key, number of elements and view of a storage's persistent id.

    Raises:
        CheckpointError: it is no ('storage', type, key, location, numel[, view]).
    """
    match persistent_id:
        case ("storage", kind, str(key), _, int(numel)):
            view = None
        case ("storage", kind, str(key), _, int(numel), view):
            pass
        case _:
            raise errors.CheckpointError("got an unknown kind of persistent id")
    if isinstance(kind, type) and issubclass(kind, stand_ins.Placeholder):
        kind = tensors.StorageType(kind.origin, None)
    if not isinstance(kind, tensors.StorageType):
        raise errors.CheckpointError("got a storage without a type")
    if not 0 <= numel <= tensors.MAX_BYTES or len(key) > MAX_NAME:
        raise errors.CheckpointError("got a storage of an impossible size or key")
    return kind, key, numel, view


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, persistent_load, placeholders: set[str]):
        # latin1 reads the byte strings of Python 2 whatever they hold.
        super().__init__(io.BytesIO(data), encoding="latin1")
        self._load_storage = persistent_load
        self._placeholders = placeholders
        self._classes: dict[tuple[str, str], type] = {}

    def persistent_load(self, pid):
        return self._load_storage(pid)

    def find_class(self, module, name):
        if (module, name) in ALLOWED:
            return ALLOWED[module, name]
        if (module, name) not in self._classes:
            full = len(self._classes) >= MAX_PLACEHOLDERS
            if full or len(module) + len(name) > MAX_NAME:
                raise errors.CheckpointError(
                    f"got over {MAX_PLACEHOLDERS} classes and functions in a pickle, "
                    f"or a name of over {MAX_NAME} characters"
                )
            origin = f"{module}.{name}"
            self._placeholders.add(origin)
            known = {"__slots__": (), "origin": origin}
            kind = type("Placeholder", (stand_ins.Placeholder,), known)
            self._classes[module, name] = kind
        return self._classes[module, name]
