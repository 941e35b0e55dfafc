"""How does the reader say that a file is not what it should be?"""


class CheckpointError(ValueError):
    """A checkpoint file that cannot be read, or not safely; says which and why."""
