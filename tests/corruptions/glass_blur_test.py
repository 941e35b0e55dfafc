"""Do copies of copies arrive where the reference's loops bring them?"""

import jax
import jax.numpy as jnp
import numpy as np
from corruptions import checks, golden
from corruptions import reference_blurs as reference

from biases_jax.corruptions.glass_blur import DISTANCES, SWEEPS, GlassBlur, copied_from

# float32 falls on the other side of a whole level in either blur: 6e-4 of a
# sky, 1.5e-3 of one whose levels change by one and back, which no test has.
LIMIT = 1e-3


def recorded(image, severity, shape):
    state = golden.random_state(image, severity)
    return {"offsets": offsets(state.randint, severity, shape)}


def random(severity, shape):
    integers = np.random.default_rng(severity).integers
    draws = {"offsets": offsets(integers, severity, shape)}
    return draws, draws


def offsets(integers, severity, shape):
    distance = DISTANCES[severity - 1]
    sides = [side - 2 * distance for side in shape[:2]]
    sweeps = SWEEPS[severity - 1]
    return integers(-distance, distance, size=(sweeps, *sides, 2)).astype(np.int8)


def test_recorded_draws_give_the_references_outputs():
    checks.goldens(("glass_blur", GlassBlur, recorded), LIMIT, "blurs")


def test_other_images_come_out_as_stated_in_float64():
    for image in (checks.photograph(64, 96), *checks.smooth_photographs()):
        checks.statement(GlassBlur, reference.glass_blur, random, LIMIT, image)


def test_chains_of_copies_are_followed_to_their_end():
    # Everyone copies the pixel on the right, from the last to the first.
    steps = jnp.zeros((8, 8, 2), jnp.int32).at[:, :, 0].set(1)
    copied = np.asarray(copied_from(steps, 12, 12)).reshape(12, 12)
    expected = np.arange(144).reshape(12, 12)
    expected[3:11, 3:11] = expected[3:11, 11:]
    np.testing.assert_array_equal(copied, expected)


def test_fresh_draws_have_the_recorded_statistics():
    # Of two seeds in the record, whose deviation is no guide: see `statistics.unlike`.
    checks.fresh(GlassBlur, "glass_blur", 4)


def test_offsets_are_uniform_up_to_the_distance():
    sample = GlassBlur(3).sample(jax.random.key(1), (224, 224, 3))["offsets"]
    values, counts = np.unique(np.asarray(sample), return_counts=True)
    np.testing.assert_array_equal(values, [-2, -1, 0, 1])
    # Standard deviation of a count of 290,400 draws: 233.
    np.testing.assert_allclose(counts, sample.size / 4, atol=5 * 233)


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(GlassBlur(2))
