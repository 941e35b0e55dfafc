"""Are the training images drawn once, and anew when they would be others?"""

import numpy as np
from etils import epath

from biases_jax.miniature import recipes, training_set, world
from biases_jax.miniature.settings import TRAINING


def test_images_are_those_of_the_world_and_kept(tmp_path):
    folder = epath.Path(tmp_path)
    found = training_set.images("natural", folder, 20)
    expected = world.draw(101, np.arange(20), TRAINING, 256)
    np.testing.assert_array_equal(found, expected.images)
    [path] = tmp_path.iterdir()
    written = path.stat().st_mtime_ns
    again = training_set.images("natural", folder, 20)
    np.testing.assert_array_equal(again, found)
    assert path.stat().st_mtime_ns == written


def test_other_settings_are_another_file(tmp_path, monkeypatch):
    folder = epath.Path(tmp_path)
    first = np.array(training_set.images("natural", folder, 4))
    other = {"natural": TRAINING._replace(flat=1.0)}
    monkeypatch.setattr(training_set, "SETS", other)
    second = training_set.images("natural", folder, 4)
    assert len(list(tmp_path.iterdir())) == 2
    assert (first != second).any()
    assert recipes.SETS["natural"] == TRAINING
