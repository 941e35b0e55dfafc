"""How does an image look behind coloured plasma?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, pixels, trigonometry
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import Array, Float, PRNGKey

INTENSITY = (30.4, 44.8, 54.4, 59.2, 64.0)  # levels of 255; Mintun et al. 2021
MOST = 6  # iterations


@dataclasses.dataclass(frozen=True)
class PlasmaNoise(corruption.Graded):
    """A blend with sines of places that finer and finer sines have moved.

    Draws: `param_time` in [0, 6 pi), `param_iterations` 4 to 6, `param_sharpness` in
    [0.5, 1), `param_scale` in pixels, 16.8 to 44.8.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Of the reference's values at most
    2e-3 are off, by one level.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the plasma's amplitude in levels."""
        del shape
        return {"intensity": np.array(INTENSITY[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the plasma's form."""
        del shape
        form, count = jax.random.split(key)
        time, sharpness, scale = jax.random.uniform(form, (3,))
        return {
            "param_time": 6 * jnp.pi * time,
            "param_iterations": jax.random.randint(count, (), 4, MOST + 1),
            "param_sharpness": 0.5 + 0.5 * sharpness,
            "param_scale": 224 * (0.075 + 0.125 * scale),
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the blend of the image and the plasma."""
        down, right = moved(image.shape, draws)
        time = jnp.asarray(draws["param_time"], jnp.float32)
        intensity = parameters["intensity"]
        colours = (
            trigonometry.sine(right - time),
            trigonometry.sine((right + down + trigonometry.sine(time)) / 2),
            trigonometry.sine(down + time),
        )
        plasma = intensity * jnp.stack(colours, axis=-1)
        kept = (1 - intensity / 255) * image.astype(jnp.float32)
        return corruption.truncated(kept + plasma)


def moved(shape: tuple[int, ...], draws: Draws) -> tuple[Float[Array, "h w"], ...]:
    """Return where the pixels of h x w x 3 get to: down and right, by `param_scale`."""
    time, sharpness, size = (
        jnp.asarray(draws[f"param_{name}"], jnp.float32)
        for name in ("time", "sharpness", "scale")
    )
    # Pixels are multiplied only: XLA turns their division by one number into a product,
    # but not a batch's by many, which would be other bytes.
    starts = [1 / size * number for number in pixels.rows_and_columns(shape)]
    down, right = (jnp.broadcast_to(start, shape[:2]) for start in starts)

    def move(places, iteration):
        down, right, strength = places
        finer, phase, runs = iteration
        vertical = strength * trigonometry.cosine(finer * down + phase)
        horizontal = strength * trigonometry.sine(finer * right + phase)
        # The waves move pixels to the side, mostly: the one of rows to the right.
        right = right + jnp.where(runs, vertical - 0.3 * horizontal, 0.0)
        down = down + jnp.where(runs, horizontal + 0.3 * vertical, 0.0)
        return (down, right, strength * (1 / (2.25 - sharpness))), None

    number = np.arange(MOST)
    iterations = (
        jnp.asarray(1.93**number, jnp.float32),
        time * jnp.asarray(1.15**-number, jnp.float32),
        number < draws["param_iterations"],
    )
    places = (down, right, jnp.float32(1))
    (down, right, _), _ = jax.lax.scan(move, places, iterations)
    return down, right
