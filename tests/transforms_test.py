"""Do traced fields stay out of the compiled code?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import transforms


@dataclasses.dataclass(frozen=True)
class Scaled(transforms.Traced):
    factor: float = dataclasses.field(metadata=transforms.TRACED)
    offset: float = 0.0

    def __post_init__(self):
        if not self.factor > 0:
            raise ValueError("got a factor of 0")

    def apply(self, image, key, parameters):
        return image * parameters["factor"] + self.offset


@dataclasses.dataclass(frozen=True)
class Cheating(Scaled):
    def apply(self, image, key, parameters):
        return image * self.factor


KEY = jax.random.key(0)
IMAGE = jnp.full((2, 2, 3), 0.5)


def test_conditions_share_a_compiled_part_and_other_fields_do_not():
    parts = {transforms.compiled_part(Scaled(f)) for f in (0.1, 0.2, 3.0)}
    assert len(parts) == 1
    assert transforms.compiled_part(Scaled(0.1, 0.5)) not in parts


@dataclasses.dataclass(frozen=True)
class Around(transforms.Traced):
    """Applies another transform."""

    inner: Scaled


def test_fields_of_fields_are_left_out_too():
    parts = {transforms.compiled_part(Around(Scaled(f))) for f in (0.1, 0.2)}
    assert len(parts) == 1
    assert parts.pop().inner == transforms.compiled_part(Scaled(0.1))
    assert Around(Scaled(0.1)).inner.factor == 0.1


def test_parameters_give_what_the_transform_gives():
    transform = Scaled(0.25, 0.125)
    part = transforms.compiled_part(transform)
    result = part.apply(IMAGE, KEY, transform.parameters(IMAGE.shape))
    np.testing.assert_array_equal(result, transform(KEY, IMAGE))
    np.testing.assert_array_equal(result, np.full((2, 2, 3), 0.25))


def test_code_that_reads_a_traced_field_fails_instead_of_freezing_it():
    transform = Cheating(0.25)
    with pytest.raises(TypeError):
        transforms.compiled_part(transform).apply(IMAGE, KEY, {})


def test_the_identity_changes_nothing():
    assert transforms.Identity()(KEY, IMAGE) is IMAGE
