"""Is the room that is needed counted, and a lack of it told?"""

import collections

from biases_jax.doctor import disk
from biases_jax.sources import catalog

GB = 10**9
Usage = collections.namedtuple("Usage", "free")


def test_absent_sets_count_with_their_published_images():
    rows = [catalog.SOURCES[name] for name in ("imagenet", "imagenet_c/fog/1")]
    assert disk.absent(rows) == 50_000 * 150_000 + 50_000 * 20_000
    assert disk.absent([]) == 0


def test_a_lack_of_room_is_a_note_with_the_place(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        disk.shutil, "disk_usage", lambda p: asked.append(p) or Usage(2 * GB)
    )
    folders = {
        "images": (str(tmp_path / "not/there"), 3 * GB),
        "weights": (str(tmp_path), 2 * GB),
        "the run": ("gs://bucket", 9 * GB),
    }
    (note,) = disk.shortages(folders)
    assert not note.grave and "got 2.0 GB free for images at" in note.message
    assert "expected about 3.0 GB" in note.message
    assert asked == [tmp_path, tmp_path]  # the folder above what is not there
    lines = disk.described(GB, 3 * GB, disk.Models(10, 5), folders)
    assert lines[0] == (
        "disk: images here 1.0 GB, absent about 3.0 GB; models to convert 1.0 GB, "
        "to fetch about 0.5 GB"
    )
    assert len(lines) == 3 and "2.0 GB free for weights" in lines[2]
