"""Is an archive listed within its limits, and are its folders told apart?"""

import bz2
import gc
import gzip
import lzma
import tarfile

import pytest
import trees

from biases_jax.sources import archives, dataset

EMPTY = {f"n01440764/{number}.JPEG": b"" for number in range(4)}


def test_the_largest_number_of_members_is_listed_and_one_more_is_not(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(archives, "MOST", 3)
    three = dict(list(EMPTY.items())[:3])
    trees.pack(tmp_path / "three.tar", three)
    assert len(archives.index(str(tmp_path / "three.tar"))["n01440764"]) == 3
    trees.pack(tmp_path / "four.tar", EMPTY)
    with pytest.raises(archives.ArchiveError, match="over 3 members"):
        archives.index(str(tmp_path / "four.tar"))


def test_headers_do_not_pile_up_in_memory(tmp_path, monkeypatch):
    count, alive = 5_000, []
    names = [f"n01440764/{number}.JPEG" for number in range(count)]
    trees.pack(tmp_path / "many.tar", dict.fromkeys(names, b""))
    enter = archives._enter

    def watched(folders, member):
        if member.name == names[-1]:
            alive.append(sum(type(o) is tarfile.TarInfo for o in gc.get_objects()))
        return enter(folders, member)

    monkeypatch.setattr(archives, "_enter", watched)
    gc.collect()  # of what other tests have left
    archives.index(str(tmp_path / "many.tar"))
    assert len(alive) == 1 and alive[0] < 100  # one, and some of the library's own


@pytest.mark.parametrize(
    ("library", "tool"), [(gzip, "gunzip"), (bz2, "bunzip2"), (lzma, "unxz")]
)
def test_a_compressed_archive_is_told_by_its_first_bytes(tmp_path, library, tool):
    path = tmp_path / "imagenet-a.tar"
    trees.pack(path, EMPTY)
    path.write_bytes(library.compress(path.read_bytes()))
    with pytest.raises(archives.ArchiveError, match=f"run {tool} on it first"):
        archives.index(str(path))


def test_a_compressed_archive_with_a_short_ending_is_named(tmp_path):
    (tmp_path / "imagenet-a.tgz").write_bytes(b"")
    row = trees.any_size("imagenet_a")
    with pytest.raises(FileNotFoundError, match="imagenet-a.tgz .compressed: gunzip"):
        dataset.open_source(row, str(tmp_path), str(tmp_path))


def test_a_folder_whose_name_ends_like_anothers_is_another(tmp_path):
    content = {f"{place}/1/x.JPEG": b"" for place in ("inverse_sparkles", "sparkles")}
    trees.pack(tmp_path / "imagenet-c-bar.tar", content)
    folder = archives.TarFolder(tmp_path / "imagenet-c-bar.tar")
    (found,) = folder.below("sparkles/1")
    assert found.where == f"{tmp_path}/imagenet-c-bar.tar/sparkles/1"
    (found,) = folder.below("inverse_sparkles/1")
    assert found.where.endswith("tar/inverse_sparkles/1")
