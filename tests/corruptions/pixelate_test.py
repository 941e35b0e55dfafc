"""Are large pixels Pillow's means of boxes, at all sides?"""

import numpy as np
import pytest
from corruptions import checks
from corruptions import reference_pointwise as reference
from PIL import Image

from biases_jax.corruptions import pixelate
from biases_jax.corruptions.pixelate import Pixelate


def none(*_):
    return {}


def nothing(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("pixelate", Pixelate, none), 0.0)


@pytest.mark.parametrize("shape", [(97, 131), (35, 62), (64, 225)], ids=str)
def test_other_images_come_out_as_pillows(shape):
    noise = np.random.default_rng(0).integers(0, 256, (*shape, 3)).astype(np.uint8)
    for image in (checks.photograph(*shape), noise):
        checks.statement(Pixelate, reference.pixelate, nothing, image=image)


@pytest.mark.parametrize("scale", pixelate.SCALES)
def test_boxes_are_pillows_at_every_side(scale):
    """Lines whose centres are on borders fall as rounding has it."""
    for side in range(32, 300):
        line = np.random.default_rng(side).integers(0, 256, (1, side)).astype(np.uint8)
        small = int(side * scale)
        picture = Image.fromarray(line).resize((small, 1), Image.Resampling.BOX)
        first, count = pixelate.boxes(side, small)
        total = np.concatenate([[0], line[0].cumsum(dtype=float)])
        mean = (total[first + count] - total[first]) / count
        # Means of 1 to 5 bytes: halves, of 2 and 4 only, go up.
        np.testing.assert_array_equal(np.floor(mean + 0.5), np.array(picture)[0])


def test_the_same_bytes_come_in_any_batch():
    checks.same_bytes(Pixelate(3))
