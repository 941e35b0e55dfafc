"""What is told of a family of corruptions: every cell, means, corruption errors."""

from collections.abc import Iterable, Mapping

from biases_jax import cell_gaps, proportions
from biases_jax.corruptions import names
from biases_jax.corruptions.means import Means
from biases_jax.types import Cell, Value

CLEAN = "natural/imagenet"  # from which relative errors count


def cell(family: str, corruption: str, severity: int) -> str:
    """Return the name of a benchmark."""
    return f"{family}/{corruption}/{severity}"


def row(family: str, corruption: str) -> list[str]:
    """Return the names of a corruption's benchmarks, from the mildest."""
    return [cell(family, corruption, severity) for severity in names.SEVERITIES]


def nineteen(cells: Mapping[str, Cell], family: str) -> dict[str, Value]:
    """Return the numbers of a grid of ImageNet-C's corruptions, in percent.

    `<family>/<corruption>/<severity>/top1` and `/top5` with Wilson intervals;
    `<corruption>/mean` over severities and `<corruption>/ce`, its corruption error;
    `mean19`, the paper's mean; `mean15`, that of the corruptions that are no extras;
    `mean_<group>`; and `mce` and `relative_mce` over the fifteen.
    """
    grid = {corruption: row(family, corruption) for corruption in names.NINETEEN}
    means = Means(cells)
    values = _cells(cells, grid, means)
    for corruption, own in grid.items():
        error = means.corruption_error({corruption: own})
        values[f"{family}/{corruption}/ce"] = error
    groups = {f"mean_{group}": own for group, own in names.IMAGENET_C.items()}
    groups |= {"mean19": names.NINETEEN, "mean15": names.FIFTEEN}
    for mean, corruptions in groups.items():
        every = [name for corruption in corruptions for name in grid[corruption]]
        values[f"{family}/{mean}"] = means.accuracy(every)
    fifteen = {corruption: grid[corruption] for corruption in names.FIFTEEN}
    values[f"{family}/mce"] = means.corruption_error(fifteen)
    values[f"{family}/relative_mce"] = means.corruption_error(fifteen, CLEAN)
    return values


def ten(cells: Mapping[str, Cell], family: str) -> dict[str, Value]:
    """Return the numbers of a grid of ImageNet-C-bar's corruptions, in percent.

    As of `nineteen`, with one `mean` over all and no corruption errors.
    """
    grid = {corruption: row(family, corruption) for corruption in names.IMAGENET_CBAR}
    means = Means(cells)
    values = _cells(cells, grid, means)
    every = [name for own in grid.values() for name in own]
    return values | {f"{family}/mean": means.accuracy(every)}


def gaps(
    cells: Mapping[str, Cell], family: str, published: str, corruptions: Iterable[str]
) -> dict[str, Value]:
    """Return `<family>/<corruption>/<severity>/gap`: ours less the published files.

    Of accuracies, in percentage points, paired by image, and `<family>/gap`, the mean
    of all. NaN where one of the two was not measured, without an interval where records
    are not to be had or are of other images; where they are of the same ones,
    `.../gap_p` is McNemar's p.
    """
    found = cell_gaps.Gaps(cells)
    pairs = [
        (cell(family, corruption, severity), cell(published, corruption, severity))
        for corruption in corruptions
        for severity in names.SEVERITIES
    ]
    values = {}
    for gap in map(found.of, pairs):
        values[f"{gap.name}/gap"] = gap.value
        if gap.is_paired:
            values[f"{gap.name}/gap_p"] = Value(gap.p, n=gap.value.n)
    return values | {f"{family}/gap": found.mean(pairs)}


def _cells(
    cells: Mapping[str, Cell], grid: Mapping[str, list[str]], means: Means
) -> dict[str, Value]:
    values = {}
    for own in grid.values():
        for name in own:
            for rate in proportions.RATES:
                values[f"{name}/{rate}"] = proportions.accuracy(cells, name, rate)
        values[f"{own[0].rpartition('/')[0]}/mean"] = means.accuracy(own)
    return values
