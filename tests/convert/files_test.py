"""Are a model's files found where they are said to be, and only if they are right?"""

import hashlib
import pathlib

import pytest

from biases_jax.models import layouts, spec, zoo
from convert import errors, files

CONTENT = b"weights"
SUM = hashlib.sha256(CONTENT).hexdigest()
HUB = spec.Published("repository/model.safetensors", "hf:a/repository", SUM)
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
    for wrong in (tmp_path, tmp_path / "absent"):
        with pytest.raises(FileNotFoundError, match="which is no file"):
            files.find(row(), str(wrong), "")


PREFIX = spec.Published(f"model-{SUM[:8]}.pth", "https://a", SUM[:8])


@pytest.mark.parametrize(
    "name, published, verified",
    [
        ("repository/model.safetensors", (HUB, OTHER), True),
        ("net_eps0.pth", (HUB, OTHER), True),
        (PREFIX.file, (OTHER, PREFIX), True),
        ("net_eps0.pth", (PREFIX, UNKNOWN), True),
        ("net_eps0.pth", (), False),
        ("net_eps0.pth", (OTHER, UNKNOWN), False),
        ("unknown.pth", (OTHER, UNKNOWN), False),
        ("unknown.pth", (HUB, UNKNOWN), True),
    ],
)
def test_only_a_known_sum_verifies_a_file(tmp_path, name, published, verified):
    path = put(tmp_path, name)
    found = files.identify(path, published)
    assert found == files.Identity(SUM, verified)


@pytest.mark.parametrize(
    "name, published",
    [
        ("model-0123abcd.pth", (HUB, OTHER, UNKNOWN)),
        ("model-0123abcd.pth", (OTHER, UNKNOWN)),
        ("net_eps0.pth", (OTHER,)),
    ],
)
@pytest.mark.parametrize("relative", [False, True])
def test_another_file_than_the_published_one_is_refused(
    tmp_path, monkeypatch, name, published, relative
):
    path = put(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.CheckpointError, match="--models=my_name=path"):
        files.identify(pathlib.Path(name) if relative else path, published)


@pytest.mark.parametrize("width, classes", [(64, 1000), (4, 1000), (64, 10), (4, 10)])
def test_a_model_has_its_published_size(width, classes):
    manifest = {"width": width, "num_classes": classes}
    files.check_size(zoo.own("mine"), manifest)
    if (width, classes) == (64, 1000):
        files.check_size(row(), manifest)
    else:
        with pytest.raises(errors.CheckpointError, match="expected width 64 with 1000"):
            files.check_size(row(), manifest)
