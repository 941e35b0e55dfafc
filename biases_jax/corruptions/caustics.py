"""Which light do ripples gather under water, and how far does a slope refract it?"""

import math

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import gaussian_filter, pixels, trigonometry
from biases_jax.types import Array, Float

TURN = 6.28318530718  # radians; the reference's figure
START = -250.0  # radians: where the ripples' places begin
SHIFT = math.remainder(START, 2 * math.pi)
WAVES = 5
INDEX = 4.0  # refractive, of the water
# Surfaces whose normal deviates less than this from the vertical do not refract:
# below this square of the slope, since cosine^-2 = 1 + slope^2.
FLAT = (1 - 1e-3) ** -2 - 1


def light(
    shape: tuple[int, ...], time: Float[Array, ""], size: Float[Array, ""]
) -> Float[Array, "h w"]:
    """Return the light, 0 to 1, that falls on an image of h x w x 3.

    Args:
        shape: of the image.
        time: of the moving pattern, 0.5 to 2.
        size: the pattern's period in pixels.

    Source: Mintun et al. 2021 (ImageNet-C-bar, caustic_refraction).
    """
    scale = 1 / size
    starts = [scale * number for number in pixels.rows_and_columns(shape)]
    starts = [TURN * (start - jnp.floor(start)) for start in starts]
    gathered = 1 + sum(waves(starts, time))
    return smoothed(jnp.clip((1.17 - jnp.exp(1.4 * jnp.log(gathered / 5))) ** 8, 0, 1))


def waves(
    starts: list[Float[Array, "..."]], time: Float[Array, ""]
) -> list[Float[Array, "h w"]]:
    """Return what each wave gathers, given the places' distances from `START`.

    Each wave displaces the places by sines of where the last one left them. These are
    taken of the distance from `START`, of which float32 knows six digits more, and as
    sines of sums, so that the next wave can use them again.
    """
    height, width = (0.005 * (start + START) for start in starts)
    gathered = []
    (s0, c0), (s1, c1) = (circle(start + SHIFT) for start in starts)
    for wave in range(1, WAVES + 1):
        sine, cosine = circle(time * (1 - 3.5 / wave))
        down = starts[0] + (cosine * c0 + sine * s0) + (sine * c1 + cosine * s1)
        right = starts[1] + (sine * c1 - cosine * s1) + (cosine * c0 - sine * s0)
        (s0, c0), (s1, c1) = circle(down + SHIFT), circle(right + SHIFT)
        vertical = cosine * s0 + sine * c0
        horizontal = cosine * c1 - sine * s1
        # 1 / hypot(height / vertical, width / horizontal)
        length = jnp.sqrt((height * horizontal) ** 2 + (width * vertical) ** 2)
        gathered.append(jnp.abs(vertical * horizontal) / length)
    return gathered


def circle(radians: Float[Array, "..."]) -> tuple[Float[Array, "..."], ...]:
    """Return the sine and the cosine."""
    return trigonometry.sine(radians), trigonometry.cosine(radians)


def smoothed(image: Float[Array, "h w"]) -> Float[Array, "h w"]:
    """Return the image blurred by one pixel, mirrored at the borders.

    By shifts: of nine weights, they take 0.7 ms for 224 x 224, and matrices 1.1 ms.
    """
    weights = gaussian_filter.taps(1.0).astype(np.float32)
    for axis, size in enumerate(image.shape):
        beyond = jnp.moveaxis(image, axis, 0)
        radius = len(weights) // 2
        beyond = jnp.pad(beyond, ((radius, radius), (0, 0)), "symmetric")
        image = sum(
            weight * beyond[start : start + size]
            for start, weight in enumerate(weights)
        )
        image = jnp.moveaxis(image, 0, axis)
    return image


def refraction(
    down: Float[Array, "h w"], right: Float[Array, "h w"]
) -> Float[Array, "2 h w"]:
    """Return where to, in lens scales, a surface of these slopes refracts the view.

    Along the normal n, by Snell's law: cos(out) - cos(in) / index times n's part in
    the plane, the cosines being of the angles of the ray to n, in the water and above.
    """
    steep = down**2 + right**2
    upright = 1 / jnp.sqrt(steep + 1)  # the normal's third component, cos(in)
    out = jnp.sqrt(1 - (1 - upright**2) / INDEX**2)
    along = jnp.where(steep <= FLAT, 0.0, (out - upright / INDEX) * upright)
    return jnp.stack([along * down, along * right])
