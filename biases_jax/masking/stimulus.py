"""What does a grey image look like behind noise of one octave?

Subramanian et al. 2023 (*Spatial-frequency channels, shape bias, and adversarial
robustness*), as Gavrikov & Keuper 2024 use it. Facts that the names do not tell:
a band is labelled by its upper edge, not its centre, which lies about an octave below;
band 0 is the low-pass residual, 41 % of whose power is a shift of the whole image; and
the noise's root mean square is 0.943 of its nominal standard deviation, that of the
pyramid's finest level, to which the others are scaled.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.masking import pyramid
from biases_jax.transforms import TRACED, Traced
from biases_jax.types import Array, Float, Image, Int, PRNGKey

BANDS = pyramid.LEVELS
CONTRAST, MEAN = 0.2, 0.449  # of the grey image; the paper's code
LUMA = (19595, 38470, 7471)  # ITU-R 601-2 in units of 2^-16, as Pillow's mode L
INSIDE = 0.1  # how far inside [0, 1] a pixel lands that would lie outside it
FIELD, REDRAWS = 0, 1  # what the example's key is folded with for each kind of draw

Draws = dict[str, Float[Array, "h w"]]


class Prepared(NamedTuple):
    """What all conditions share for one image: itself and the noise's pyramid.

    `grey` is of low contrast, in [0.249, 0.649]; `coefficients` are of white noise
    of unit variance, finest level first; `scale` is its finest level's root mean
    square, to which all bands are brought.
    """

    grey: Float[Array, "h w"]
    coefficients: pyramid.Coefficients
    scale: Float[Array, ""]


@dataclasses.dataclass(frozen=True)
class WhiteNoise:
    """Make an image grey and draw the one field of noise for all conditions."""

    def sample(self, key: PRNGKey, shape: tuple[int, int]) -> Draws:
        """Return the draws for an image of h x w: `normal`, white, of variance 1."""
        own = jax.random.fold_in(key, FIELD)
        return {"normal": jax.random.normal(own, shape, jnp.float32)}

    def prepare(self, image: Image, draws: Draws) -> Prepared:
        """Return what conditions share, of the image's dtype.

        Raises ValueError for images of fewer than 129 rows or columns.
        """
        return _prepared(image, draws["normal"].astype(image.dtype))

    def __call__(self, key: PRNGKey, image: Image) -> Prepared:
        """Return what conditions share, with noise drawn from the key."""
        return self.prepare(image, self.sample(key, image.shape[:2]))


@dataclasses.dataclass(frozen=True)
class BandNoise(Traced):
    """Hide a grey image of low contrast behind noise of one octave.

    `frequency` is the band, 0 (coarsest) to 6 (finest); its label is 1.75 * 2^frequency
    cycles per image of 224 pixels. `sd` is the standard deviation of the white noise
    that the band is taken from, in units of the image's range, 0 to 1.
    """

    frequency: int = dataclasses.field(metadata=TRACED)
    sd: float = dataclasses.field(metadata=TRACED)

    def __post_init__(self):
        if self.frequency not in range(BANDS) or not 0 <= self.sd <= 1:
            raise ValueError(
                f"got {self!r}, expected frequency 0 to {BANDS - 1} and sd in [0, 1]"
            )

    @property
    def preparation(self) -> WhiteNoise:
        """Return what the conditions share."""
        return WhiteNoise()

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the pyramid's `level`, int32, and the noise's `sd`, float32."""
        del shape
        level = np.int32(BANDS - 1 - self.frequency)
        return {"level": np.asarray(level), "sd": np.asarray(self.sd, np.float32)}

    def apply(
        self, prepared: Prepared, key: PRNGKey, parameters: dict[str, Any]
    ) -> Image:
        """Return the stimulus, three equal channels, of the prepared image's dtype."""
        return _masked(prepared, key, parameters["level"], parameters["sd"])


# Both are compiled as a whole also where nothing else is, as for a single stimulus.
@jax.jit
def _prepared(image: Image, normal: Float[Array, "h w"]) -> Prepared:
    coefficients = pyramid.analyse(normal)
    scale = root_mean_square(coefficients[0])
    return Prepared(low_contrast(image), coefficients, scale)


@jax.jit
def _masked(prepared: Prepared, key: PRNGKey, level: Any, sd: Any) -> Image:
    grey, coefficients = prepared.grey, prepared.coefficients
    # One program for all bands: most of its compilation is the loop of redraws.
    one_of = [
        functools.partial(pyramid.synthesise, level=level, shape=grey.shape)
        for level in range(BANDS)
    ]
    band = jax.lax.switch(level, one_of, coefficients)
    sd = jnp.asarray(sd, grey.dtype)
    noise = band * (sd * prepared.scale / root_mean_square(band))
    shown = bring_inside(grey, noise, sd, jax.random.fold_in(key, REDRAWS))
    return jnp.broadcast_to(shown[:, :, None], (*grey.shape, 3))


def low_contrast(image: Image) -> Float[Array, "h w"]:
    """Return the grey image with a fifth of its contrast and a mean of 0.449."""
    grey = luma(image)
    # The sum of integers is exact: 224 x 224 x 255 is less than 2^24.
    mean = (grey.sum() / grey.size).astype(image.dtype)
    return (grey.astype(image.dtype) - mean) * (CONTRAST / 255) + MEAN


def luma(image: Image) -> Int[Array, "h w"]:
    """Return the grey values 0 to 255 of Pillow's mode L for an 8-bit image / 255."""
    red, green, blue = jnp.moveaxis(jnp.round(image * 255).astype(jnp.int32), -1, 0)
    return (LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue + 2**15) >> 16


def root_mean_square(field: Float[Array, "h w"]) -> Float[Array, ""]:
    """Return the root of the mean square; rows first, so that float32 suffices."""
    return jnp.sqrt((field * field).mean(axis=1).mean())


def bring_inside(
    grey: Float[Array, "h w"],
    noise: Float[Array, "h w"],
    sd: Float[Array, ""],
    key: PRNGKey,
) -> Float[Array, "h w"]:
    """Return the sum with each pixel below 0 or above 1 put 0.1 inside that limit.

    Not clipped: such pixels become 0.1 or 0.9, by a change of the image. Where the
    image would have to leave [0, 1] for that (noise beyond 0.9), the pixel gets white
    noise of `sd` in place of the band's, drawn until the sum lies within. At the
    strongest noise that happens in 1 to 2 % of the images for bands 3 to 5, in corners,
    where the pyramid's mirrored edges make noise stronger.
    """
    total = grey + noise
    low, high = total < 0, total > 1
    shown = jnp.where(low, INSIDE, jnp.where(high, 1 - INSIDE, total))
    lost = (low & (INSIDE - noise > 1)) | (high & (1 - INSIDE - noise < 0))

    def redraw(state):
        attempt, shown, lost = state
        own = jax.random.fold_in(key, attempt)
        drawn = jax.random.normal(own, grey.shape, jnp.float32)
        candidate = grey + sd * drawn.astype(grey.dtype)
        found = lost & (candidate >= 0) & (candidate <= 1)
        return attempt + 1, jnp.where(found, candidate, shown), lost & ~found

    state = (jnp.uint32(0), shown, lost)
    return jax.lax.while_loop(lambda state: state[2].any(), redraw, state)[1]
