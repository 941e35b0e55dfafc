"""What describes a model: its files, how they are laid out, what was published?"""

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
    it. `uri` is 'https://...', 'hf:<owner>/<repository>/<file>@<revision>',
    'gdrive:<id>' or 'zenodo:<record>/<file>'. `sha256` may be the first digits only,
    and is '' where none is known.
    """

    file: str
    uri: str
    sha256: str = ""


@dataclasses.dataclass(frozen=True)
class Rules:
    """How a file's names become torchvision's.

    `roots` are dotted paths of the state dict in the file, of which the first that is
    there counts; '' is the file itself. `rename` holds regular expressions and
    replacements, applied in order; `drop` regular expressions of names (renamed, too)
    that may be left over.
    """

    roots: tuple[str, ...] = ("",)
    rename: tuple[tuple[str, str], ...] = ()
    drop: tuple[str, ...] = ()


PLAIN = Rules()  # of a file that holds torchvision's names and nothing else


@dataclasses.dataclass(frozen=True)
class Layout:
    """How one training script lays out its files.

    `head` is set where the classifier is a file of its own, beside the `backbone`.
    """

    name: str
    backbone: Rules
    head: Rules | None = None


@dataclasses.dataclass(frozen=True)
class ModelSpec:
    """A checkpoint as data. `top1` is the published accuracy in percent, or NaN.

    `backbone` lists the published files that hold the weights, the preferred first;
    `head` likewise where the layout has the classifier apart. A `layout` of None is to
    be found out from the file. `width` is that of the stem in channels; None, and so
    for the classes, stands for any.
    """

    name: str
    category: str
    paper: str
    layout: Layout | None
    backbone: tuple[Published, ...] = ()
    head: tuple[Published, ...] = ()
    mean: RGB = IMAGENET_MEAN
    std: RGB = IMAGENET_STD
    width: int | None = 64
    num_classes: int | None = 1000
    top1: float = math.nan
    licence: str = ""
    non_commercial: bool = False
