"""Is the layout of a file found out, and a doubtful one not guessed?"""

import pytest

from biases_jax.models import layouts
from convert import detection, errors, mapping, state_dict

NAMES = list(mapping.leaves())


def network(prefix=""):
    """A state dict by its names; detection looks at nothing else."""
    return {prefix + name: object() for name in NAMES}


@pytest.mark.parametrize(
    "tree, layout",
    [
        (network(), "timm_safetensors_flat"),
        (network("module."), "prime_flat"),
        ({"epoch": 3, "state_dict": network("module.")}, "geirhos_dataparallel"),
        ({"model": "resnet50", "state_dict": network()}, "geirhos_dataparallel"),
        ({"model_state_dict": network()}, "noisymix_robustbench"),
        ({"model": network("module.")}, "diffusionnoise_namespace"),
        (
            {"model": network("module.model.") | network("module.attacker.model.")},
            "madry_robustness",
        ),
        (
            {"state_dict": network("module.") | {"module.bn1.aux_bn.bias": 1}},
            "tsbias_mixbn",
        ),
    ],
)
def test_a_layout_is_told_by_names_alone(tree, layout):
    found = detection.detect(tree)
    assert found is layouts.LAYOUTS[layout]
    entries = state_dict.entries(tree, found.backbone)
    assert mapping.strangers(entries.values) == ([], [])


@pytest.mark.parametrize(
    "other",
    [
        {"model": network()},
        {"state_dict_ema": network("module.")},
        {"ema": {"shadow": network("net.encoder.")}},
        {"model_state_dict": network("module.model.")},
    ],
)
def test_two_networks_in_one_file_are_an_error_that_names_both(other):
    tree = {"state_dict": network("module."), **other}
    with pytest.raises(errors.CheckpointError) as error:
        detection.detect(tree)
    (name,) = other
    name = f"{name}.shadow" if name == "ema" else name
    assert f"networks, at 'state_dict' and {name!r} in the file" in str(error.value)


def test_parts_of_a_network_and_its_optimizer_are_no_second_one():
    optimizer = {"state": {index: {"momentum_buffer": 1} for index in range(161)}}
    head = {f"fc.{name}": 1 for name in ("weight", "bias")}
    tree = {"state_dict": network(), "optimizer": optimizer, "head": head}
    assert detection.detect(tree) is layouts.LAYOUTS["geirhos_dataparallel"]


def test_the_same_network_at_two_places_is_one():
    same = network()
    tree = {"state_dict": same, "model": same}
    assert detection.detect(tree) is layouts.LAYOUTS["geirhos_dataparallel"]


def test_the_nearest_layout_is_returned_where_none_fits():
    tree = {"args": {}, "resnet": {"fc.bias": 1}, "state_dict": network("module.")}
    del tree["state_dict"]["module.fc.bias"]
    assert detection.detect(tree) is layouts.LAYOUTS["geirhos_dataparallel"]


@pytest.mark.parametrize("tree", [None, 3, [network()]])
def test_what_is_no_dict_is_an_error(tree):
    with pytest.raises(errors.CheckpointError, match="expected a state dict"):
        detection.detect(tree)
