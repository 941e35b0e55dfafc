"""Is a pickle harmless to unpickle: no calls into the unknown, no blown memory?

The restricted unpickler decides what may be called. This scan goes before it, since
Python's C unpickler trusts sizes: ten bytes that name memo entry 2**28 make it
allocate 2 GB, and hashing a tuple in a tuple in a tuple ... ends in a crash.
"""

import pickletools
from typing import Any

from convert import errors

# The object description of a checkpoint; tensors' bytes lie elsewhere. The largest
# known, with an optimizer's state, is under 1 MB.
MAX_BYTES = 16 * 2**20
# Elements of a tuple, those of the tuples in it included: bounds the recursion and
# the time of hashing it. A tensor has some twenty.
MAX_TUPLE = 10_000
# What no version of torch.save writes: registered extensions, out-of-band buffers and
# persistent ids as text.
REFUSED = {"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER", "PERSID"}
MEMO_WRITES = {"PUT", "BINPUT", "LONG_BINPUT"}
MEMO_READS = {"GET", "BINGET", "LONG_BINGET"}
# What makes something immutable of its operands: tuples, and our named tuples.
NESTING = {"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET"} | {
    "REDUCE",
    "NEWOBJ",
    "NEWOBJ_EX",
    "OBJ",
    "INST",
}
MARK = None  # on the stack of `_Weights`


def scan(stream: Any) -> int:
    """Check the pickle at the stream's position, and return the position after it.

    Args:
        stream: binary, at the start of a pickle: a `BytesIO` or an `mmap`.

    Raises:
        CheckpointError: the pickle is broken, too large or of a kind that we refuse.
    """
    start = stream.tell()
    weights = _Weights()
    try:
        for operation, argument, position in pickletools.genops(stream):
            size = position - start
            if size > MAX_BYTES:
                raise errors.CheckpointError(
                    f"got a pickle of over {MAX_BYTES} bytes; a checkpoint's is small"
                )
            if operation.name in REFUSED:
                raise errors.CheckpointError(
                    f"got the pickle operation {operation.name}, which torch.save "
                    "never writes"
                )
            # One entry takes at least two bytes to write, so no honest index is
            # larger than the pickle so far.
            if operation.name in MEMO_WRITES and not 0 <= argument <= size:
                raise errors.CheckpointError(
                    f"got memo entry {argument} in the first {size} bytes of a pickle"
                )
            weights.apply(operation, argument)
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        if isinstance(error, errors.CheckpointError):
            raise
        raise errors.CheckpointError(f"got a broken pickle: {error}") from error
    return stream.tell()


class _Weights:
    """Follows the unpickler's stack with each object's weight in place of the object.

    What cannot be changed weighs as much as its parts together plus one, all else 1.
    """

    def __init__(self):
        self.stack: list[int | None] = []
        self.memo: dict[int, int | None] = {}

    def apply(self, operation: pickletools.OpcodeInfo, argument: Any) -> None:
        name = operation.name
        if name in MEMO_READS:
            self.stack.append(self.memo[int(argument)])
            return
        if name in MEMO_WRITES or name == "MEMOIZE":
            index = len(self.memo) if name == "MEMOIZE" else int(argument)
            self.memo[index] = self.stack[-1]
            return
        taken = self._take(operation)
        if name == "DUP":
            self.stack += taken * 2
        elif name == "MARK":
            self.stack.append(MARK)
        elif name in NESTING:
            weight = 1 + sum(entry or 0 for entry in taken)
            if weight > MAX_TUPLE:
                raise ValueError(f"a tuple or call of over {MAX_TUPLE} elements")
            self.stack.append(weight)
        else:
            self.stack += [1] * len(operation.stack_after)

    def _take(self, operation: pickletools.OpcodeInfo) -> list[int | None]:
        """Pop what the operation uses up, back to the last mark if it does so."""
        before = operation.stack_before
        taken: list[int | None] = []
        if pickletools.stackslice in before:
            while self.stack[-1] is not MARK:
                taken.append(self.stack.pop())
            self.stack.pop()
            before = before[: before.index(pickletools.markobject)]
        return taken + [self.stack.pop() for _ in before]
