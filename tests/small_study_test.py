"""Does the small study prepare real files, also after it was killed half-way?"""

import json
import pathlib

import pytest
import small_study
from etils import epath
from PIL import Image

from biases_jax.sources import catalog, dataset
from convert import mapping, state_dict


@pytest.fixture(scope="module")
def workdir(tmp_path_factory):
    folder = epath.Path(tmp_path_factory.mktemp("small"))
    small_study.prepare(folder)
    return folder


def test_photographs_are_a_complete_source(workdir):
    opened = dataset.open_source(
        catalog.SOURCES["imagenet"], str(workdir / small_study.IMAGES), ""
    )
    assert len(opened) == 24
    assert len(set(opened.labels["imagenet"][:, 0].tolist())) == 4
    for path in (workdir / small_study.IMAGES).glob("*/*.JPEG"):
        with Image.open(path) as image:
            assert image.format == "JPEG"
    declared = json.loads((workdir / small_study.IMAGES / "dataset.json").read_text())
    assert declared["examples"] == 24


@pytest.mark.parametrize("name", small_study.MODELS)
def test_checkpoints_have_the_names_of_pytorch(workdir, name):
    path = pathlib.Path(workdir / small_study.WEIGHTS / f"{name}.safetensors")
    checkpoint = state_dict.read(path)
    assert set(checkpoint.tree) == set(mapping.leaves(small_study.WIDTH, 1000))


def test_a_second_start_changes_nothing_and_a_half_done_one_is_finished(workdir):
    files = {p: p.read_bytes() for p in (workdir / small_study.WEIGHTS).glob("*")}
    small_study.prepare(workdir)
    last = workdir / small_study.WEIGHTS / f"{small_study.MODELS[1]}.safetensors"
    last.unlink()
    last.with_suffix(".1.part").write_bytes(b"torn")
    small_study.prepare(workdir)
    for path, content in files.items():
        assert path.read_bytes() == content
