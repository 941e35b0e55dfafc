"""Is a function a model, and is another function another model?"""

import sys

import jax
import jax.numpy as jnp
import pytest

from biases_jax.models import functions

CODE = '''
import jax, jax.numpy as jnp, numpy as np

def apply(variables, images):
    """Two layers: a convolution and a read-out."""
    x = jax.lax.conv_general_dilated(
        images, variables["kernel"], (8, 8), "VALID",
        dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(x).mean((1, 2)) @ variables["head"]

def create():
    generator = np.random.default_rng({seed})
    kernel = generator.normal(size=(8, 8, 3, 4)).astype(np.float32)
    head = generator.normal(size=(4, 10)).astype(np.float32)
    return apply, dict(kernel=kernel, head=head)

def twin():
    return (lambda variables, images: -apply(variables, images)), create()[1]

def alone():
    return apply

def failing():
    return apply, {}["head"]

class Own(Exception):
    pass

def failing_in_its_own_way():
    raise Own("no luck")

def leaving():
    raise SystemExit(7)

value = 3
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the name of an importable package with a two-layer network."""
    folder = tmp_path / "two_layers"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "network.py").write_text(CODE.replace("{seed}", "0"))
    (folder / "other.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield "two_layers.network"
    forget()


def forget():
    for name in [m for m in sys.modules if m.split(".")[0] == "two_layers"]:
        sys.modules.pop(name)
    functions.call.cache_clear()


def test_a_function_gives_a_model_that_runs(module):
    apply, variables = functions.call(f"{module}:create")
    logits = jax.jit(apply)(variables, jnp.ones((2, 32, 32, 3)))
    assert logits.shape == (2, 10)
    assert functions.call(f"{module}:create")[0] is apply  # one compilation


def test_functions_of_one_module_and_equal_variables_are_other_models(module):
    first, second = (functions.identity(f"{module}:{f}") for f in ("create", "twin"))
    assert first != second
    assert first == functions.identity(f"{module}:create")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("network.py", CODE.replace("{seed}", "1")),
        ("network.py", CODE.replace("{seed}", "0") + "# edited"),
        ("other.py", "# code that the network might import"),
        ("deeper/more.py", "# likewise"),
    ],
)
def test_variables_and_code_of_the_package_are_its_identity(
    module, tmp_path, file, code
):
    before = functions.identity(f"{module}:create")
    forget()
    path = tmp_path / "two_layers" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    assert functions.identity(f"{module}:create") != before


def test_a_module_that_is_a_single_file_has_an_identity(tmp_path, monkeypatch):
    (tmp_path / "two_layers.py").write_text(CODE.replace("{seed}", "0"))
    monkeypatch.syspath_prepend(tmp_path)
    before = functions.identity("two_layers:create")
    forget()
    (tmp_path / "two_layers.py").write_text(CODE.replace("{seed}", "0") + "# edited")
    assert functions.identity("two_layers:create") != before
    forget()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("alone", "expected a pair"),
        ("absent", "has no attribute 'absent'"),
        ("value", "not callable"),
        ("failing", "KeyError: 'head'"),
        ("failing_in_its_own_way", "Own: no luck"),
        ("leaving", "SystemExit: 7"),
    ],
)
def test_other_functions_are_refused_with_their_name(module, function, message):
    with pytest.raises(functions.ModelError, match=message) as caught:
        functions.call(f"{module}:{function}")
    assert f"{module}:{function}" in str(caught.value)


def test_a_module_that_is_not_there_is_refused():
    with pytest.raises(functions.ModelError, match="no_such_package.*PYTHONPATH"):
        functions.call("no_such_package.vit:create")
