"""What do all parts of the program speak: images, batches, records, values."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypedDict, runtime_checkable

from jaxtyping import Array, Bool, Float, Int, Key, Num, UInt8, UInt32

PRNGKey = Key[Array, ""]
Image = Float[Array, "h w 3"]  # RGB in [0, 1]: the only image convention
Logits = Float[Array, " classes"]
Label = Int[Array, " k"]  # k = 1 for a class, 2 for shape and texture; -1 pads
Variables = Mapping[str, Any]  # a tree of arrays, the first argument of `Apply`
Apply = Callable[[Variables, Float[Array, "b h w 3"]], Float[Array, "b classes"]]


class Batch(TypedDict):
    """Examples of one source: NumPy on the host, split along axis 0 on devices.

    `labels` holds every label space of the source (`imagenet`, k = 1; `real`, padded
    with -1; `shape_texture`, k = 2; `category`, k = 1), so that one decode serves
    every score. `id` is the example's stable identity (`labels.example_ids`), the
    seed of its noise. `mask` is False on padding and on what could not be decoded.
    """

    image: UInt8[Any, "b h w 3"]
    labels: dict[str, Int[Any, "b k"]]
    id: UInt32[Any, "b 2"]
    mask: Bool[Any, " b"]


class Record(NamedTuple):
    """What is kept of one example, so that other scores need no second run.

    `predicted`, `correct` and `margin` (best minus second-best, in logits) live in
    the label space of the score. `best5` are the model's own five best classes, -1
    where it has fewer than five. `negative_log_likelihood` is in nats, of the label
    under the model's softmax; NaN where the label is no class of the model.
    """

    predicted: Int[Array, "*b"]
    correct: Bool[Array, "*b"]
    margin: Float[Array, "*b"]
    best5: Int[Array, "*b 5"]
    negative_log_likelihood: Float[Array, "*b"]


Sums = dict[str, Num[Array, "*b"]]


@runtime_checkable
class Transform(Protocol):
    """Turns one image into a stimulus: a frozen dataclass whose `repr` names it."""

    def __call__(self, key: PRNGKey, image: Image) -> Image:
        """Return the stimulus, float32 in [0, 1], of the image's shape."""


@runtime_checkable
class Score(Protocol):
    """Judges one example: a frozen dataclass whose `repr` names it.

    `label` names the entry of `Batch.labels` that it reads. Sums are additive over
    examples and always hold `count`.
    """

    label: str

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the example's contribution to the sums, and its record."""


@dataclasses.dataclass(frozen=True)
class Value:
    """A derived number with its 95 % interval; NaN always carries a reason.

    `n` is the number of examples (or cells) behind it. Numbers without an interval
    have NaN for `low` and `high`; an interval that is open at one end, there.
    """

    value: float
    low: float = float("nan")
    high: float = float("nan")
    n: int = 0
    reason: str = ""

    def __post_init__(self):
        if self.value != self.value and not self.reason:
            raise ValueError("got a NaN without a reason; say why it is missing")


def _not_listed() -> Any:
    raise ValueError("got no list of the source's examples, expected its manifest")


@dataclasses.dataclass(frozen=True)
class Cell:
    """What one model did on one benchmark.

    `sums` are the additive sums over all examples of the source; `records` loads the
    per-example records (a `pyarrow.Table` sorted by id) when called, `examples` the
    list of the source's examples, likewise (`listing.load`: `id`, `name`, labels).
    Both raise ValueError or FileNotFoundError where they are not to be had.
    """

    sums: Mapping[str, int | float]
    records: Callable[[], Any]
    examples: Callable[[], Any] = _not_listed
