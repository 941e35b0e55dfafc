"""Is a file taken for the published one only if it is?"""

import hashlib
import pathlib

import pytest

from biases_jax.models import layouts, spec, zoo
from convert import errors, first_use, identity

CONTENT = b"weights"
SUM = hashlib.sha256(CONTENT).hexdigest()
HUB = spec.Published("repository/model.safetensors", "hf:a/repository", SUM)
OTHER = spec.Published("model-0123abcd.pth", "https://a/model-0123abcd.pth", "0123abcd")
UNKNOWN = spec.Published("unknown.pth", "https://a/unknown.pth")
ROW = spec.ModelSpec("net", "baseline", "", layouts.LAYOUTS["torchvision_flat_zip"])


def put(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONTENT)
    return path


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
    found = identity.identify(path, published, tmp_path)
    assert found == identity.Identity(SUM, verified)


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
        identity.identify(pathlib.Path(name) if relative else path, published, tmp_path)


@pytest.mark.parametrize("width, classes", [(64, 1000), (4, 1000), (64, 10), (4, 10)])
def test_a_model_has_its_published_size(width, classes):
    manifest = {"width": width, "num_classes": classes}
    identity.check_size(zoo.own("mine"), manifest)
    if (width, classes) == (64, 1000):
        identity.check_size(ROW, manifest)
    else:
        with pytest.raises(errors.CheckpointError, match="expected width 64 with 1000"):
            identity.check_size(ROW, manifest)


def test_a_downloaded_file_must_be_as_it_was_then(tmp_path):
    path = put(tmp_path, "unknown.pth")
    first_use.write(tmp_path, "unknown.pth", first_use.Entry(UNKNOWN.uri, SUM, 7))
    assert identity.identify(path, (UNKNOWN,), tmp_path).sha256 == SUM
    path.write_bytes(b"another")
    with pytest.raises(errors.CheckpointError, match="changed since it was first"):
        identity.identify(path, (UNKNOWN,), tmp_path)
