"""Which sets of images did people see too, in which conditions, of how many images?

Geirhos et al. 2021, https://github.com/bethgelab/model-vs-human. The counts and the
lists of excluded conditions are those of its data and programs.
"""

from collections.abc import Sequence
from typing import NamedTuple

from biases_jax.sources.source import Counts, Source

PREFIX = "model_vs_human/"  # of sources
CUE_CONFLICT = "cue-conflict"  # the set that is the source `cue_conflict`


class ImageSet(NamedTuple):
    """A published set of sixteen categories, each equally often in each condition.

    `conditions` come in order, the undistorted control first, as the published results
    spell them; sets without conditions have none. Not in the mean of distorted images
    are those `excluded`: the control, and where people were right in a fifth of the
    trials or fewer. `experiment` is the code in the files' names, '' where it is not
    known or there is none.
    """

    examples: int
    conditions: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    experiment: str = ""
    layout: str = "session"

    @property
    def included(self) -> tuple[str, ...]:
        """The conditions whose trials are pooled into the accuracy when distorted."""
        return tuple(c for c in self.conditions if c not in self.excluded)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _eidolons(coherence: str, excluded: str) -> ImageSet:
    reaches = _words("1 2 4 8 16 32 64 128")
    conditions = tuple(f"{reach}-{coherence}" for reach in reaches)
    left_out = tuple(f"{reach}-{coherence}" for reach in _words(excluded))
    return ImageSet(1_280, conditions, left_out)


SETS: dict[str, ImageSet] = {
    "edge": ImageSet(160, layout="plain_category_folders"),
    "silhouette": ImageSet(160, layout="plain_category_folders"),
    CUE_CONFLICT: ImageSet(1_280, layout="category_folders"),
    "colour": ImageSet(1_280, ("cr", "bw"), ("cr",), "cl"),
    "contrast": ImageSet(
        *(1_280, _words("c100 c50 c30 c15 c10 c05 c03 c01")),
        *(_words("c100 c03 c01"), "cop"),
    ),
    "high-pass": ImageSet(
        *(1_280, _words("inf 3.0 1.5 1.0 0.7 0.55 0.45 0.4")),
        *(_words("inf 0.55 0.45 0.4"), "hp"),
    ),
    "low-pass": ImageSet(1_280, _words("0 1 3 5 7 10 15 40"), _words("0 15 40"), "lp"),
    "phase-scrambling": ImageSet(
        1_120, _words("0 30 60 90 120 150 180"), _words("0 150 180"), "ps"
    ),
    "power-equalisation": ImageSet(1_120, ("0", "pow"), ("0",), "pow"),
    "false-colour": ImageSet(1_120, ("True", "False"), ("True",), "fc"),
    "rotation": ImageSet(1_280, _words("0 90 180 270"), ("0",), "rot"),
    "eidolonI": _eidolons("10-10", "1 64 128"),
    "eidolonII": _eidolons("3-10", "1 32 64 128"),
    "eidolonIII": _eidolons("0-10", "1 16 32 64 128"),
    "uniform-noise": ImageSet(
        *(1_280, _words("0.0 0.03 0.05 0.1 0.2 0.35 0.6 0.9")),
        *(_words("0.0 0.6 0.9"), "nse"),
    ),
    "sketch": ImageSet(800, experiment="ske"),
    "stylized": ImageSet(800, experiment="sty"),
}
EXPERIMENTS = {row.experiment: name for name, row in SETS.items() if row.experiment}


def index_of(condition: str, conditions: Sequence[str]) -> int:
    """Return the place of a condition among those of a set, -1 if it is none of them.

    Files and tables spell some differently: 0.10 and 0.1, 3 and 3.0, true and True.
    """
    spelled = [_spelled(known) for known in conditions]
    found = _spelled(condition)
    return spelled.index(found) if found in spelled else -1


def sources(categories: int, preprocessing: str) -> list[Source]:
    """Return the rows of the catalogue, but for that of the cue conflicts."""
    return [
        Source(
            name=f"{PREFIX}{name}",
            folders=(f"model-vs-human/{name}", f"model_vs_human/{name}", name),
            id_from="base_name",
            preprocessing=preprocessing,
            expected=Counts(
                classes=categories,
                examples=row.examples,
                per_class=row.examples // categories,
                per_condition=(
                    row.examples // len(row.conditions) if row.conditions else None
                ),
            ),
            layout=row.layout,
            conditions=row.conditions,
            experiment=row.experiment,
        )
        for name, row in SETS.items()
        if name != CUE_CONFLICT
    ]


def _spelled(condition: str) -> str:
    try:
        return str(float(condition))
    except ValueError:
        return condition.lower()
