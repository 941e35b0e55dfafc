"""Are a model's files read into variables of their own, in little memory?"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import small_study
import torch

from biases_jax.models import layouts, zoo
from convert import errors, mapping, reading

ROOT = pathlib.Path(__file__).parents[2]
MEASURED = """
import pathlib, sys
from biases_jax.models import checkpoints
from convert import run

def memory(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))

before = memory("VmRSS")
pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget the imports' peak
run.convert("mine", sys.argv[1], "", sys.argv[2])
print(memory("VmHWM") - before)
"""


def plan(*parts):
    return {"sources": {part: {} for part in parts}}


def test_nothing_of_the_file_stays_mapped(save, state):
    path = save(state)
    tree, _ = reading.read(zoo.own("mine"), {"backbone": path}, plan("backbone"))
    assert str(path) not in pathlib.Path("/proc/self/maps").read_text()
    assert tree["params"]["fc"]["bias"].flags.owndata


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="Linux only")
def test_a_conversion_takes_at_most_three_times_its_file(tmp_path):
    generator = np.random.default_rng(0)
    state = {
        name: torch.from_numpy(small_study.random_tensor(generator, name, leaf.shape))
        for name, leaf in mapping.leaves(48, 1000).items()
    }
    path = tmp_path / "model.pth"
    torch.save(state, path)
    found = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path), str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    # 2.6 for a file of 102 MB; the small ones have a share of constant costs.
    assert json.loads(found.stdout) < 3 * path.stat().st_size


def test_a_detected_layout_is_on_record(save, prefixed):
    path = save({"state_dict": prefixed})
    _, manifest = reading.read(zoo.own("mine"), {"backbone": path}, plan("backbone"))
    assert (manifest["layout"], manifest["detected"]) == ("geirhos_dataparallel", True)
    source = manifest["sources"]["backbone"]
    assert (source["root"], source["roots"]) == ("state_dict", ["state_dict"])
    assert source["rename"] == [[r"^module\.", ""]]


def test_an_error_names_the_file_and_the_layout_it_was_read_by(save, prefixed):
    del prefixed["module.fc.bias"]
    path = save({"state_dict": prefixed})
    with pytest.raises(ValueError) as error:
        reading.read(zoo.own("mine"), {"backbone": path}, plan("backbone"))
    text = f"{path} (read by the layout 'geirhos_dataparallel', the nearest of those"
    assert text in str(error.value) and "1 missing: fc.bias" in str(error.value)
    row = zoo.own("mine", layouts.LAYOUTS["diffusionnoise_namespace"])
    with pytest.raises(errors.CheckpointError, match=f"{path}: got no dict at 'model'"):
        reading.read(row, {"backbone": path}, plan("backbone"))
