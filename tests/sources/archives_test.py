"""Is a stranger's archive read in place, or refused with one clear error?"""

import gzip
import io
import os
import pathlib
import struct
import tarfile

import pytest
import trees
from sources.source_files import write_tree

from biases_jax.sources import archives, catalog, dataset, loader

ROW = trees.any_size("imagenet_a")
EXAMPLES = trees.examples("imagenet_a")
GOOD = trees.files(EXAMPLES)


def member(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE, **more):
    """Return a member as the library writes it."""
    found = tarfile.TarInfo(name)
    found.size, found.type = size, kind
    for key, value in more.items():
        setattr(found, key, value)
    return found


def archive(*members: tuple[tarfile.TarInfo, bytes], form=tarfile.PAX_FORMAT) -> bytes:
    """Return an archive of good images, and then other members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as file:
        for location, data in GOOD.items():
            file.addfile(member(location, len(data)), io.BytesIO(data))
        for info, data in members:
            if info.isreg():
                file.addfile(info, io.BytesIO(data.ljust(info.size, b"\0")))
            else:
                file.addfile(info)
    return buffer.getvalue()


def with_header(change) -> bytes:
    """Return an archive whose last header was forged, with a right checksum."""
    data = bytearray(archive((member("n01498041/x.jpg", 5), b"12345")))
    at = data.rindex(b"n01498041/x.jpg")
    change(data, at)
    data[at + 148 : at + 156] = b" " * 8
    data[at + 148 : at + 155] = b"%06o\0" % sum(data[at : at + 512])
    return bytes(data)


def put(offset: int, value: bytes):
    def change(data, at):
        data[at + offset : at + offset + len(value)] = value

    return with_header(change)


def long_names(count: int) -> bytes:
    """Return a chain of headers that each announce the next one's name."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 512
    return (info.tobuf() + bytes(512)) * count + bytes(1024)


def claims(kind: bytes, size: int) -> bytes:
    """Return an archive that begins with a header of a huge name."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT) + bytes(4096)


def sparse() -> bytes:
    headers = {"GNU.sparse.map": "0,512", "GNU.sparse.size": "99999", "size": "512"}
    return archive((member("n01498041/x.jpg", 512, pax_headers=headers), b"x"))


IN = "n01498041/"
HOSTILE = {
    "a link": (
        archive((member(IN + "x.jpg", kind=tarfile.SYMTYPE, linkname="/etc/x"), b"")),
        "a link to '/etc/x'",
    ),
    "a hard link": (
        archive((member(IN + "x.jpg", kind=tarfile.LNKTYPE, linkname="../x"), b"")),
        "a link to '../x'",
    ),
    "a way up": (archive((member(IN + "../../x.jpg", 1), b"1")), "leaves the archive"),
    "an absolute path": (archive((member("/etc/x.jpg", 1), b"1")), "leaves the arch"),
    "a backslash": (archive((member("..\\x.jpg", 1), b"1")), "leaves the archive"),
    "a device": (archive((member(IN + "x.jpg", kind=tarfile.CHRTYPE), b"")), "device"),
    "a pipe": (archive((member(IN + "x.jpg", kind=tarfile.FIFOTYPE), b"")), "device"),
    "an unknown kind": (put(156, b"Z"), "device or of unknown kind"),
    "an old sparse file": (put(156, b"S"), "sparse"),
    "a new sparse file": (sparse(), "sparse"),
    "a duplicate": (archive((member(next(iter(GOOD)), 1), b"1")), "there twice"),
    "a duplicate by a dot": (
        archive((member("./" + next(iter(GOOD)), 1), b"1")),
        "there twice",
    ),
    "a file in a file": (
        archive((member(next(iter(GOOD)) + "/x.jpg", 1), b"1")),
        "lies in a file",
    ),
    "a huge size": (put(124, b"77777777777\0"), "claims 8589934591 bytes, over"),
    "a size beyond the end": (put(124, b"%011o\0" % 2**25), "more than the archive"),
    "an astronomical size": (
        put(124, b"\x80" + bytes(3) + struct.pack(">Q", 2**63)),
        "over the limit",
    ),
    "a negative size": (put(124, b"\xff" * 12), "claims -1 bytes"),
    "a wrong checksum": (
        archive((member(IN + "x.jpg", 1), b"1")).replace(
            b"n01498041/x.jpg\0", b"n01498041/y.jpg\0"
        ),
        "without an end",
    ),
    "no end": (archive()[: -tarfile.RECORDSIZE], "cut off"),
    "cut in an image": (archive()[:2000], "unexpected end of data"),
    "a huge name": (claims(tarfile.GNUTYPE_LONGNAME, 2**32), "header claims 42949"),
    "a negative name": (claims(tarfile.GNUTYPE_LONGNAME, -1000), "header claims -512"),
    "a huge pax header": (claims(tarfile.XHDTYPE, 2**30), "header claims 10737"),
    "a chain of names": (long_names(5000), "RecursionError"),
    "gzip": (gzip.compress(archive()), "run gunzip on it first"),
    "no archive": (b"<html>404</html>" * 100, "no whole tar archive"),
    "nothing": (b"", "no whole tar archive"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_with_one_clear_error(tmp_path, name):
    data, message = HOSTILE[name]
    path = tmp_path / "imagenet-a.tar"
    path.write_bytes(data)
    with pytest.raises(archives.ArchiveError) as error:
        dataset.open_source(ROW, str(tmp_path), str(tmp_path))
    assert message in str(error.value) and str(path) in str(error.value)
    assert list(tmp_path.iterdir()) == [path]  # nothing was unpacked


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT])
def test_good_archives_of_other_formats_and_with_folders_are_read(tmp_path, form):
    folder = member("./n01498041/", kind=tarfile.DIRTYPE)
    hidden = member("n01498041/._x.jpg", 1)
    data = archive((folder, b""), (hidden, b"1"), form=form)
    (tmp_path / "imagenet-a.tar").write_bytes(data)
    found = dataset.open_source(ROW, str(tmp_path), str(tmp_path))
    assert set(found.names) == {example.name for example in EXAMPLES}


def test_long_and_foreign_names_are_read(tmp_path):
    name = "ä" * 90 + ".jpg"
    data = archive((member(IN + name, 3), b"abc"))
    (tmp_path / "imagenet-a.tar").write_bytes(data)
    found = dataset.open_source(ROW, str(tmp_path), str(tmp_path))
    assert found.encoded(found.names.index(name)) == b"abc"


@pytest.mark.parametrize("change", ["cut", "replaced"])
def test_an_archive_that_changed_after_it_was_listed_gives_no_image(tmp_path, change):
    path = tmp_path / "imagenet-a.tar"
    path.write_bytes(archive())
    found = dataset.open_source(ROW, str(tmp_path), str(tmp_path))
    changed = {"cut": archive()[:1000], "replaced": archive()}[change]
    path.write_bytes(changed)
    os.utime(path, ns=(1, 1))  # the clock of a file system may be coarse
    reader = loader.Loader(found, 0)
    list(reader.batches([(0, len(found))], len(found)))
    reasons = dict(reader.corrupt)
    assert set(reasons) == set(GOOD)
    assert all("changed after it was listed" in reason for reason in reasons.values())


def test_a_compressed_archive_is_named_with_what_to_do(tmp_path):
    (tmp_path / "imagenet-a.tar.gz").write_bytes(gzip.compress(archive()))
    with pytest.raises(FileNotFoundError, match="a.tar.gz .compressed: gunzip it"):
        dataset.open_source(ROW, str(tmp_path), str(tmp_path))


def test_two_trees_in_one_archive_are_not_guessed_between(tmp_path):
    content = {f"{top}/{k}": v for top in "ab" for k, v in GOOD.items()}
    trees.pack(tmp_path / "imagenet-a.tar", content)
    with pytest.raises(FileNotFoundError, match="several trees: .*tar/a, .*tar/b"):
        dataset.open_source(ROW, str(tmp_path), str(tmp_path))


def test_a_declaration_within_an_archive_counts(tmp_path):
    text = '{"source": "imagenet_a", "classes": 4, "examples": %d}'
    row = catalog.SOURCES["imagenet_a"]
    for examples in (len(GOOD), len(GOOD) + 1):
        content = GOOD | {"dataset.json": (text % examples).encode()}
        trees.pack(tmp_path / "imagenet-a.tar", content, "imagenet-a")
        if examples == len(GOOD):
            dataset.open_source(row, str(tmp_path), str(tmp_path))
    with pytest.raises(ValueError, match=f"got {len(GOOD)} images of 4 classes"):
        dataset.open_source(row, str(tmp_path), str(tmp_path))


def test_the_unpacked_tree_is_preferred_to_its_archive(tmp_path):
    (tmp_path / "imagenet-a.tar").write_bytes(b"no archive")
    write_tree(tmp_path / "imagenet-a", GOOD)
    assert len(dataset.open_source(ROW, str(tmp_path), str(tmp_path))) == len(GOOD)


def test_an_archive_of_too_many_members_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST", 3)
    trees.pack(tmp_path / "imagenet-a.tar", GOOD)
    with pytest.raises(archives.ArchiveError, match="over 3 members"):
        dataset.open_source(ROW, str(tmp_path), str(tmp_path))


def test_an_archive_is_listed_once_while_it_is_unchanged(tmp_path, monkeypatch):
    path = pathlib.Path(tmp_path / "imagenet-a.tar")
    trees.pack(path, GOOD)
    archives.index(str(path))
    monkeypatch.setattr(archives, "_members", None)  # must not be called
    archives.index(str(path))
