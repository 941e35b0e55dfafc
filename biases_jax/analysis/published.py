"""What did the study publish of its 48 models?

By Paul Gavrikov and Janis Keuper (CVPR 2024), CC BY-SA 4.0; see `data/README.md`.
"""

import csv
import functools
import importlib.resources
import io
import re
from collections.abc import Mapping
from typing import NamedTuple

# The column of each benchmark that has one, and the images of which it is. Columns
# with a defect are none: `imagenet_real_last_batch`, `pgd40_*_as_published`.
COLUMNS = {
    "natural/imagenet": ("imagenet", 50_000),
    "natural/imagenet_v2/matched_frequency": ("imagenet_v2", 10_000),
    "natural/imagenet_a/subset200": ("imagenet_a", 7_500),
    "natural/imagenet_r/subset200": ("imagenet_r", 30_000),
    "natural/imagenet_sketch": ("imagenet_sketch", 50_889),
    "model_vs_human/stylized": ("mvh_stylized", 800),
}
# Ratios of the clean accuracy, of ImageNet's validation set.
RATIO = re.compile(r"(low|high)_pass_(.+)_ratio")
IMAGES = 50_000  # of the validation set, and of each cell of ImageNet-C and -C-bar


class Figure(NamedTuple):
    """A published top-1 accuracy: `percent` of `n` images."""

    percent: float
    n: int


def figures(model: str) -> Mapping[str, Figure]:
    """Return the published figures by benchmark; none for a model of one's own.

    Only those that can be compared with: see `COLUMNS`.
    """
    return _figures().get(model, {})


@functools.cache
def _figures() -> dict[str, dict[str, Figure]]:
    found = {line["model"]: _of_line(line) for line in lines("published_figures.csv")}
    for line in lines("published_corruptions.csv"):
        cells = {name: text for name, text in line.items() if name != "model"}
        found[line["model"]] |= {
            name: Figure(float(text), IMAGES) for name, text in cells.items()
        }
    return found


def lines(file: str) -> list[dict[str, str]]:
    """Return the lines of one of the package's published tables, as text."""
    path = importlib.resources.files("biases_jax").joinpath("data", file)
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def _of_line(line: Mapping[str, str]) -> dict[str, Figure]:
    found = {
        benchmark: Figure(float(line[column]), n)
        for benchmark, (column, n) in COLUMNS.items()
    }
    clean = found["natural/imagenet"].percent
    for column, text in line.items():
        match = RATIO.fullmatch(column)
        if match:
            name = f"spectral/{match[1]}_pass/{match[2]}"
            found[name] = Figure(clean * float(text), IMAGES)
    return found
