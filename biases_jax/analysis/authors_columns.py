"""What do the authors of the study call a number, and in which unit is it theirs?"""

import re
from typing import NamedTuple

PERCENT = 0.01

# A pattern of (benchmark/metric) and its column, in the order of the wide table; '' for
# numbers of single conditions, categories and image sets, which the long table has.
COLUMNS = (
    (r"natural/imagenet/top1", "top1_acc/imagenet"),
    (r"natural/imagenet_v2/matched_frequency/top1", "top1_acc/imagenet-v2"),
    (r"natural/imagenet_real/top1", "top1_acc/imagenet-real"),
    (r"natural/imagenet_a/subset200/top1", "top1_acc/imagenet-a"),
    (r"natural/imagenet_r/subset200/top1", "top1_acc/imagenet-r"),
    (r"natural/imagenet_sketch/top1", "top1_acc/imagenet-sketch"),
    (r"model_vs_human/([^/]+(?:/sum)?)/top1", r"top1_acc/\1"),
    (r"model_vs_human/(own/[^/]+(?:/sum)?)/top1", r"top1_acc/\1"),
    (r"model_vs_human/(ood_mean(?:_sum)?)", r"top1_acc/\1"),
    (r"model_vs_human/.+/.+", ""),
    (r"shape/bias(_sum)?", r"shape-bias\1"),
    (r"shape/(?:(?:frequency_)?cue_conflict|own/[^/]+)/.+/bias", ""),
    (r"critical_band/bandwidth_paper(_norm)?", r"metric/criticalband/bw\1"),
    (r"critical_band/centre_frequency_paper(_norm)?", r"metric/criticalband/cf\1"),
    (
        r"critical_band/peak_noise_sensitivity_paper(_norm)?",
        r"metric/criticalband/pns\1",
    ),
    (r"critical_band/.+/.+", ""),
    (r"spectral/low_pass/(.+)/ratio", r"metric/bandpass/LFC/\1"),
    (r"spectral/high_pass/(.+)/ratio", r"metric/bandpass/HFC/\1"),
    (r"spectral/.+/.+", ""),
    (r"imagenet_c/mean19", "top1_acc/imagenet-c"),
    (r"imagenet_cbar/mean", "top1_acc/imagenet-cbar"),
    (r"imagenet_c(?:bar)?/([^/]+)/([1-5])/top1", r"top1_acc/\1_\2"),
    (r"imagenet_c.*/.+/.+", ""),
    (r"(.+)/top1", r"top1_acc/\1"),
    (r".+/top5", ""),
)
# Columns that are fractions, where the long table has percent: the authors' shape bias,
# and all of ours that stand beside it.
FRACTIONS = re.compile(r"shape-bias(_sum)?|shape/(.+/)?(frequency_)?bias(_[^/]+)?")


class Column(NamedTuple):
    """A column: its place among others, its name ('' is left out), its unit in ours."""

    rank: int
    name: str
    unit: float


def column(name: str) -> Column:
    """Return the column of a number (benchmark/metric): its own name if it has none."""
    for rank, (pattern, template) in enumerate(COLUMNS):
        match = re.fullmatch(pattern, name)
        if match:
            return _of_unit(rank, match.expand(template))
    return _of_unit(len(COLUMNS), name)


def _of_unit(rank: int, name: str) -> Column:
    return Column(rank, name, PERCENT if FRACTIONS.fullmatch(name) else 1.0)
