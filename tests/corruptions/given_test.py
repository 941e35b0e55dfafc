"""Are draws refused that a corruption would not draw, and archives' accepted?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import corruptions

IMAGE = np.full((8, 9, 3), 100, np.uint8)
NORMAL = np.zeros(IMAGE.shape)


@pytest.mark.parametrize(
    "draws",
    [
        {},
        None,
        {"Normal": NORMAL},
        {"normal": NORMAL, "angle": 0.0},
        {"normal": 0.5},
        {"normal": NORMAL[..., :1]},
        {"normal": NORMAL[:4]},
        {"normal": NORMAL.astype(int)},
    ],
    ids=str,
)
def test_other_names_shapes_and_kinds_are_refused(draws):
    message = r"got draws of GaussianNoise .*, expected normal: float \(8, 9, 3\)"
    with pytest.raises(ValueError, match=message):
        corruptions.get("gaussian_noise", 1).apply(IMAGE, draws)


def test_what_is_no_bool_is_no_flip():
    draws = {name: NORMAL.astype(int) for name in ("flip", "salt")}
    with pytest.raises(ValueError, match=r"flip: integer .* expected flip: bool"):
        corruptions.get("impulse_noise", 1).apply(IMAGE, draws)


def test_a_corruption_without_draws_wants_none():
    with pytest.raises(ValueError, match="angle: float .*, expected none"):
        corruptions.get("contrast", 1).apply(IMAGE, {"angle": 1.0})


def test_widths_of_archives_pass_and_so_do_vmap_and_jit():
    made = corruptions.get("gaussian_noise", 1)
    expected = made.apply(IMAGE, {"normal": NORMAL})
    some = {"normal": jnp.zeros((2, *IMAGE.shape), jnp.float32)}
    batch = jax.jit(jax.vmap(made.apply, (None, 0)))(jnp.asarray(IMAGE), some)
    np.testing.assert_array_equal(batch, np.stack([expected] * 2))


def test_what_an_archive_recorded_besides_passes():
    made = corruptions.get("spatter", 1)
    normal = np.random.default_rng(0).standard_normal(IMAGE.shape[:2])
    made.apply(IMAGE, {"normal": normal.astype(np.float32), "param_seed": 3})
