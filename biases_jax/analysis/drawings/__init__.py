"""Which figures does a long table call for? One file is one phenomenon."""

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


def draw(long: pa.Table) -> list[Group]:
    """Return the figures that the table has numbers for, by phenomenon."""
    numbers = Numbers(long)
    groups = [phenomenon.group(numbers) for phenomenon in PHENOMENA]
    return [group for group in groups if group]
