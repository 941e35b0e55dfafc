"""Is it torch's ResNet-50: logits, input gradients, any width, every form?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from parity_inputs import CLASSES, WIDTH, images, state_dict, torch_answers, variables

from biases_jax.models import convolution, ops, resnet

TABLES = {"cpu": ops.CPU, "plain": ops.PLAIN}


def answers(apply):
    """Return a compiled function to what `torch_answers` returns."""

    def loss(pixels, tree):
        logits = apply(tree, pixels)
        rows = jnp.arange(pixels.shape[0])
        chosen = jax.nn.log_softmax(logits)[rows, rows % logits.shape[1]]
        return -chosen.sum(), logits

    def both(tree, pixels):
        gradient, logits = jax.grad(loss, has_aux=True)(pixels, tree)
        return logits, gradient

    return jax.jit(both)


def network(forms, **fields):
    return resnet.ResNet50(WIDTH, CLASSES, forms=forms, **fields)


@pytest.fixture(scope="module")
def exact():
    """Float64 logits and gradients at 224: of torch and of both tables."""
    # Five images are two micro-batches, the second with one of padding.
    pixels = images(5, 224, np.float64)
    with jax.enable_x64(True):
        tree = variables(state_dict(), np.float64)
        results = {
            name: jax.device_get(answers(resnet.apply_of(network(forms)))(tree, pixels))
            for name, forms in TABLES.items()
        }
    return results | {"torch": torch_answers(state_dict(), pixels)}


def relative(result, expected):
    return np.linalg.norm(result - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("table", TABLES)
def test_float64_logits_and_input_gradients_are_those_of_torch(exact, table):
    for result, expected in zip(exact[table], exact["torch"], strict=True):
        assert result.dtype == np.float64
        # Some 1e-14 is rounding; every known bug is above 1e-2.
        assert relative(result, expected) < 1e-9


def test_both_tables_agree_in_float64(exact):
    for result, expected in zip(exact["cpu"], exact["plain"], strict=True):
        assert relative(result, expected) < 1e-12


def test_full_width_float64_logits_and_gradients_are_those_of_torch():
    state = state_dict(1, 64, 1000)
    pixels = images(1, 224, np.float64)
    with jax.enable_x64(True):
        tree = variables(state, np.float64)
        result = answers(resnet.apply_function())(tree, pixels)
        for a, b in zip(result, torch_answers(state, pixels), strict=True):
            assert relative(np.asarray(a), b) < 1e-9  # as above


@pytest.fixture(scope="module")
def compiled():
    """The CPU's forms in float32, compiled once for most tests of this file."""
    return jax.jit(resnet.apply_function(WIDTH, CLASSES))


def test_float32_logits_are_those_of_torch_for_any_checkpoint(compiled):
    pixels = images(2, 224)
    for seed in (0, 1):
        state = state_dict(seed)
        expected, _ = torch_answers(state, pixels)
        result = compiled(variables(state), pixels)
        assert result.dtype == jnp.float32
        # Float32 rounding gives 1e-6 to 4e-5 of the spread (torch against itself in
        # float64), wrong paddings 0.04 and more.
        assert np.abs(result - expected).max() < 1e-4 * expected.std()
    assert compiled._cache_size() == 1


def test_both_tables_agree_in_float32(compiled):
    pixels, tree = images(2, 224), variables(state_dict())
    plain = jax.jit(resnet.apply_of(network(ops.PLAIN)))(tree, pixels)
    result = compiled(tree, pixels)
    # Float32 rounding, accumulated over 53 layers.
    assert np.abs(result - plain).max() < 1e-5 * np.abs(plain).max()


def same_convolution(x, kernel, stride, precision):
    return lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        "SAME",
        dimension_numbers=convolution.DIMENSIONS,
        precision=precision,
    )


def same_max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


@pytest.mark.parametrize(
    "wrong",
    [
        {"stem": same_convolution, "conv3x3": same_convolution},
        {"max_pool": same_max_pool},
    ],
)
def test_same_padding_would_be_caught(wrong):
    pixels = images(2, 224)
    forms = dataclasses.replace(ops.PLAIN, **wrong)
    apply = resnet.apply_of(network(forms))
    result = jax.jit(apply)(variables(state_dict()), pixels)
    expected, _ = torch_answers(state_dict(), pixels)
    # 500 times the tolerance of the float32 test.
    assert np.abs(result - expected).max() > 0.05 * expected.std()


@pytest.mark.parametrize(
    ("width", "classes", "stem_stride", "side"), [(16, 7, 2, 96), (8, 20, 4, 64)]
)
def test_width_classes_and_stem_stride_are_parameters(
    width, classes, stem_stride, side
):
    state = state_dict(2, width, classes)
    pixels = images(3, side)
    expected, _ = torch_answers(state, pixels, stem_stride)
    apply = jax.jit(resnet.apply_function(width, classes, stem_stride))
    result = apply(variables(state), pixels)
    assert result.shape == (3, classes)
    assert np.abs(result - expected).max() < 1e-4 * expected.std()  # as above


def test_batches_of_any_size_answer_and_differentiate_as_single_images():
    # One block: depth has no part in this, but most of the compilation.
    small = network(ops.CPU, blocks=(1,))
    apply = resnet.apply_of(small)
    pixels = images(9, 32, np.float64)
    with jax.enable_x64(True):
        tree = small.init(jax.random.key(0), jnp.asarray(pixels))
        tree = jax.tree.map(lambda leaf: leaf.astype(jnp.float64), tree)

        def loss(some):
            logits = apply(tree, some)
            return (logits[:, 0] ** 2).sum(), logits

        gradient = jax.grad(loss, has_aux=True)
        single = jax.jit(jax.vmap(gradient))(pixels[:, np.newaxis])
        for count in (1, 3, 5, 9):
            batched = jax.jit(gradient)(pixels[:count])
            for a, b in zip(batched, single, strict=True):
                # Sums in another order: some 1e-14.
                assert relative(np.asarray(a), np.asarray(b[:count, 0])) < 1e-10


@pytest.mark.parametrize("precision", ["tf32", "bfloat16"])
def test_lower_precisions_run_and_bfloat16_rounds(compiled, precision):
    pixels, tree = images(2, 224), variables(state_dict())
    expected = compiled(tree, pixels)
    result = jax.jit(resnet.apply_function(WIDTH, CLASSES, 2, precision))(tree, pixels)
    assert result.dtype == jnp.float32
    difference = float(np.abs(result - expected).max() / expected.std())
    # Measured 8e-2 to 0.34 with bfloat16 factors; a CPU has no TF32 to round to.
    low, high = {"tf32": (0, 1e-4), "bfloat16": (1e-3, 1.0)}[precision]
    assert low <= difference < high


def test_equal_arguments_give_the_same_function():
    apply = resnet.apply_function(WIDTH, CLASSES)
    assert apply is resnet.apply_function(num_classes=CLASSES, width=WIDTH)
    assert apply is not resnet.apply_function(WIDTH, CLASSES, precision="tf32")


def test_unknown_precisions_and_mixed_dtypes_are_refused():
    with pytest.raises(ValueError, match="'float16', expected one of: float32, tf32"):
        resnet.apply_function(precision="float16")
    with pytest.raises(ValueError, match="images in uint8 and variables in float32"):
        resnet.apply_function(WIDTH, CLASSES)(
            variables(state_dict()), np.zeros((1, 32, 32, 3), np.uint8)
        )


def precisions(jaxpr):
    """Return the precision of every product in a jaxpr, nested ones included."""
    found = []
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("conv_general_dilated", "dot_general"):
            found.append(equation.params["precision"])
        for value in jax.tree.leaves(
            list(equation.params.values()), is_leaf=lambda v: hasattr(v, "eqns")
        ):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                found += precisions(inner)
    return found


@pytest.mark.parametrize("table", TABLES)
def test_every_product_is_exact_by_default(table):
    """On a CPU all are; on accelerators only what says so is, forward and backward."""
    apply = resnet.apply_of(network(TABLES[table]))
    tree, pixels = variables(state_dict()), images(5, 64)
    found = precisions(jax.make_jaxpr(answers(apply))(tree, pixels).jaxpr)
    products = 53 + 1  # convolutions and the classifier, forward
    assert len(found) >= 2 * products - 1  # and the gradients of their inputs
    exact = (lax.Precision.HIGHEST, lax.Precision.HIGHEST)
    assert set(found) == {exact}
