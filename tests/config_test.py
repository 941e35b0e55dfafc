"""Are impossible settings refused by name?"""

import dataclasses
import importlib.util
import pathlib

import pytest

from biases_jax.config import EvaluateConfig

CONFIGS = sorted((pathlib.Path(__file__).parents[1] / "configs").glob("*.py"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("batch_size", 0),
        ("models_per_pass", -1),
        ("workers", -1),
        ("seed", -1),
        ("seed", 2**32),
        ("precision", "float16"),
        ("sharding", "pjit"),
        ("models", ()),
        ("benchmarks", ()),
    ],
)
def test_impossible_values_are_named(field, value):
    config = dataclasses.replace(EvaluateConfig(), **{field: value})
    with pytest.raises(ValueError, match=field):
        config.check()


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_settings_are_possible(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = module.get_config()
    assert isinstance(config, EvaluateConfig)
    config.check()
