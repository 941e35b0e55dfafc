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
    "imagenet_c/[!f]*",
    "imagenet_c/fog/*",
    "imagenet_cbar/*",
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
# Those that are files as well, so that both ways to have them can be compared.
FEW_FILES = (
    *("imagenet_c/gaussian_noise/[15]", "imagenet_c/defocus_blur/[15]"),
    *("imagenet_c/contrast/[15]", "imagenet_cbar/plasma_noise/[15]"),
)
FEW_BENCHMARKS = (
    *("natural/*", "model_vs_human/*/sum", "shape/*/sum", "critical_band/*"),
    *("spectral/*_pass/*", "spectral/*_clean/0.[1-5]"),
    *(f"imagenet_c_jax/{name}/[15]" for name in FEW_CORRUPTED),
    *("imagenet_cbar_jax/plasma_noise/[15]", "imagenet_cbar_jax/sparkles/[15]"),
    *FEW_FILES,
)
FEW_SETS = ("imagenet", "imagenet_[!c]*", "[!i]*", *FEW_FILES)


def prepare_few(workdir: epath.Path) -> None:
    """Draw 12 images of each class in every set, unless they are there.

    Of the corrupted sets only those of `FEW_FILES`.
    """
    trees.write(workdir / IMAGES, per_class=12, only=FEW_SETS)


def prepare(workdir: epath.Path) -> None:
    """Draw as many images as have published numbers, 50 of each class in every set.

    Of the sets 140 are corrupted, 112,000 files of 1.7 GB, which take some minutes.
    """
    trees.write(workdir / IMAGES, per_class=50, pairs=4, scenes=4)


def models(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the models of a configuration, files that come with the package."""
    return tuple(f"{name}={WEIGHTS / name}.safetensors" for name in names)
