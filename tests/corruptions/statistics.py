"""Are a corruption's outputs from fresh draws like the reference's, in 24 numbers?

The reference's means and standard deviations are over 8 seeds (glass_blur: 2) on the
astronaut, in the flavour of imagecorruptions.
"""

import numpy as np
from corruptions import golden

NAMES = (
    *(f"mean {colour}" for colour in "RGB"),
    *(f"sd {colour}" for colour in "RGB"),
    "mean absolute change",
    "RMS change",
    "share of 0",
    "share of 255",
    *(f"log power in band {band}" for band in range(14)),
)
# What differences in rounding may come to, where all seeds agree: levels of 0 to 255,
# shares, and natural logarithms of power.
FLOORS = np.repeat([0.02, 0.0005, 0.01], [8, 2, 14])


def describe(output, image):
    """Return the 24 numbers of an output, float64; both are uint8 [h, w, 3]."""
    output, image = np.asarray(output, float), np.asarray(image, float)
    change = output - image
    return np.concatenate(
        [
            output.mean((0, 1)),
            output.std((0, 1)),
            [np.abs(change).mean(), np.sqrt((change**2).mean())],
            [(output == 0).mean(), (output == 255).mean()],
            radial_power(change @ [0.299, 0.587, 0.114]),
        ]
    )


def radial_power(luma):
    """Return the natural logarithm of the power in 14 bands of frequency."""
    power = np.abs(np.fft.fft2(luma - luma.mean())) ** 2 / luma.size
    row, column = (np.fft.fftfreq(side)[:, None] for side in luma.shape)
    radius = np.round(len(luma) * np.hypot(row, column.T)).clip(max=112)
    edges = golden.extract("statistics")["radial_bin_edges"]
    bands = [
        power[(low <= radius) & (radius < high)].mean()
        for low, high in zip(edges, edges[1:], strict=False)
    ]
    return np.log(np.array(bands) + 1e-6)


def unlike(corruption, severity, outputs, seeds=8):
    """Return a line for each number that differs too much; none is expected.

    `outputs` are of the astronaut, uint8 [n, 224, 224, 3], each from its own draws.
    The limit is four standard errors of the difference of means, in which the larger
    of the two standard deviations stands for the reference's: that of 8 values is
    often too small by chance.
    """
    name = golden.key(corruption, "astronaut", severity)
    known = golden.extract("statistics")
    mean, sd = known[f"{name}__mean"], known[f"{name}__sd"]
    own = np.array([describe(output, golden.image("astronaut")) for output in outputs])
    own_sd = own.std(0, ddof=1)
    error = np.hypot(np.maximum(sd, own_sd) / seeds**0.5, own_sd / len(own) ** 0.5)
    excess = np.abs(own.mean(0) - mean) - (4 * error + FLOORS)
    return [
        f"{name}, {NAMES[at]}: {own.mean(0)[at]:.4f}, expected {mean[at]:.4f} "
        f"+- {4 * error[at] + FLOORS[at]:.4f}"
        for at in np.flatnonzero(excess > 0)
    ]
