"""What stands for the classes and functions that a pickle names?"""

from collections.abc import Callable

from convert import errors


class Mapping(dict):
    """Stands for `collections.OrderedDict`; attributes (`_metadata`) are dropped.

    Python 2 gave a list of [key, value] to the constructor. It is emptied, so that one
    list cannot fill a million dicts, and keys must be text or numbers, since others
    can be chosen to have one hash.
    """

    __slots__ = ()

    def __init__(self, *arguments):
        """Take nothing or a list of pairs; raises CheckpointError for all else."""
        super().__init__()
        if not arguments:
            return
        if len(arguments) > 1 or type(arguments[0]) is not list:
            raise errors.CheckpointError("got a dict that is made of no list")
        pairs = arguments[0].copy()
        arguments[0].clear()
        for pair in pairs:
            match pair:
                case [str() | int() | float() as key, value]:
                    self[key] = value
                case _:
                    raise errors.CheckpointError("got a dict with an unusual key")

    def __setstate__(self, state):
        pass


class Placeholder:
    """Stands for any class or function not on `pickles.ALLOWED`: does nothing.

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
