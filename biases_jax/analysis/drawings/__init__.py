"""Which figures does a long table call for? One file is one phenomenon."""

from collections.abc import Collection

import pyarrow as pa

from biases_jax.analysis.drawings import (
    corruptions,
    critical_band,
    model_vs_human,
    natural,
    shape,
    spectral,
)
from biases_jax.analysis.drawings.drawing import Group
from biases_jax.analysis.drawings.numbers import Numbers

PHENOMENA = (natural, corruptions, critical_band, spectral, shape, model_vs_human)


def draw(long: pa.Table, unseen: Collection[str] = ()) -> list[Group]:
    """Return the figures that the table has numbers for, by phenomenon.

    `unseen` are sources whose images are not those of their name that people saw.
    """
    numbers = Numbers(long, unseen)
    groups = [phenomenon.group(numbers) for phenomenon in PHENOMENA]
    return [group for group in groups if group]
