"""What is compared with what?"""

import dataclasses
import os
import pathlib
from collections.abc import Sequence

from biases_jax import results
from biases_jax.rows import Row


@dataclasses.dataclass(frozen=True)
class Side:
    """All models of a run's folder, or one of them."""

    workdir: pathlib.Path
    model: str = ""

    def __str__(self):
        return self.model or str(self.workdir)


def parse(names: Sequence[str], workdir: str | os.PathLike) -> tuple[Side, Side]:
    """Return what two names stand for: run folders, or models of `workdir`.

    Raises ValueError if they are not two.
    """
    if len(names) != 2:
        raise ValueError(
            f"got {list(names)}, expected two run folders or two models:"
            " --compare=runs/a,runs/b or --compare=tv_resnet50,timm_resnet50"
        )
    first, second = (_side(name, pathlib.Path(workdir)) for name in names)
    return first, second


def pairs(first: Side, second: Side) -> list[tuple[Row, Row]]:
    """Return the complete cells that both sides have.

    Two folders are matched by model and benchmark; as soon as a side is one model,
    by benchmark alone.

    Raises:
        ValueError: there are none, or a model stands against a folder of several.
    """
    one, other = _rows(first), _rows(second)
    by_model = not (first.model or second.model)
    for side, rows in ((first, one), (second, other)):
        models = sorted({row.model for row in rows})
        if not by_model and len(models) > 1:
            raise ValueError(
                f"got one model against {side} with {', '.join(models)}; name two"
                " models of one run, or two runs"
            )
    match = {_key(row, by_model): row for row in other}
    found = [(row, match.get(_key(row, by_model))) for row in one]
    both = [(a, b) for a, b in found if b is not None]
    if not both:
        raise ValueError(
            f"{first} and {second} have no complete cell in common; --stage=status"
            " lists the cells of a run"
        )
    return both


def _side(name: str, workdir: pathlib.Path) -> Side:
    folder = pathlib.Path(name)
    if (folder / "results").is_dir():
        return Side(folder)
    return Side(workdir, name)


def _rows(side: Side) -> list[Row]:
    rows = results.read(side.workdir / "results").rows()
    models = sorted({row.model for row in rows})
    if side.model and side.model not in models:
        raise ValueError(
            f"got {side.model!r}, expected a run folder or a model with complete cells"
            f" in {side.workdir}: {', '.join(models) or 'it has none'}"
        )
    return [row for row in rows if side.model in ("", row.model)]


def _key(row: Row, by_model: bool) -> tuple[str, str]:
    return (row.model if by_model else "", row.benchmark)
