"""Does the sheet show the settings that it names?"""

import numpy as np
import pytest
from absl import app
from PIL import Image

from biases_jax.miniature import settings, sheet, world


def test_a_row_is_a_setting_and_a_column_a_class(tmp_path):
    rows = ((settings.TEST, 0), (settings.TEST, 1))
    found = sheet.sheet(rows)
    assert found.shape == (2 * sheet.SIDE, 16 * sheet.SIDE, 3)
    kinds = np.arange(16)
    for row, further in enumerate((0, 1)):
        images = world.draw(
            sheet.SEED, kinds, settings.TEST, kinds=kinds, cues=(kinds + further) % 16
        ).images
        column = 5
        small = Image.fromarray(images[column]).resize((64, 64), Image.Resampling.BOX)
        place = found[64 * row : 64 * (row + 1), 64 * column : 64 * (column + 1)]
        assert np.array_equal(place, np.asarray(small))


def test_a_sheet_without_a_path_is_refused():
    with pytest.raises(app.UsageError, match="got 0 arguments, expected a path"):
        sheet.main(["sheet"])
