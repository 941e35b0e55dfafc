"""Are only plain files of sane size read, and none outside the root?"""

import os

import pytest

from biases_jax.sources import files


@pytest.fixture
def root(tmp_path):
    (tmp_path / "data" / "val" / "7").mkdir(parents=True)
    (tmp_path / "data" / "val" / "7" / "x.JPEG").write_bytes(b"x")
    (tmp_path / "data" / "flat").mkdir()
    (tmp_path / "data" / "flat" / "y.JPEG").write_bytes(b"y")
    (tmp_path / "secret").write_bytes(b"secret")
    return tmp_path / "data"


def test_a_pipe_is_refused_without_waiting_for_a_writer(root):
    os.mkfifo(root / "val" / "7" / "pipe.JPEG")
    with pytest.raises(OSError, match="pipe.JPEG: got a pipe or device"):
        files.Folder(root / "val").read("7/pipe.JPEG")


def test_a_huge_file_is_refused(root, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 4)
    (root / "val" / "7" / "x.JPEG").write_bytes(b"1234")
    assert files.Folder(root / "val").read("7/x.JPEG") == b"1234"
    (root / "val" / "7" / "x.JPEG").write_bytes(b"12345")
    with pytest.raises(OSError, match="x.JPEG: got over 4 bytes"):
        files.Folder(root / "val").read("7/x.JPEG")


@pytest.mark.parametrize("of", ["file", "folder"])
def test_a_link_out_of_the_root_is_refused(root, of):
    if of == "file":
        (root / "val" / "7" / "secret").symlink_to(root.parent / "secret")
    else:
        (root / "val" / "8").symlink_to(root.parent)
    place = "7/secret" if of == "file" else "8/secret"
    with pytest.raises(OSError, match="secret: got a link that leaves the folder"):
        files.Folder(root / "val", within=root).read(place)


def test_links_within_the_data_root_and_links_to_the_tree_itself_are_followed(root):
    (root / "val" / "7" / "y.JPEG").symlink_to("../../flat/y.JPEG")
    assert files.Folder(root / "val", within=root).read("7/y.JPEG") == b"y"
    with pytest.raises(OSError, match="leaves the folder"):
        files.Folder(root / "val").read("7/y.JPEG")
    (root.parent / "other").mkdir()
    (root.parent / "other" / "linked").symlink_to(root / "val")
    linked = root.parent / "other" / "linked"
    tree = files.Folder(linked, within=root.parent / "other")
    assert tree.read("7/x.JPEG") == b"x"


def test_a_folder_and_an_absent_file_are_errors(root):
    for place in ("7", "7/absent.JPEG"):
        with pytest.raises(OSError):
            files.Folder(root / "val").read(place)
