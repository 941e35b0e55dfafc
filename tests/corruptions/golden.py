"""What did the reference implementations make of which image, from which draws?

The archives of whole outputs (15 MB) are in the project's shared material; the tests
read extracts of them in `golden/corruptions`, one file a topic, which
`golden/make_corruptions.py` writes. An extract keeps, under the archive's own names
`<corruption>__<image>__s<severity>`, every eighth row and column of an output, and
under `digest__...` the SHA-256 of the whole. Names of what the original ImageNet-C
functions gave begin with `original__`, since the others are of imagecorruptions.
"""

import functools
import hashlib
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parents[1] / "golden/corruptions"
SHARED = pathlib.Path(__file__).parents[2] / "../shared/golden"
IMAGES = {"astronaut": 0, "chelsea": 1}  # and the number in the seeds
ARCHIVES = (
    "imagenet_c_deterministic.npz",
    "imagenet_c_stochastic.npz",
    "imagenet_c_draws.npz",
    "imagenet_cbar.npz",
)


@functools.cache
def load(path):
    """Return the arrays of an archive by name."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def image(name):
    """Return the input image: `astronaut` or `chelsea`, uint8 [224, 224, 3]."""
    return load(FOLDER / "inputs.npz")[name]


def seed(image, severity):
    """Return the seed that NumPy had before every call on this image."""
    return 1000 * (IMAGES[image] + 1) + severity


def random_state(image, severity):
    """Return the generator whose draws, in the reference's order, made the output."""
    return np.random.RandomState(seed(image, severity))


def key(corruption, image, severity, flavour=""):
    """Return an output's name; `flavour` is '' or 'original'."""
    stem = f"{corruption}__{image}__s{severity}"
    return f"{flavour}__{stem}" if flavour else stem


def thinned(output):
    """Return the part of an output (any array of h x w ...) that extracts keep."""
    return np.asarray(output)[3::8, 5::8]


def digest(output):
    """Return the SHA-256 of an output's bytes as uint8 [32]."""
    plain = np.ascontiguousarray(output)
    return np.frombuffer(hashlib.sha256(plain.tobytes()).digest(), np.uint8)


def extract(topic):
    """Return the extract of a topic: arrays by name."""
    return load(FOLDER / f"{topic}.npz")


def cases(topic, corruption, flavour=""):
    """Return the (image, severity) of which there are outputs."""
    every = [(image, severity) for image in IMAGES for severity in range(1, 6)]
    known = extract(topic)
    return [case for case in every if key(corruption, *case, flavour) in known]


def is_whole(topic, name, output):
    """Return whether an output equals the reference's in every byte."""
    return np.array_equal(digest(output), extract(topic)[f"digest__{name}"])


def whole():
    """Return the archives' arrays by name; {} where they are not at hand."""
    if not SHARED.is_dir():
        return {}
    arrays = {}
    for archive in ARCHIVES:
        arrays |= load(SHARED / archive)
    original = load(SHARED / "imagenet_c_original.npz")
    return arrays | {f"original__{name}": array for name, array in original.items()}


def differences(got, expected):
    """Return the largest difference in levels, and the share of values that differ."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype == np.uint8 and got.shape == expected.shape
    apart = np.abs(got.astype(int) - expected.astype(int))
    return int(apart.max()), float((apart > 0).mean())
