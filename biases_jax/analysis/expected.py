"""Is an accuracy the published one, and if not, what is the likely cause?

The images are the same, so there is no sampling error. What may differ is the JPEG
decoder, the resizing library and the rounding of float32, TF32 or bfloat16 products:
they flip decisions that are close to a tie. Of these, 1 % of the decisions in random
directions move an accuracy by less than three standard deviations, 30 / sqrt(n)
points; a drift of 0.2 points is allowed for besides. Authors who measured the same
checkpoints by themselves came that close (torchvision gives 76.13 for the first, the
study 76.146). On 50,000 images that is 0.33 points, on 7,500 0.55, on 800 1.26.
Mistakes are larger: resizing without antialiasing costs 0.8 points, another label space
or another variant of ImageNetV2 several, another order of the labels all.
"""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping

from biases_jax.analysis import page, published

DRIFT = 0.2  # points
FLIPPED = 0.01  # of the decisions

HINTS = (
    (
        "natural/imagenet",
        "are these the paper's weights (see Checkpoints), and are the labels those of"
        " the wnids?",
    ),
    (
        r"natural/imagenet_v2/.+",
        "is it the matched-frequency variant, and are its folders read as numbers, not"
        " in the order of their names?",
    ),
    (
        r"natural/imagenet_a/subset200",
        "is the label space the 200-class one (subset200), and are labels in 0 to 999,"
        " mapped once? The images were selected against ResNet-50, which got each of"
        " them wrong: next to nothing is right for one with its weights, and some"
        " percent for one of other weights, so is it the checkpoint you mean?",
    ),
    (
        r"natural/imagenet_r/subset200",
        "is the label space the 200-class one (subset200), and are labels in 0 to 999,"
        " mapped once?",
    ),
    (
        r"natural/imagenet_sketch",
        "are all 50,889 files the published ones, with labels by wnid?",
    ),
    (
        r"model_vs_human/stylized",
        "are these the 800 images of model-vs-human (not Stylized-ImageNet), not"
        " resized, and is the decision the 16-way one?",
    ),
    (
        r"spectral/.+",
        "is the clean accuracy (natural/imagenet) the published one, and are the images"
        " 224 pixels wide when they are filtered?",
    ),
    (
        r"imagenet_c(bar)?/.+",
        "are these the published JPEG files (not generated anew), and not resized,"
        " since they are 224 pixels wide already?",
    ),
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How an accuracy compares: `inside` is None, with the reason in `text`, if not.

    `published` is in percent, None where there is no figure. `text` says for an
    accuracy outside the range how far it is off, and asks for the likely cause.
    """

    published: float | None
    inside: bool | None
    text: str


def judge(model: str, benchmark: str, correct: int, n: int) -> Verdict:
    """Compare `correct` of `n` examples with what was published of the model."""
    figure = published.figures(model).get(benchmark)
    if figure is None:
        return Verdict(None, None, "no published figure")
    if n != figure.n:
        text = f"the published figure is of {figure.n} images, this of {n}"
        return Verdict(figure.percent, None, text)
    away = 100 * correct / n - figure.percent
    if abs(away) <= width(n):
        return Verdict(figure.percent, True, "as published")
    side = "above" if away > 0 else "below"
    text = (
        f"{benchmark} is {page.number(abs(away))} points {side} the published "
        f"{page.number(figure.percent)}: {hint(benchmark)}"
    )
    return Verdict(figure.percent, False, text)


def width(n: int) -> float:
    """Return by how many points an accuracy on the published images may be off."""
    return DRIFT + 100 * 3 * math.sqrt(FLIPPED / n)


def hint(benchmark: str) -> str:
    """Return a question that asks for the likely cause of another accuracy."""
    return next(text for name, text in HINTS if re.fullmatch(name, benchmark))


def summary(lines: Iterable[Mapping]) -> str:
    """Return how many lines of the long table are off (HTML), '' if none is judged."""
    judged = [line["inside"] for line in lines if line["inside"] is not None]
    if not judged:
        return ""
    outside = judged.count(False)
    if outside:
        text = (
            f"{outside} of {len(judged)} accuracies that can be compared are not the"
            " published ones: see Published figures."
        )
        return page.paragraph(text, "warning")
    text = f"All {len(judged)} accuracies that can be compared are as published."
    return page.paragraph(text)


def section(lines: Iterable[Mapping]) -> str:
    """Return the comparison with published figures (HTML), '' if there are none."""
    compared = [line for line in lines if line["published"] is not None]
    if not compared:
        return ""
    outside = [line for line in compared if line["inside"] is False]
    warnings = [
        page.paragraph(f"{line['model']}: {line['expected']}", "warning")
        for line in outside
    ]
    header = ["model", "benchmark", "top1", "published", "range", "verdict"]
    table = page.table(
        header,
        [
            [
                line["model"],
                line["benchmark"],
                line["value"],
                line["published"],
                f"+/- {page.number(width(line['n']))}" if line["n"] else "",
                line["expected"],
            ]
            for line in compared
        ],
        "Percent. Published by P. Gavrikov and J. Keuper (CVPR 2024), CC BY-SA 4.0.",
    )
    shown = page.folded(f"All {len(compared)} comparisons", table)
    return page.section("Published figures", *warnings, shown)
