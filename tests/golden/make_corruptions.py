"""Take from the archives of corrupted images what the tests compare with.

In `tests`: python -m golden.make_corruptions ARCHIVES TOPIC ..., where ARCHIVES is the
folder of the archives. `corruptions/golden.py` says what an extract holds.
"""

import pathlib
import shutil
import sys

import numpy as np
from corruptions import golden

# The corruptions of each topic; then recorded draws, of which no generator makes the
# same again. (Shot's counts and impulse's masks come from NumPy's generators.)
TOPICS = {
    "pointwise": (
        "gaussian_noise",
        "shot_noise",
        "impulse_noise",
        "speckle_noise",
        "brightness",
        "contrast",
        "saturate",
        "pixelate",
        "jpeg_compression",
    ),
    "blurs": (
        "defocus_blur",
        "glass_blur",
        "motion_blur",
        "zoom_blur",
        "gaussian_blur",
        "elastic_transform",
        "motion_angle",
    ),
    "weather": (
        "snow",
        "frost",
        "fog",
        "spatter",
        "snow_angle",
        "frost_pos",
        "frost_crop",
    ),
    "cbar": (
        "blue_noise_sample",
        "brownish_noise",
        "caustic_refraction",
        "checkerboard_cutout",
        "cocentric_sine_waves",
        "inverse_sparkles",
        "perlin_noise",
        "plasma_noise",
        "single_frequency_greyscale",
        "sparkles",
    ),
}


def extract(arrays, topic):
    """Return the topic's part of the archives' arrays: images thinned, draws whole."""
    kept = {}
    for name, array in sorted(arrays.items()):
        if name.removeprefix("original__").split("__")[0] not in TOPICS[topic]:
            continue
        if array.shape[:2] == (224, 224):
            kept[name] = golden.thinned(array)
            kept[f"digest__{name}"] = golden.digest(array)
        else:
            kept[name] = array
    return kept


def main(folder, *topics):
    golden.SHARED = pathlib.Path(folder)
    arrays = golden.whole()
    np.savez_compressed(
        golden.FOLDER / "inputs.npz", **golden.load(f"{folder}/inputs.npz")
    )
    statistics = f"{folder}/imagenet_c_stats.npz"
    shutil.copyfile(statistics, golden.FOLDER / "statistics.npz")
    for topic in topics:
        np.savez_compressed(golden.FOLDER / f"{topic}.npz", **extract(arrays, topic))


if __name__ == "__main__":
    main(*sys.argv[1:])
