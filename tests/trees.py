"""Which small trees stand for the published ones, and which labels are right in them?

The labels are written down here, not computed by what is tested. Numbered validation
images have their published classes.
"""

import dataclasses
import functools
import io
import pathlib
import tarfile

import numpy as np
from PIL import Image

from biases_jax import labels
from biases_jax.sources import catalog
from biases_jax.sources.source import Source

# The published classes of the first validation images, by number.
FIRST = {1: 65, 2: 970, 3: 230, 4: 809, 5: 516, 6: 57, 7: 334, 8: 415, 9: 674, 10: 332}
V2 = (0, 1, 2, 10, 100)  # which sort otherwise as text


@dataclasses.dataclass(frozen=True)
class Example:
    """An image file at its published place, and what is to be read from it."""

    location: str
    name: str  # its identity
    labels: tuple[int, ...]
    data: bytes


@functools.cache
def picture(seed: int, kind: str, side: int = 224) -> bytes:
    """Return a small file with a picture of its own."""
    blocks = np.random.default_rng(seed).integers(0, 256, (7, 7, 3), dtype=np.uint8)
    image = Image.fromarray(blocks).resize((side, side), Image.Resampling.NEAREST)
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def validation(kind: str, side: int) -> list[Example]:
    """Return the first ten validation images, or what was made of them."""
    suffix = {"JPEG": "JPEG", "PNG": "png"}[kind]
    names = {n: f"ILSVRC2012_val_{n:08d}.{suffix}" for n in FIRST}
    return [
        Example(f"{labels.WNIDS[i]}/{names[n]}", names[n], (i,), picture(n, kind, side))
        for n, i in FIRST.items()
    ]


def in_classes(classes: tuple[int, ...], names: tuple[str, ...], unique: bool = False):
    """Return examples with the same names in every class, or with the class in them."""
    found = []
    for i in classes:
        for number, name in enumerate(names):
            base = name.replace("*", str(i))
            location = f"{labels.WNIDS[i]}/{base}"
            data = picture(1000 * number + i, "JPEG", 40 + number)
            found.append(Example(location, base if unique else location, (i,), data))
    return found


CONDITIONS = {  # as files spell them, not as tables do
    "high-pass": ("inf", "3", "1.5", "1", "0.7", "0.55", "0.45", "0.4"),
    "false-colour": ("true", "false"),
    "uniform-noise": ("0.00", "0.03", "0.05", "0.10", "0.20", "0.35", "0.60", "0.90"),
}


def session(name: str, each: int = 1) -> list[Example]:
    """Return a session: images of each category in each condition of a set."""
    row = catalog.SOURCES[f"model_vs_human/{name}"]
    conditions = CONDITIONS.get(name, row.conditions or ("0",))
    places = [
        (place, number)
        for place in range(len(conditions))
        for number in range(len(labels.CATEGORIES) * each)
    ]
    found = []
    for trial, (place, number) in enumerate(places, 1):
        category = labels.CATEGORIES[number % 16]
        base = (
            f"{trial:04d}_{row.experiment or 'x'}_dnn_{conditions[place]}_{category}_10"
            f"_n02690373_{number}.png"
        )
        data = picture(number % 16, "PNG")
        found.append(Example(f"dnn/session-1/{base}", base, (number % 16,), data))
    return found


def plain_categories() -> list[Example]:
    """Return images whose folder alone tells the category."""
    return [
        Example(f"{name}/{name}1.png", f"{name}1.png", (i,), picture(i, "PNG"))
        for i, name in enumerate(labels.CATEGORIES)
    ]


def _cues() -> list[Example]:
    found = []
    for number, shape in enumerate(labels.CATEGORIES):
        texture = (number * 3 + 1) % 16
        name = f"{shape}{number + 1}-{labels.CATEGORIES[texture]}2.png"
        data = picture(number, "PNG")
        found.append(Example(f"{shape}/{name}", name, (number, texture), data))
    return found


def examples(source: str) -> list[Example]:
    """Return the examples of a small set that stands for a source."""
    family = source.split("/")[0]
    if family == "imagenet":
        return validation("JPEG", 40)
    if family == "imagenet_v2":
        return in_classes(V2, ("0.jpeg", "1.jpeg"))
    if family == "imagenet_a":
        name = "0.0001_digital clock _ digital clock_0.*.jpg"
        return in_classes(labels.IMAGENET_A[::50], (name, "b*.jpg"), unique=True)
    if family == "imagenet_r":
        return in_classes(labels.IMAGENET_R[::50], ("art_0.jpg", "sketch_1.jpg"))
    if family == "imagenet_sketch":
        return in_classes((0, 10, 999), ("sketch_0.JPEG", "sketch_1.JPEG"))
    if family == "stylized_imagenet":
        return validation("PNG", 224)
    if family in ("imagenet_c", "imagenet_cbar"):
        return validation("JPEG", 224)
    if catalog.SOURCES[source].layout == "session":
        return session(source.split("/")[1])
    in_folders = {"edge": plain_categories, "silhouette": plain_categories}
    return in_folders.get(source.split("/")[-1], _cues)()


def any_size(source: str, **changes) -> Source:
    """Return a row of the catalogue for a set of any size."""
    return dataclasses.replace(catalog.SOURCES[source], expected=None, **changes)


def files(found: list[Example], folders: str = "wnids") -> dict[str, bytes]:
    """Return the files of a tree whose class folders have names of one kind."""
    form = {"integers": "{}", "padded": "{:04d}", "wnids": ""}[folders]
    tree = {}
    for example in found:
        folder, rest = example.location.split("/", 1)
        if form:
            folder = form.format(labels.WNIDS.index(folder))
        tree[f"{folder}/{rest}"] = example.data
    return tree


def pack(path: pathlib.Path, content: dict[str, bytes], top: str = "") -> None:
    """Write files as an archive, below a folder in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for location, data in content.items():
            member = tarfile.TarInfo(f"{top}/{location}" if top else location)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
