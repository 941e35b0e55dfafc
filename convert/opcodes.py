"""Is a pickle harmless to unpickle: neither memory nor time out of proportion?

The restricted unpickler decides what may be called. This scan goes before it, since
Python's C unpickler trusts sizes: ten bytes that name memo entry 2**28 make it
allocate 2 GB, and hashing a tuple in a tuple in a tuple ... ends in a crash. It also
hashes whatever is a key, and thousands of keys of one hash take minutes.

Limits: `MAX_BYTES`, `MAX_OPERATIONS`, `MAX_TUPLE`, and integers of at most 64 bits. Of
those and of floats, few have one hash; texts are hashed with a secret.
"""

import pickletools
from typing import Any

from convert import errors

# The object description of a checkpoint; tensors' bytes lie elsewhere. The largest
# known, with an optimizer's state, is under 1 MB. A text takes up to eight times more.
MAX_BYTES = 4 * 2**20
# One makes at most an empty set, of 216 bytes, and takes some 5 microseconds; a
# ResNet-50 takes some 10,000.
MAX_OPERATIONS = 200_000
# Elements of a tuple, those of the tuples in it included: bounds the recursion and
# the time of hashing it. A tensor has some twenty. Also those of all keys that are
# tuples or made by calls, together: such can be chosen to have one hash.
MAX_TUPLE = 10_000
INTEGERS = range(-(2**63), 2**64)
INTEGER_WRITES = {"INT", "LONG", "LONG1", "LONG4"}
# What no version of torch.save writes: registered extensions, out-of-band buffers and
# persistent ids as text.
REFUSED = {"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER", "PERSID"}
MEMO_WRITES = {"PUT", "BINPUT", "LONG_BINPUT"}
MEMO_READS = {"GET", "BINGET", "LONG_BINGET"}
# What makes something immutable of its operands: tuples, our named tuples, storages.
NESTING = {"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET"} | {
    "REDUCE",
    "NEWOBJ",
    "NEWOBJ_EX",
    "OBJ",
    "INST",
    "BINPERSID",
}
# What changes an object, or leaves even a tuple as it is if there is nothing to do.
CHANGES = {"APPEND", "APPENDS", "SETITEM", "SETITEMS", "ADDITEMS", "BUILD"}
MARK = None  # on the stack of `_Weights`


def scan(stream: Any, known: int | None = None, operations: int | None = None) -> int:
    """Check the pickle at the stream's position, and return the position after it.

    Args:
        stream: binary, at the start of a pickle: a `BytesIO` or an `mmap`.
        known: an integer that is let through though it has more than 64 bits.
        operations: how many there may be, if not `MAX_OPERATIONS`.

    Raises:
        CheckpointError: the pickle is broken, too large or of a kind that we refuse.
    """
    start = stream.tell()
    most = MAX_OPERATIONS if operations is None else operations
    weights = _Weights()
    numbered = enumerate(pickletools.genops(stream))
    try:
        for count, (operation, argument, position) in numbered:
            size = position - start
            if size > MAX_BYTES or count >= most:
                raise errors.CheckpointError(
                    f"got a pickle of over {MAX_BYTES} bytes or {most} "
                    "operations; a checkpoint's is small"
                )
            _check(operation.name, argument, size, known)
            weights.apply(operation, argument)
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        if isinstance(error, errors.CheckpointError):
            raise
        raise errors.CheckpointError(f"got a broken pickle: {error}") from error
    return stream.tell()


def _check(name: str, argument: Any, size: int, known: int | None) -> None:
    """Check an operation after `size` bytes of the pickle by itself."""
    if name in REFUSED:
        raise errors.CheckpointError(
            f"got the pickle operation {name}, which torch.save never writes"
        )
    # One entry takes at least two bytes to write, so no honest index is larger than
    # the pickle so far.
    if name in MEMO_WRITES and not 0 <= argument <= size:
        raise errors.CheckpointError(
            f"got memo entry {argument} in the first {size} bytes of a pickle"
        )
    # Multiples of 2**61 - 1 all have one hash.
    if name in INTEGER_WRITES and argument not in INTEGERS and argument != known:
        raise errors.CheckpointError(
            f"got an integer of {argument.bit_length()} bits in a pickle, expected at "
            "most 64"
        )


class _Weights:
    """Follows the unpickler's stack with each object's weight in place of the object.

    What cannot be changed weighs as much as its parts together plus one, all else 1.
    """

    def __init__(self):
        self.keys = 0
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
        self._hash(name, taken)
        if name == "DUP":
            self.stack += taken * 2
        elif name == "MARK":
            self.stack.append(MARK)
        elif name in NESTING:
            weight = 1 + sum(entry or 0 for entry in taken)
            if weight > MAX_TUPLE:
                raise ValueError(f"a tuple or call of over {MAX_TUPLE} elements")
            self.stack.append(weight)
        elif name in CHANGES:
            self.stack.append(taken[-1])
        else:
            self.stack += [1] * len(operation.stack_after)

    def _hash(self, name: str, taken: list[int | None]) -> None:
        """Add the weights of what becomes a key, if it can be chosen by its hash."""
        if name in ("SETITEM", "SETITEMS", "DICT"):
            keys = taken[1::2]
        elif name == "ADDITEMS":
            keys = taken[:-1]
        else:
            keys = taken if name == "FROZENSET" else []
        self.keys += sum(weight for weight in keys if weight and weight > 1)
        if self.keys > MAX_TUPLE:
            raise ValueError(f"keys that are tuples of over {MAX_TUPLE} elements")

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
