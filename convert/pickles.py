"""What does a checkpoint's pickle describe, read without running anything in it?"""

import io
import pickle
from collections.abc import Callable
from typing import Any

from convert import errors, tensors

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


class Mapping(dict):
    """Stands for `collections.OrderedDict`; attributes (`_metadata`) are dropped."""

    __slots__ = ()

    def __setstate__(self, state):
        pass


class Placeholder:
    """Stands for any class or function that is not on the list below: does nothing.

    It takes whatever arguments, state and items a pickle gives it, and keeps none.
    """

    __slots__ = ()
    origin = ""

    def __new__(cls, *arguments, **named):
        """Take any arguments."""
        return object.__new__(cls)

    def __init__(self, *arguments, **named):
        pass

    def __call__(self, *arguments, **named):
        """Take any arguments: what a placeholder returns is called at times."""
        return self

    def __setstate__(self, state):
        pass

    def __setitem__(self, key, value):
        pass

    def append(self, item):
        """Take an item of a list."""

    def extend(self, items):
        """Take items of a list."""

    def add(self, item):
        """Take an item of a set."""


class Rebuild:
    """A function that a pickle may call, and whose attributes it cannot set."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable):
        self._function = function

    def __call__(self, *arguments):
        """Call the function."""
        return self._function(*arguments)

    def __setstate__(self, state):
        raise errors.CheckpointError("got a pickle that alters a function")


def _tensor(storage, offset, size, stride, *training):
    # requires_grad, hooks, then flags such as a negative bit.
    return tensors.Tensor(storage, offset, size, stride, *training[2:3])


def _first(value, *training):
    return value


def _typed(function, kind, arguments, state):
    if not isinstance(function, Rebuild) or not isinstance(arguments, tuple):
        raise errors.CheckpointError("got a tensor of an unknown class")
    return function(*arguments)


# Everything that a checkpoint's pickle can call. Nothing is ever imported by name.
ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): Mapping,
    ("torch._utils", "_rebuild_tensor"): Rebuild(_tensor),
    ("torch._utils", "_rebuild_tensor_v2"): Rebuild(_tensor),
    ("torch._utils", "_rebuild_parameter"): Rebuild(_first),
    ("torch._utils", "_rebuild_parameter_with_state"): Rebuild(_first),
    ("torch._tensor", "_rebuild_from_type_v2"): Rebuild(_typed),
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
    if isinstance(kind, type) and issubclass(kind, Placeholder):
        kind = tensors.StorageType(kind.origin, None)
    if not isinstance(kind, tensors.StorageType):
        raise errors.CheckpointError("got a storage without a type")
    if not 0 <= numel <= tensors.MAX_BYTES:
        raise errors.CheckpointError("got a storage of an impossible size")
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
        origin = f"{module}.{name}"
        self._placeholders.add(origin)
        known = {"__slots__": (), "origin": origin}
        kind = type("Placeholder", (Placeholder,), known)
        return self._classes.setdefault((module, name), kind)
