"""Are a model's files found where they are said to be?"""

import pathlib

import pytest

from biases_jax.models import layouts, spec, zoo
from convert import fetch, files

CONTENT = b"weights"
HUB = spec.Published("repository/model.safetensors", "hf:a/repository")
OTHER = spec.Published("model-0123abcd.pth", "https://a/model-0123abcd.pth", "0123abcd")
UNKNOWN = spec.Published("unknown.pth", "https://a/unknown.pth")


def row(*published, head=(), name="net_eps0"):
    layout = layouts.LAYOUTS["dino_two_files" if head else "torchvision_flat_zip"]
    return spec.ModelSpec(name, "baseline", "", layout, published, head)


def put(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONTENT)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "repository/model.safetensors",
        "model-0123abcd.pth",
        "net_eps0.safetensors",
        "net_eps0.pth",
        "net_eps0.pth.tar",
        "net_eps0.ckpt",
        "net_eps0/backbone.pth",
    ],
)
def test_each_documented_place_is_looked_at(tmp_path, name):
    path = put(tmp_path, name)
    put(tmp_path, "net_eps0.5.pth")  # another model, whose name begins alike
    put(tmp_path, "model.safetensors")  # of any repository
    found = files.find(row(HUB, OTHER), None, str(tmp_path))
    assert found == {"backbone": path}


def test_the_preferred_published_file_comes_first(tmp_path):
    put(tmp_path, "net_eps0.pth")
    put(tmp_path, OTHER.file)
    first = put(tmp_path, HUB.file)
    found = files.find(row(HUB, OTHER), None, str(tmp_path))
    assert found == {"backbone": first}


def test_models_of_two_files_need_both(tmp_path):
    model = row(OTHER, head=(UNKNOWN,))
    first, second = put(tmp_path, OTHER.file), put(tmp_path, "net_eps0/head.pth")
    found = files.find(model, None, str(tmp_path))
    assert found == {"backbone": first, "head": second}
    second.unlink()
    put(tmp_path, "net_eps0.pth")
    with pytest.raises(FileNotFoundError, match="net_eps0 .head.: got none of"):
        files.find(model, None, str(tmp_path))
    with pytest.raises(ValueError, match="has two files"):
        files.find(model, str(first), "")


def test_the_error_lists_all_places(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        files.find(row(HUB, OTHER), None, str(tmp_path))
    for place in (HUB.file, OTHER.file, "net_eps0.*", "net_eps0/backbone.*"):
        assert str(tmp_path / place) in str(error.value)


def test_two_candidates_are_an_error(tmp_path):
    put(tmp_path, "net_eps0.pth")
    put(tmp_path, "net_eps0.safetensors")
    with pytest.raises(ValueError, match="expected one"):
        files.find(row(), None, str(tmp_path))


def test_an_own_path_must_be_a_file(tmp_path):
    path = put(tmp_path, "any.name")
    assert files.find(row(), str(path), "") == {"backbone": path}
    with pytest.raises(FileNotFoundError, match="which is no file"):
        files.find(row(), str(tmp_path / "absent"), "")
    with pytest.raises(ValueError, match="name=dino_two_files:folder"):
        files.find(row(), str(tmp_path), "")


def test_a_folder_holds_the_two_files_of_an_own_model(tmp_path):
    model = zoo.own("mine", layouts.LAYOUTS["swav_two_files"])
    first, second = put(tmp_path, "backbone.pth.tar"), put(tmp_path, "head.pth")
    found = files.find(model, str(tmp_path), "")
    assert found == {"backbone": first, "head": second}
    second.unlink()
    with pytest.raises(FileNotFoundError, match="head.*"):
        files.find(model, str(tmp_path), "")


def test_published_files_lie_in_the_users_cache_if_no_folder_is_given(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert files.folder("") == tmp_path / "biases_jax/weights"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert files.folder("") == pathlib.Path.home() / ".cache/biases_jax/weights"
    assert files.folder("~/mine") == pathlib.Path.home() / "mine"


def test_what_is_not_there_is_fetched_and_the_rest_is_not(tmp_path, monkeypatch):
    there = put(tmp_path, "unknown.pth")
    asked = []

    def fetched(published, folder, *, offline):
        asked.append((published, folder, offline))
        return put(folder, published[0].file)

    monkeypatch.setattr(fetch, "fetch", fetched)
    model = row(OTHER, head=(UNKNOWN,))
    found = files.fetch_missing(model, str(tmp_path), offline=False)
    assert found == {"backbone": tmp_path / OTHER.file, "head": there}
    assert asked == [((OTHER,), tmp_path, False)]


def test_a_failed_download_tells_both_where_and_why(tmp_path):
    with pytest.raises(fetch.FetchError) as error:
        files.fetch_missing(row(OTHER), str(tmp_path), offline=True)
    for text in (f"got none of {tmp_path / OTHER.file}", "--offline", OTHER.uri):
        assert text in str(error.value)
