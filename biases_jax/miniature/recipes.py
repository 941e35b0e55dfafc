"""In which ways are the small networks trained? Ten recipes that differ in kind."""

import dataclasses

from biases_jax.attacks.pgd import PGD
from biases_jax.miniature import augmentation
from biases_jax.miniature.settings import STYLISED, TRAINING, Settings

NATURAL, RANDOM_TEXTURES = "natural", "stylised"
SETS: dict[str, Settings] = {NATURAL: TRAINING, RANDOM_TEXTURES: STYLISED}


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How one network is trained.

    Attributes:
        name: of the network.
        sets: the training sets, mixed in equal parts.
        samples: how many images are shown.
        peak: largest learning rate of the one cycle.
        augment: what is done to each image, beyond `augmentation.photograph`.
        objective: 'classes', or 'views' (contrastive: which views are of one class).
        attack: what is done to each image by the gradient.
        smoothing: of the labels.
        mixup: parameter of the beta distribution; 0 mixes nothing.
        trained: 'all', all but the 3x3 kernels of the blocks ('not_3x3'), or only the
            linear read-out of a network that stays as it is ('head').
        start: name of the recipe whose network is the start; '' for a random one.
        ships: whether the network is one of the study's.
    """

    name: str
    sets: tuple[str, ...] = (NATURAL,)
    samples: int = 49_152
    peak: float = 4e-3
    augment: augmentation.Augmentation = augmentation.none
    objective: str = "classes"
    attack: PGD | None = None
    smoothing: float = 0.0
    mixup: float = 0.0
    trained: str = "all"
    start: str = ""
    ships: bool = True


_BOTH = (NATURAL, RANDOM_TEXTURES)
# One step with a random start, beyond the ball's surface (Wong et al. 2020). The L2
# ball has the radius that is usual at 224 px (Salman et al. 2020).
_LINF = PGD(epsilon=4 / 255, step=5 / 255, steps=1)
_L2 = PGD(epsilon=3.0, step=3.75, steps=1, norm="l2")

_ALL = (
    Recipe("baseline"),
    Recipe("long", samples=65_536, smoothing=0.1, mixup=0.2),
    Recipe("stylised", sets=(RANDOM_TEXTURES,), samples=73_728),
    Recipe("stylised_natural", sets=_BOTH, samples=65_536),
    Recipe("noise", augment=augmentation.noise),
    Recipe("low_pass", augment=augmentation.low_pass),
    Recipe(
        "adversarial_linf", samples=36_864, peak=2e-3, attack=_LINF, start="baseline"
    ),
    Recipe("adversarial_l2", samples=36_864, peak=2e-3, attack=_L2, start="baseline"),
    Recipe("frozen", trained="not_3x3"),
    Recipe(
        "contrastive_backbone",
        samples=24_576,
        peak=2e-3,
        augment=augmentation.view,
        objective="views",
        ships=False,
    ),
    Recipe(
        "contrastive",
        samples=12_288,
        peak=2e-2,
        trained="head",
        start="contrastive_backbone",
    ),
)
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
