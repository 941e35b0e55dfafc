"""Do the small networks survive the layouts of the paper's files?"""

import pathlib

import jax
import layout_files
import numpy as np
import pytest
import torch

from biases_jax.miniature import export
from biases_jax.models import checkpoints, layouts, zoo
from convert import mapping, run, safetensors_file

NAME = "baseline"
LAYOUTS = (
    ("geirhos_dataparallel", "legacy"),
    ("madry_robustness", "zip"),
    ("simclrv2_separius", "zip"),
    ("swav_two_files", "legacy"),
)


@pytest.fixture(scope="module")
def state():
    found, _ = safetensors_file.read(
        pathlib.Path(export.WEIGHTS) / f"{NAME}.safetensors"
    )
    return found


def with_counters(state):
    """Return all 320 entries of torchvision's ResNet-50, float32."""
    entries = {}
    for name, array in state.items():
        entries[name] = torch.from_numpy(array.astype(np.float32))
        if name.endswith("running_var"):
            counter = name.replace("running_var", mapping.COUNTER)
            entries[counter] = torch.tensor(768)
    return entries


@pytest.mark.parametrize(("layout", "container"), LAYOUTS)
def test_repacked_files_convert_to_the_same_network(tmp_path, state, layout, container):
    paths = layout_files.write(
        layout,
        with_counters(state),
        tmp_path,
        container=container,
        names={role: f"{role}.pth" for role in layout_files.ROLES},
    )
    path = tmp_path if len(paths) > 1 else paths["backbone"]
    told = layouts.LAYOUTS[layout]
    run.convert("repacked", str(path), "", tmp_path / "out", told)
    expected = mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    found = checkpoints.load_unfolded(tmp_path / "out" / "repacked")
    jax.tree.map(np.testing.assert_array_equal, found, expected)
