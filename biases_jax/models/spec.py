"""What describes a model: its files, their names for tensors, what was published?"""

import dataclasses
import math

RGB = tuple[float, float, float]

# Of the three channels of images in [0, 1]; the convention since Torch7's ResNets.
IMAGENET_MEAN: RGB = (0.485, 0.456, 0.406)
IMAGENET_STD: RGB = (0.229, 0.224, 0.225)


@dataclasses.dataclass(frozen=True)
class Published:
    """A file as its authors publish it.

    `file` is the name under which it is found in a folder of weights; Hugging Face
    calls every file `model.safetensors`, so there the repository's name stands before
    it. `sha256` may be the first digits only, and is '' where none is known.
    """

    file: str
    uri: str
    sha256: str = ""


@dataclasses.dataclass(frozen=True)
class Weights:
    """Where tensors are published, and how a file's names become torchvision's.

    `published` lists equivalent files, the preferred first. `root` is the dotted path
    of the state dict in the file; `rename` holds regular expressions and replacements,
    applied in order; `drop` regular expressions of names that may be left over.
    """

    published: tuple[Published, ...] = ()
    root: str = ""
    rename: tuple[tuple[str, str], ...] = ()
    drop: tuple[str, ...] = ()


PLAIN = Weights()  # of a file that holds torchvision's names and nothing else


@dataclasses.dataclass(frozen=True)
class ModelSpec:
    """A checkpoint as data. `top1` is the published accuracy in percent, or NaN.

    `head` is set where the classifier is published apart from the `backbone`. `width`
    is that of the stem in channels; None, and so for the classes, stands for any.
    """

    name: str
    category: str
    paper: str
    backbone: Weights
    head: Weights | None = None
    mean: RGB = IMAGENET_MEAN
    std: RGB = IMAGENET_STD
    width: int | None = 64
    num_classes: int | None = 1000
    top1: float = math.nan
    licence: str = ""
    non_commercial: bool = False
