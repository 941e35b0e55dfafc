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
)
# Of the clean filters those that the biases average.
FEW_BENCHMARKS = (
    *(pattern for pattern in BENCHMARKS if pattern != "spectral/*"),
    *("spectral/*_pass/*", "spectral/*_clean/0.[1-5]"),
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
