"""Are the weights measured those of the file that was asked for?"""

import hashlib

import pytest

from biases_jax.models import functions, names, origin


def manifest(layout="", **files):
    sources = {
        part: {
            "file": path.name,
            "path": str(path),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for part, path in files.items()
    }
    return {"layout": layout, "sources": sources}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.pth"
    path.write_bytes(b"a")
    return path


def reference(path, layout=""):
    return names.Reference("mine", path=str(path), layout=layout)


def test_the_file_itself_a_copy_and_one_that_is_gone_pass(file, tmp_path, monkeypatch):
    made = manifest(backbone=file)
    copy = tmp_path / "copy.pth"
    copy.write_bytes(b"a")
    monkeypatch.chdir(tmp_path)
    for path in (file, copy, "a.pth"):
        origin.check(reference(path), made)
    file.unlink()
    origin.check(reference(file), made)
    origin.check(reference("a.pth"), made)
    origin.check(names.Reference("tv_resnet50"), made)  # found by its name


def test_another_file_at_another_or_the_same_place_is_refused(file, tmp_path):
    made = manifest(backbone=file)
    other = tmp_path / "b.pth"
    with pytest.raises(functions.ModelError, match=r"expected one of .*b\.pth"):
        origin.check(reference(other), made)  # is not there
    other.write_bytes(b"b")
    with pytest.raises(functions.ModelError, match="run --stage=convert"):
        origin.check(reference(other), made)
    origin.check(reference(file), made)
    file.write_bytes(b"other weights")
    message = r"another file at .*a\.pth than the one that was converted"
    with pytest.raises(functions.ModelError, match=message):
        origin.check(reference(file), made)


def test_another_layout_is_refused(file):
    made = manifest("prime_flat", backbone=file)
    origin.check(reference(file), made)
    origin.check(reference(file, "prime_flat"), made)
    with pytest.raises(functions.ModelError, match="the layout 'prime_flat'"):
        origin.check(reference(file, "madry_robustness"), made)


def test_of_two_files_both_count(file, tmp_path):
    head = tmp_path / "head.pth"
    head.write_bytes(b"h")
    made = manifest("dino_two_files", backbone=file, head=head)
    origin.check(reference(tmp_path), made)
    head.write_bytes(b"another")
    with pytest.raises(functions.ModelError, match=r"head\.pth"):
        origin.check(reference(tmp_path), made)
    head.unlink()
    origin.check(reference(tmp_path), made)
    with pytest.raises(functions.ModelError):
        origin.check(reference(tmp_path / "elsewhere"), made)


def test_an_unusual_stem_is_another_model():
    made = {"weights_sha256": "ab", "stem_stride": 2}
    assert origin.identity(made) == "ab"
    strides = {origin.identity({**made, "stem_stride": s}) for s in (1, 2, 4)}
    assert len(strides) == 3
