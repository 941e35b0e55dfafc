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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "got 0 arguments, expected a path: world.png"),
        (("a.png", "b.png"), "got 2 arguments"),
        (("world.txt",), r"got .*world.txt, expected a path that ends in .png or .jpg"),
        (("new/world.png",), "got .*world.png, expected a folder .*new; make it first"),
    ],
)
def test_a_sheet_without_a_place_is_refused_before_it_is_drawn(
    tmp_path, monkeypatch, arguments, message
):
    monkeypatch.setattr(sheet, "sheet", lambda: pytest.fail("drew a sheet"))
    with pytest.raises(app.UsageError, match=message):
        sheet.main(["sheet", *(str(tmp_path / argument) for argument in arguments)])
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_the_sheet_and_says_where(tmp_path, monkeypatch, capsys):
    drawn = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    monkeypatch.setattr(sheet, "sheet", lambda: drawn)
    path = tmp_path / "world.png"
    sheet.main(["sheet", str(path)])
    assert np.array_equal(np.asarray(Image.open(path)), drawn)
    assert capsys.readouterr().out.startswith(f"{path}: 8 settings of the world")
