"""How accurate are the models on clean images?"""

import math

from biases_jax.analysis.drawings.drawing import Drawing, Group
from biases_jax.analysis.drawings.numbers import Numbers, missing
from biases_jax.analysis.figures import bars, svg

CLEAN = "natural/imagenet/top1"
TEXT = "Top-1 accuracy on ImageNet's validation set: the yardstick of what follows."


def group(numbers: Numbers) -> Group | None:
    """Return the bars of the clean accuracy, None where no model has one."""
    values = [(model, numbers.get(model, CLEAN)) for model in numbers.models]
    known = [item for item in values if not math.isnan(item[1].value)]
    if not known:
        return None
    known.sort(key=lambda item: (-item[1].value, item[0]))
    figure = bars.bars(known, "top-1 accuracy on ImageNet (%)")
    caption = "Top-1 accuracy on clean images. Bars: 95 % Wilson intervals."
    caption += missing(values)
    return Group("Accuracy", TEXT, [Drawing("top1", caption, svg.text(figure))])
