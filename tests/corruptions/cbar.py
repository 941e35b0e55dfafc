"""Do a corruption of ImageNet-C-bar and its draws hold what they promise?

Checks that the tests of the ten corruptions share. The formulas in float64 NumPy are
in `reference_cbar`.
"""

import functools

import jax
import numpy as np
from corruptions import golden, reference_cbar
from scipy import stats
from skimage import data

from biases_jax.transforms import compiled_part

SEVERITIES = (1, 2, 3, 4, 5)
RECORDED = (1, 3, 5)  # of the archive
NAMES = {  # of recorded draws whose names differ from ours
    "derived_ray_lengths": "ray_lengths",
    "derived_gradients": "gradients",
    "derived_perm": "permutation",
    "derived_grid_uniform": "grid",
}


def recorded_draws(name, severity):
    """Return the draws that made the recorded output."""
    stem = f"{golden.key(name, 'astronaut', severity)}__"
    found = {
        key.removeprefix(stem): value
        for key, value in golden.extract("cbar").items()
        if key.startswith(stem)
    }
    found = {NAMES.get(key, key): value for key, value in found.items()}
    if "noise" in name and "param_threshold" in found or name == "brownish_noise":
        generator = np.random.RandomState(int(found["param_seed"]))
        phases = generator.uniform(0, 2 * np.pi, (3, 224, 112))
        found["phases"] = phases if name == "brownish_noise" else phases[0]
    return found


def demand_recorded(name, corruption, share):
    """Demand the recorded output, up to one level in this share of the values."""
    draws = recorded_draws(name, corruption.severity)
    output = jax.jit(corruption.apply)(golden.image("astronaut"), draws)
    key = golden.key(name, "astronaut", corruption.severity)
    expected = golden.extract("cbar")[key]
    most, found = golden.differences(golden.thinned(output), expected)
    assert most <= 1 and found <= share
    if share == 0:
        assert golden.is_whole("cbar", key, output)


def photograph(h, w):
    """Return a part of a photograph that made no recorded output."""
    return np.ascontiguousarray(data.coffee()[30 : 30 + h, 200 : 200 + w])


@functools.cache
def compiled(corruption_class):
    """Return the corruption compiled for all severities, which it cannot read."""
    return jax.jit(compiled_part(corruption_class(1)).corrupt)


def demand_formula(name, corruption_class, share, isolated=0.0, shape=(93, 130)):
    """Demand what the formula gives in float64, of fresh draws, for all severities.

    Up to one level in a share of the values, and more in an isolated few.
    """
    image = photograph(*shape)
    for severity in SEVERITIES:
        corruption = corruption_class(severity)
        draws = corruption.sample(jax.random.key(severity), image.shape)
        parameters = corruption.parameters(image.shape)
        output = compiled(corruption_class)(image, draws, parameters)
        expected = reference_cbar.corrupt(name, image, draws, severity)
        apart = np.abs(np.asarray(output, int) - expected)
        assert (apart > 1).mean() <= isolated, severity
        assert (apart > 0).mean() <= share + isolated, severity
        assert (expected != image).mean() > 0.002  # the corruption did something


def demand_same_bytes(corruption):
    """Demand that a key gives the same bytes alone and in batches of two sizes.

    The image has an odd number of pixels, so that vector code leaves a remainder.
    """
    keys = jax.random.split(jax.random.key(3), 4)
    images = np.stack([photograph(51, 45 + n)[:, n:] for n in range(4)])
    alone = jax.jit(corruption)
    expected = np.stack([alone(*pair) for pair in zip(keys, images, strict=True)])
    for count in (4, 3):
        batch = jax.jit(jax.vmap(corruption))(keys[:count], images[:count])
        np.testing.assert_array_equal(batch, expected[:count])


def samples(corruption, shape=(224, 224, 3), count=2000):
    """Return the draws of many keys, by name."""
    keys = jax.random.split(jax.random.key(11), count)
    draws = jax.jit(jax.vmap(lambda key: corruption.sample(key, shape)))(keys)
    return jax.tree.map(np.asarray, draws)


def demand_uniform(values, low, high):
    """Demand values that are uniform on [low, high]."""
    values = np.asarray(values, np.float64).ravel()
    # A limit may be rounded to float32.
    assert values.min() >= low - 1e-5 and values.max() <= high + 1e-5
    # One in ten thousand fair samples would fail; the keys are fixed.
    assert stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > 1e-4


def demand_normal(values, mean, deviation):
    """Demand values that are normal."""
    values = np.asarray(values, np.float64).ravel()
    assert stats.kstest(values, stats.norm(mean, deviation).cdf).pvalue > 1e-4


def demand_whole(values, low, high):
    """Demand whole numbers that are uniform on low to high - 1."""
    values = np.asarray(values).ravel()
    assert np.issubdtype(values.dtype, np.integer)
    assert values.min() >= low and values.max() < high
    counts = np.bincount(values - low, minlength=high - low)
    assert stats.chisquare(counts).pvalue > 1e-4
