"""Is the layout of a file found out, and a doubtful one not guessed?"""

import pytest

from biases_jax.models import layouts
from convert import detection, errors, mapping, state_dict

NAMES = list(mapping.leaves())
PARAMETERS = [name for name in NAMES if "running" not in name]


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
        {"ema": {name: object() for name in PARAMETERS}},
        {"other": {"deep": {"down": network()}}},
        {"models": [network()]},
    ],
)
def test_two_networks_in_one_file_are_an_error_that_names_both(other):
    tree = {"state_dict": network("module."), **other}
    with pytest.raises(errors.CheckpointError) as error:
        detection.detect(tree)
    (name,) = other
    assert f"networks, at 'state_dict' and '{name}" in str(error.value)


def test_an_average_that_shares_some_tensors_is_another_network():
    weights = network()
    average = weights | {name: object() for name in PARAMETERS}
    with pytest.raises(errors.CheckpointError, match="'state_dict' and 'ema'"):
        detection.detect({"state_dict": weights, "ema": average})


def test_parts_of_a_network_and_its_optimizer_are_no_second_one():
    optimizer = {"state": {index: {"momentum_buffer": 1} for index in range(161)}}
    head = {f"fc.{name}": 1 for name in ("weight", "bias")}
    tree = {"state_dict": network(), "optimizer": optimizer, "head": head}
    tree |= {"optimizer_by_name": network(), "exp_avg": {"a": network()}}
    assert detection.detect(tree) is layouts.LAYOUTS["geirhos_dataparallel"]


def test_the_same_network_at_two_places_is_one():
    same = network()
    tree = {"state_dict": same, "model": same}
    assert detection.detect(tree) is layouts.LAYOUTS["geirhos_dataparallel"]


def test_the_nearest_layout_is_returned_where_none_fits():
    tree = {"args": {}, "resnet": {"fc.bias": 1}, "state_dict": network("module.")}
    del tree["state_dict"]["module.fc.bias"]
    assert detection.detect(tree) is layouts.LAYOUTS["geirhos_dataparallel"]


@pytest.mark.parametrize("prefix", ["module.module.", "model.", "net.encoder."])
def test_an_unknown_prefix_is_an_error_that_tells_the_flags(prefix):
    with pytest.raises(errors.CheckpointError) as error:
        detection.detect({"epoch": 1, "state_dict": network(prefix)})
    escaped = prefix.replace(".", r"\.")
    assert f"--root=state_dict --rename='^{escaped}=>'" in str(error.value)


@pytest.mark.parametrize("tree", [None, 3, [network()]])
def test_what_is_no_dict_is_an_error(tree):
    with pytest.raises(errors.CheckpointError, match="expected a state dict"):
        detection.detect(tree)
