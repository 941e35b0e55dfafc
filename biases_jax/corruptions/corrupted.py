"""What do models see of a corruption? The image as the published files show it."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax import levels
from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import jpeg, names, registry, summary
from biases_jax.corruptions.corruption import Bytes, Corruption, Draws
from biases_jax.transforms import Traced, compiled_part
from biases_jax.types import Image, PRNGKey

QUALITY = 85  # of the published files


@dataclasses.dataclass(frozen=True)
class Drawn:
    """The preparation that all severities of a corruption share for one image.

    `corruption` is without its severity, unless it draws by that.
    """

    corruption: Corruption

    def __call__(self, key: PRNGKey, image: Image) -> tuple[Bytes, Draws]:
        """Return the image as bytes, and the draws."""
        pixels = jnp.round(255 * image).astype(jnp.uint8)
        return pixels, self.corruption.sample(key, image.shape)


@dataclasses.dataclass(frozen=True)
class Filed:
    """The image as a JPEG file of a quality brings it back, multiples of 1 / 255.

    Without a quality, as it is.
    """

    jpeg_quality: int | None

    def __call__(self, key: PRNGKey, image: Bytes) -> Image:
        """Return the image from the file."""
        del key
        if self.jpeg_quality is not None:
            image = jpeg.round_trip(image, jpeg.tables(self.jpeg_quality))
        return levels.unit(image)


@dataclasses.dataclass(frozen=True)
class Corrupted(Traced):
    """Corrupt an image and write and read it as a JPEG file.

    `jpeg_quality` is 1 to 100, or None for no file: the published images were written
    with 85, which changes noise by some 20 levels.
    """

    corruption: Corruption
    jpeg_quality: int | None = QUALITY

    def lacks(self) -> str:
        """Return why images cannot be made here, '' if they can."""
        return self.corruption.lacks()

    @property
    def preparation(self) -> Callable[[PRNGKey, Image], Any]:
        """Return what draws once for all severities."""
        return Drawn(compiled_part(self.corruption))

    @property
    def finishing(self) -> Callable[[PRNGKey, Bytes], Image]:
        """Return what writes and reads the file, once compiled for all corruptions."""
        return Filed(self.jpeg_quality)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the corruption's parameters, numbers as arrays of no axes."""
        own = self.corruption.parameters(shape)
        return {name: np.asarray(value) for name, value in own.items()}

    def apply(
        self,
        prepared: tuple[Bytes, Draws],
        key: PRNGKey,
        parameters: dict[str, Any],
    ) -> Bytes:
        """Return the corrupted image, of bytes."""
        del key
        return self.corruption.corrupt(*prepared, parameters)


def benchmark(family: str, name: str, corruption: Corruption) -> Benchmark:
    """Return the benchmark of a corruption of ImageNet's images.

    Severities of one name share a noise stream: what one image draws is the same.
    """
    return Benchmark(
        summary.cell(family, name, corruption.severity),
        "imagenet",
        Corrupted(corruption),
        stream=f"{family}/{name}",
    )


def benchmarks(family: str, corruptions: Iterable[str]) -> Iterator[Benchmark]:
    """Yield all severities of published corruptions of ImageNet's images."""
    for name in corruptions:
        for severity in names.SEVERITIES:
            yield benchmark(family, name, registry.get(name, severity))
