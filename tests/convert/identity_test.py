"""Is a file taken for the published one only if it is?"""

import dataclasses
import hashlib
import pathlib

import pytest

from biases_jax.models import layouts, spec, zoo
from convert import errors, fingerprint, first_use, identity

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
    "name, published, digits",
    [
        ("repository/model.safetensors", (HUB, OTHER), 64),
        ("net_eps0.pth", (HUB, OTHER), 64),
        (PREFIX.file, (OTHER, PREFIX), 8),
        ("net_eps0.pth", (PREFIX, UNKNOWN), 8),
        ("net_eps0.pth", (), 0),
        ("net_eps0.pth", (OTHER, UNKNOWN), 0),
        ("unknown.pth", (OTHER, UNKNOWN), 0),
        ("unknown.pth", (HUB, UNKNOWN), 64),
    ],
)
def test_only_a_known_sum_verifies_a_file(tmp_path, name, published, digits):
    path = put(tmp_path, name)
    found = identity.identify(path, published, tmp_path)
    assert found == identity.Identity(SUM, digits > 0, digits)


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


OTHERS = fingerprint.Verdict(fingerprint.OTHER, "tv_resnet50", 0.5, "layer1.0.conv2")
PAPERS = fingerprint.Verdict(fingerprint.VERIFIED, "net", 0.0, "layer1.0.conv2")


def record(verdict, **files):
    sources = {
        part: {"file": path.name, "path": str(path), "verified": False}
        for part, path in files.items()
    }
    return {"fingerprint": verdict.record(), "sources": sources}


def test_a_mirrors_file_must_have_the_papers_norms(tmp_path):
    row = dataclasses.replace(ROW, backbone=(OTHER, UNKNOWN))
    mirrored = record(OTHERS, backbone=tmp_path / UNKNOWN.file)
    with pytest.raises(errors.CheckpointError, match="came from a mirror"):
        identity.check_mirror(row, mirrored)
    identity.check_mirror(row, record(PAPERS, backbone=tmp_path / UNKNOWN.file))
    # One that a user names is told by a warning; it may be meant.
    identity.check_mirror(row, record(OTHERS, backbone=tmp_path / "net.pth"))


def test_a_head_is_not_proven_by_its_backbones_kernels(tmp_path, monkeypatch, caplog):
    row = dataclasses.replace(ROW, name="resnet50_dino")
    files = {"backbone": tmp_path / "body.pth", "head": tmp_path / "head.pth"}
    identity.warn(row, record(PAPERS, **files))
    (message,) = [entry.getMessage() for entry in caplog.records]
    assert "the sha256 of head.pth is none" in message
    caplog.clear()
    identity.warn(row, record(PAPERS, backbone=files["backbone"]))
    assert caplog.records == []
    identity.warn(row, record(OTHERS, **files))
    assert "do not stand for that model" in caplog.records[0].getMessage()
