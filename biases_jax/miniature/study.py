"""Which images and networks does the demo's study have?"""

from etils import epath

from biases_jax.miniature import trees
from biases_jax.miniature.export import WEIGHTS
from biases_jax.miniature.recipes import RECIPES

IMAGES = "world"  # in the run's folder: the data root
NETWORKS = tuple(recipe.name for recipe in RECIPES.values() if recipe.ships)
FEW = ("baseline", "stylised", "noise", "low_pass", "adversarial_linf", "frozen")
# By sums of the members' probabilities: the world has one class of each category, and
# means would measure how many classes the others have.
BENCHMARKS = (
    "natural/*",
    "model_vs_human/*/sum",
    "shape/*/sum",
    "spectral/*",
    "critical_band/*",
    # All but frost, whose photographs are not here.
    "imagenet_c_jax/[!f]*",
    "imagenet_c_jax/fog/*",
    "imagenet_c_jax/frost_synthetic/*",
    "imagenet_cbar_jax/*",
)
# Of the clean filters those that the biases average; corruptions of each group.
FEW_CORRUPTED = (
    *("gaussian_noise", "defocus_blur", "snow", "frost_synthetic", "fog", "contrast"),
    *("pixelate", "jpeg_compression"),
)
FEW_BENCHMARKS = (
    *("natural/*", "model_vs_human/*/sum", "shape/*/sum", "critical_band/*"),
    *("spectral/*_pass/*", "spectral/*_clean/0.[1-5]"),
    *(f"imagenet_c_jax/{name}/[15]" for name in FEW_CORRUPTED),
    *("imagenet_cbar_jax/plasma_noise/[15]", "imagenet_cbar_jax/sparkles/[15]"),
)


def prepare_few(workdir: epath.Path) -> None:
    """Draw 12 images of each class in every set, unless they are there."""
    trees.write(workdir / IMAGES, per_class=12)


def prepare(workdir: epath.Path) -> None:
    """Draw as many images as have published numbers, 50 of each class in every set."""
    trees.write(workdir / IMAGES, per_class=50, pairs=4, scenes=4)


def models(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the models of a configuration, files that come with the package."""
    return tuple(f"{name}={WEIGHTS / name}.safetensors" for name in names)
