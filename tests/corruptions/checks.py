"""What must hold of every corruption: reference's outputs, statistics, same bytes."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import skimage.data
from corruptions import golden, statistics

from biases_jax.transforms import compiled_part

SEVERITIES = range(1, 6)


def _no_draws(severity, shape):
    return {}, {}


def recorded_normal(image, severity, shape):
    """Return the normal noise that the reference drew."""
    normal = golden.random_state(image, severity).standard_normal(shape)
    return {"normal": normal.astype(np.float32)}


def normal(severity, shape):
    """Return normal noise in float32, and the same for a statement in float64."""
    draws = {"normal": np.random.default_rng(severity).standard_normal(shape)}
    return {"normal": draws["normal"].astype(np.float32)}, draws


@functools.cache
def photograph(height=97, width=131):
    """Return a part of a photograph that the goldens do not have, of odd sides."""
    return skimage.data.coffee()[100 : 100 + height, 200 : 200 + width]


@functools.cache
def smooth_photographs():
    """Return parts of a sky and of an eye's ground, 64 x 96: nearly of one grey."""
    retina = np.ascontiguousarray(skimage.data.retina()[600:664, 300:396])
    return skimage.data.rocket()[:64, :96], retina


@functools.cache
def _compiled(part):
    """Return the compiled form, one for all severities of what is graded."""
    return jax.jit(part.corrupt)


def run(corruption, image, draws):
    """Return the corrupted image, compiled as it is in use."""
    draws = {name: jnp.asarray(value) for name, value in draws.items()}
    part, parameters = compiled_part(corruption), corruption.parameters(image.shape)
    return np.asarray(_compiled(part)(jnp.asarray(image), draws, parameters))


def goldens(cases, limit, topic="pointwise", flavour="", largest=1):
    """Compare with every output that is kept, and with the whole ones if at hand.

    `cases` gives (name, corruption of a severity, draws of an image and severity).
    `limit` is the largest share of values that may differ; 0 asks for equal bytes.
    """
    name, make, draws = cases
    known = golden.cases(topic, name, flavour)
    assert known
    for image, severity in known:
        source, key = golden.image(image), golden.key(name, image, severity, flavour)
        got = run(make(severity), source, draws(image, severity, source.shape))
        if limit == 0:
            assert golden.is_whole(topic, key, got), key
        kept = golden.extract(topic)[key]
        expected = golden.whole().get(key)
        allowed = limit
        if expected is None:
            got, expected = golden.thinned(got), kept
            # So few values have by chance a share of three deviations more.
            allowed = limit + 3 * (limit / got.size) ** 0.5
        apart = golden.differences(got, expected)
        print(key, apart)
        assert apart <= (largest, 1) and apart[1] <= allowed, (key, apart)


def statement(make, reference, draws=_no_draws, limit=0.0, image=None):
    """Compare all severities with the statement in float64, on another image."""
    image = photograph() if image is None else image
    for severity in SEVERITIES:
        given, stated = draws(severity, image.shape)
        got = run(make(severity), image, given)
        apart = golden.differences(got, reference(image, severity, **stated))
        assert apart <= (1, 1) and apart[1] <= limit, (severity, apart)


def of_fresh_keys(make):
    """Return what gives, by severity, the images of 24 keys in one compiled batch."""
    keys = jax.random.split(jax.random.key(7), 24)
    image = jnp.asarray(golden.image("astronaut"))

    @jax.jit
    def every(parameters):
        def one(key):
            draws = make(1).sample(key, image.shape)
            return make(1).corrupt(image, draws, parameters)

        return jax.vmap(one)(keys)

    return lambda severity: np.asarray(every(make(severity).parameters(image.shape)))


def fresh(make, name, draws=8):
    """Compare outputs of fresh keys with the recorded statistics."""
    image = golden.image("astronaut")
    for severity in SEVERITIES:
        sample = jax.jit(make(severity).sample, static_argnums=1)
        keys = jax.random.split(jax.random.key(5), draws)
        outputs = [run(make(severity), image, sample(key, image.shape)) for key in keys]
        assert statistics.unlike(name, severity, outputs) == []


def same_bytes(corruption, image=None):
    """Demand the same bytes of a key, alone and in batches, and others of another."""
    image = jnp.asarray(photograph(64, 48) if image is None else image)
    keys = jax.random.split(jax.random.key(3), 5)
    alone = np.stack([jax.jit(corruption)(key, image) for key in keys])
    assert alone.dtype == np.uint8 and alone.shape[1:] == image.shape
    for size in (1, 5):
        batch = jax.jit(jax.vmap(corruption, (0, None)))(keys[:size], image)
        np.testing.assert_array_equal(batch, alone[:size])
    if corruption.sample(keys[0], image.shape):
        assert not np.array_equal(alone[0], alone[1])
