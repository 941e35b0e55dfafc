"""Are the sheets in the run's folder and in its report?"""

import base64
import dataclasses
import json
import pathlib

import numpy as np
import pytest
from absl import app
from PIL import Image

from biases_jax import contact_sheet, photographs, stimuli
from biases_jax import gallery as sheets
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import driver, gallery


def run(request, *stages, image="", **changes):
    config = dataclasses.replace(request.config, **changes)
    settings = dataclasses.replace(
        request.settings, config=config, stages=stages, image=image
    )
    return driver.run(settings)


def figures(request):
    return sorted(path.name for path in (request.report / "figures").glob("*.png"))


def caption(request, family):
    path = request.report / "figures" / f"gallery_{family}.png"
    return contact_sheet.read(path)[0]


def test_sheets_are_written_and_shown_in_the_report(small, capsys):
    assert run(small, "evaluate", "gallery", "analyse") == DONE
    assert figures(small) == ["gallery_natural.png", "gallery_spectral.png"]
    assert "gallery_spectral.png" in capsys.readouterr().out
    page = (small.report / "index.html").read_text()
    for family in ("natural", "spectral"):
        path = small.report / "figures" / f"gallery_{family}.png"
        assert base64.b64encode(path.read_bytes()).decode() in page
        assert caption(small, family) in page
    assert caption(small, "spectral") == "spectral: 1 condition(s) of 2.jpeg, seed 0."
    assert caption(small, "natural") == f"natural: {sheets.KEPT}."


def test_a_report_without_sheets_shows_none(small):
    assert run(small, "evaluate", "analyse") == DONE
    assert "<h2>Stimuli</h2>" not in (small.report / "index.html").read_text()
    assert run(small, "gallery", "analyse") == DONE
    assert "<h2>Stimuli</h2>" in (small.report / "index.html").read_text()


def test_sheets_are_made_where_nobody_asks_for_them():
    assert driver.DEFAULT.index("gallery") < driver.DEFAULT.index("analyse")


def test_a_second_call_makes_nothing(small, monkeypatch):
    assert run(small, "gallery") == DONE
    before = [p.read_bytes() for p in (small.report / "figures").glob("*.png")]

    def fails(*arguments):
        raise AssertionError("a sheet is made again")

    monkeypatch.setattr(contact_sheet, "png", fails)
    monkeypatch.setattr(stimuli, "Stimuli", fails)
    assert run(small, "gallery") == DONE
    after = [p.read_bytes() for p in (small.report / "figures").glob("*.png")]
    assert before == after
    monkeypatch.undo()
    assert run(small, "gallery", seed=1) == DONE
    assert caption(small, "spectral").endswith("seed 1.")


def test_sheets_of_an_earlier_call_are_not_kept(small):
    assert run(small, "gallery") == DONE
    first = (small.report / "figures" / "gallery_spectral.png").read_bytes()
    assert run(small, "gallery", benchmarks=("spectral/*",)) == DONE
    assert figures(small) == ["gallery_spectral.png"]
    second = (small.report / "figures" / "gallery_spectral.png").read_bytes()
    assert run(small, "gallery") == DONE
    assert (small.report / "figures" / "gallery_spectral.png").read_bytes() == first
    assert len(second) > len(first)


def test_an_own_image_is_shown(small, tmp_path, caplog):
    [data] = photographs.crops("coffee", 1)
    (tmp_path / "mine.jpg").write_bytes(data)
    assert run(small, "gallery", image=str(tmp_path / "mine.jpg")) == DONE
    assert "of mine.jpg" in caption(small, "spectral")
    assert "is not used" not in caplog.text


@pytest.mark.parametrize(
    ("mode", "size", "suffix"),
    [
        ("L", (31, 500), "png"),
        ("CMYK", (300, 200), "jpg"),
        ("RGBA", (224, 224), "png"),
        ("P", (1, 1), "gif"),
        ("1", (640, 480), "png"),
    ],
)
def test_an_own_image_may_have_any_size_and_mode(small, tmp_path, mode, size, suffix):
    path = tmp_path / f"mine.{suffix}"
    Image.new(mode, size, 1).save(path)
    made = gallery._example(str(path), None, "imagenet")
    assert made.pixels.shape == (224, 224, 3) and made.name == path.name


def test_the_first_image_of_each_condition_is_found(small, tmp_path):
    folder = tmp_path / "model-vs-human" / "contrast" / "dnn" / "session-1"
    folder.mkdir(parents=True)
    names = [
        f"{number:04}_cop_dnn_{condition}_{category}_10_n0{number}.png"
        for number, (condition, category) in enumerate(
            [("c05", "bear"), ("c50", "bird"), ("c05", "cat")]
        )
    ]
    for name in names:
        grey = 50 if "_c50_" in name else 100
        Image.new("L", (224, 224), grey).save(folder / name)
    declared = {"source": "model_vs_human/contrast", "classes": 3, "examples": 3}
    (folder.parents[1] / "dataset.json").write_text(json.dumps(declared))
    config = dataclasses.replace(small.config, data_dir=str(tmp_path))
    settings = dataclasses.replace(small.settings, config=config)
    request = dataclasses.replace(small, settings=settings)
    found = gallery._first(request, "model_vs_human/contrast")
    greys = {condition: int(image.pixels.max()) for condition, image in found.items()}
    assert greys == {"c50": 50, "c05": 100}
    assert gallery._first(request, "model_vs_human/rotation") == {}


def test_where_no_source_is_there_a_photograph_is_shown(small, tmp_path, caplog):
    assert run(small, "gallery", data_dir=str(tmp_path / "none")) == DONE
    assert figures(small) == ["gallery_spectral.png"]
    assert "of chelsea.jpg" in caption(small, "spectral")
    assert "imagenet is not here: a photograph is shown instead" in caplog.text


@pytest.mark.parametrize("image", ["", "mine.jpg"])
def test_that_nothing_is_shown_is_said_with_its_reason(
    small, tmp_path, capsys, caplog, image
):
    nowhere = {"data_dir": str(tmp_path / "none"), "benchmarks": ("natural/imagenet",)}
    assert run(small, "gallery", image=image, **nowhere) == DONE
    assert figures(small) == []
    message = "no sheet: no benchmark asked for changes images, and none of their "
    assert message + "sources is here (imagenet)\n" in capsys.readouterr().out
    assert ("--image=mine.jpg is not used" in caplog.text) == bool(image)


def test_an_own_image_that_is_on_no_sheet_is_told(small, capsys, caplog):
    only = ("natural/imagenet",)
    assert run(small, "gallery", image="mine.jpg", benchmarks=only) == DONE
    assert figures(small) == ["gallery_natural.png"]
    assert "no sheet" not in capsys.readouterr().out
    assert "--image=mine.jpg is not used: no benchmark asked for" in caplog.text


def test_a_wrong_path_or_file_is_one_message(small, tmp_path, caplog):
    with pytest.raises(app.UsageError, match="where there is no file"):
        run(small, "gallery", image=str(tmp_path / "none.png"))
    with pytest.raises(app.UsageError, match="where there is no file"):
        run(small, "gallery", image=str(tmp_path))
    (tmp_path / "text.png").write_text("no image")
    assert run(small, "gallery", image=str(tmp_path / "text.png")) == INCOMPLETE
    assert "got text.png, expected an image: no image in" in caplog.text


def test_the_first_image_is_preprocessed_as_for_models(small):
    [found] = gallery._first(small, "imagenet").values()
    assert isinstance(found, sheets.Example) and found.name == "2.jpeg"
    path = pathlib.Path(small.config.data_dir) / "0" / "2.jpeg"
    own = np.asarray(Image.open(path).resize((256, 256), Image.Resampling.BILINEAR))
    np.testing.assert_array_equal(found.pixels, own[16:240, 16:240])
