"""Do the 24 numbers come out as recorded, and are wrong outputs told?"""

import numpy as np
from corruptions import golden, statistics


def noisy(scale, seeds):
    """Return the astronaut under Gaussian noise, uint8, for each seed."""
    image = golden.image("astronaut") / 255
    noises = [np.random.RandomState(s).standard_normal(image.shape) for s in seeds]
    outputs = [
        (np.clip(image + scale * n, 0, 1) * 255).astype(np.uint8) for n in noises
    ]
    return np.array(outputs)


def test_numbers_are_those_recorded_with_the_same_seeds():
    own = [
        statistics.describe(output, golden.image("astronaut"))
        for output in noisy(0.18, range(50000, 50008))
    ]
    known = golden.extract("statistics")
    name = "gaussian_noise__astronaut__s3"
    # The record is of float32: seven digits of numbers up to 255.
    np.testing.assert_allclose(np.mean(own, 0), known[f"{name}__mean"], rtol=2e-6)
    np.testing.assert_allclose(np.std(own, 0, ddof=1), known[f"{name}__sd"], rtol=1e-4)


def test_outputs_of_other_seeds_are_like_and_of_other_strength_are_not():
    assert statistics.unlike("gaussian_noise", 3, noisy(0.18, range(8))) == []
    lines = statistics.unlike("gaussian_noise", 3, noisy(0.183, range(8)))
    assert any("RMS change" in line for line in lines)
