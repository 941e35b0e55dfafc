"""Are the differences of logits what their equations say?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.attacks import dlr

Z = np.random.default_rng(3).normal(size=(40, 7)) * 4
LABEL = np.random.default_rng(4).integers(7, size=(40, 1)).astype(np.int32)
TARGET = ((LABEL + 1 + np.arange(40)[:, None] % 6) % 7).astype(np.int32)


def untargeted(z, y):
    first, _, third = sorted(z, reverse=True)[:3]
    rival = max(value for k, value in enumerate(z) if k != y)
    return -(z[y] - rival) / (first - third + 1e-12)


def targeted(z, y, t):
    first, _, third, fourth = sorted(z, reverse=True)[:4]
    return -(z[y] - z[t]) / (first - (third + fourth) / 2 + 1e-12)


def both(logits, label=LABEL, target=TARGET):
    return (
        dlr.untargeted(logits, jnp.asarray(label)),
        dlr.towards(jnp.asarray(target))(logits, jnp.asarray(label)),
    )


def test_the_losses_are_those_of_the_equations():
    with jax.enable_x64(True):
        plain, aimed = both(jnp.asarray(Z))
        single = both(jnp.asarray(Z[3]), LABEL[3], TARGET[3])
    rows = list(zip(Z, LABEL[:, 0], TARGET[:, 0], strict=True))
    expected = np.array([untargeted(z, y) for z, y, _ in rows])
    np.testing.assert_allclose(plain, expected, rtol=1e-14)
    np.testing.assert_allclose(aimed, [targeted(*row) for row in rows], rtol=1e-14)
    np.testing.assert_array_equal(single, [plain[3], aimed[3]])
    np.testing.assert_array_equal(expected > 0, Z.argmax(1) != LABEL[:, 0])
    assert expected.min() >= -1 and 0 < (expected > 0).sum() < 40


def test_the_gradients_are_slopes():
    with jax.enable_x64(True):
        sums = jax.jit(lambda z: jnp.stack(both(z, LABEL[:4], TARGET[:4])).sum(1))
        z = jnp.asarray(Z[:4])
        slopes = jax.jit(jax.jacobian(sums))(z)
        for index in np.ndindex(4, 7):
            move = np.zeros((4, 7))
            move[index] = 1e-6
            slope = (sums(z + move) - sums(z - move)) / 2e-6
            # Central differences: 1e-16 of sums of 4, over 2e-6.
            np.testing.assert_allclose(slope, slopes[:, *index], rtol=0, atol=1e-7)
    assert np.abs(slopes).max() > 0.1


def test_a_louder_or_shifted_model_has_the_same_losses():
    with jax.enable_x64(True):
        expected = both(jnp.asarray(Z))
        for changed in (1000 * Z, Z / 1000, Z + 5):
            # 1e-12 of a denominator of about 1e-3.
            found = both(jnp.asarray(changed))
            np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_the_loss_of_a_class_as_its_own_target_is_0_and_equal_logits_give_numbers():
    found = both(jnp.asarray(Z, jnp.float32), LABEL, LABEL)[1]
    np.testing.assert_array_equal(found, 0)
    np.testing.assert_array_equal(both(jnp.zeros((40, 7))), 0)


@pytest.mark.parametrize(("classes", "wanted"), [(2, 3), (3, 4)])
def test_models_of_too_few_classes_are_refused(classes, wanted):
    logits = jnp.zeros((1, classes))
    label = jnp.zeros((1, 1), jnp.int32)
    with pytest.raises(ValueError, match=f"got {classes} classes.* least {wanted}.*ce"):
        (dlr.untargeted(logits, label), dlr.targeted(logits, label, label))
