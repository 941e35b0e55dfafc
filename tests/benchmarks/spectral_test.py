"""Are the filters the paper's, and the biases its means?"""

import json
import math
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import benchmarks
from biases_jax.benchmarks import spectral
from biases_jax.types import Cell

SHARED = pathlib.Path(__file__).parents[2] / "../shared/data/golden_bandpass.json"
GOLDEN = pathlib.Path(__file__).parents[1] / "golden/bandpass.json"
KEY = jax.random.key(0)


def reference(image, kind, cutoff):
    """State the paper's filter in NumPy, float64, with the full shifted spectrum."""
    h, w = image.shape[:2]
    fraction = cutoff if kind == "low_pass" else 1 - cutoff
    ry, rx = int(fraction * (h // 2)), int(fraction * (w // 2))
    box = np.zeros((h, w, 1))
    box[h // 2 - ry : h // 2 + ry, w // 2 - rx : w // 2 + rx] = 1
    mask = box if kind == "low_pass" else 1 - box
    spectrum = np.fft.fftshift(np.fft.fft2(image, axes=(0, 1)), axes=(0, 1))
    back = np.fft.ifft2(np.fft.ifftshift(spectrum * mask, axes=(0, 1)), axes=(0, 1))
    return np.clip(back.real, 0, 1)


def transform(kind, cutoff):
    return {"low_pass": spectral.LowPass, "high_pass": spectral.HighPass}[kind](cutoff)


def images():
    generator = np.random.default_rng(0)
    y, x = np.mgrid[:224, :224]
    impulse = np.zeros((224, 224, 3))
    impulse[50, 60] = 1
    wave = 0.5 + 0.5 * np.cos(2 * np.pi * (30 * x + 11 * y) / 224)
    return {
        "impulse": impulse,
        "cosine": np.repeat(wave[..., None], 3, axis=2),
        "uniform": generator.random((224, 224, 3)),
        "odd": generator.random((31, 50, 3)),
    }


@pytest.mark.parametrize("name", images())
@pytest.mark.parametrize("kind", ["low_pass", "high_pass"])
@pytest.mark.parametrize("cutoff", spectral.CUTOFFS)
def test_filters_equal_a_full_spectrum_in_float64(name, kind, cutoff):
    image = images()[name]
    result = transform(kind, cutoff)(KEY, jnp.asarray(image, jnp.float32))
    assert result.dtype == jnp.float32
    # A float32 transform of 224 x 224 values of order 1.
    np.testing.assert_allclose(result, reference(image, kind, cutoff), atol=2e-6)


def test_filters_reproduce_the_recorded_stimuli():
    golden = json.loads(GOLDEN.read_text())
    c, i, j = np.mgrid[:3, :224, :224]
    image = ((7 * i + 13 * j + 29 * c + i * j // 11) % 256 / 255).transpose(1, 2, 0)
    assert len(golden["cells"]) == 22
    for cell in golden["cells"]:
        kind = cell["type"].replace("pass", "_pass")
        filtered = transform(kind, cell["cutoff"])
        widths = filtered.parameters(image.shape)["half_widths"]
        assert widths.tolist() == [cell["half_width"]] * 2
        result = np.asarray(filtered(KEY, jnp.asarray(image, jnp.float32)))
        points = [result[i, j, c] for c, i, j in golden["points"]]
        # Recorded in float64; ours is float32.
        np.testing.assert_allclose(points, cell["points"], atol=2e-6)
        np.testing.assert_allclose(result.mean(), cell["mean"], rtol=1e-5)
        np.testing.assert_allclose(result.std(), cell["std"], rtol=1e-4)


def test_the_kept_golden_is_the_shared_one():
    if not SHARED.exists():
        pytest.skip("the project's shared material is not beside the checkout")
    assert json.loads(GOLDEN.read_text()) == json.loads(SHARED.read_text())


def test_bands_of_complementary_filters_add_up():
    for cutoff in spectral.CUTOFFS:
        low = spectral.half_widths(cutoff, (224, 224, 3))
        gain = spectral.gain(low, (224, 224, 3))
        assert set(np.unique(gain)) <= {0, 0.5, 1}
        assert gain[0, 0] == 1
        inside = spectral.gain(low - 1, (224, 224, 3))
        assert (np.asarray(gain)[np.asarray(inside) == 1] == 1).all()


def test_grid_is_the_papers_with_rounded_names_and_exact_floats():
    names = [b.name for b in spectral.benchmarks()]
    assert len(names) == len(set(names)) == 22
    assert "spectral/low_pass/0.3" in names
    assert "spectral/high_pass/0.01" in names
    assert 0.30000000000000004 in spectral.CUTOFFS
    assert 0.7000000000000001 in spectral.CUTOFFS


def cells(top1, count=1000):
    return {
        name: Cell({"top1": hits, "count": count}, records=lambda: None)
        for name, hits in top1.items()
    }


def complete():
    top1 = {b.name: 100 + i for i, b in enumerate(spectral.benchmarks())}
    return top1 | {"natural/imagenet": 800}


def test_biases_are_means_of_five_ratios():
    top1 = complete()
    values = spectral.summarize(cells(top1))
    levels = ("0.1", "0.2", "0.3", "0.4", "0.5")
    lpp = sum(top1[f"spectral/low_pass/{c}"] / 800 for c in levels) / 5
    hpp = sum(top1[f"spectral/high_pass/{c}"] / 800 for c in levels) / 5
    assert values["spectral/lpp"].value == pytest.approx(lpp, rel=1e-12)
    assert values["spectral/hpp"].value == pytest.approx(hpp, rel=1e-12)
    assert values["spectral/bias"].value == pytest.approx(hpp / (hpp + lpp), rel=1e-12)
    assert values["spectral/lpp"].n == 1000


@pytest.mark.parametrize("absent", ["spectral/low_pass/0.3", "natural/imagenet"])
def test_a_missing_cell_leaves_no_mean_of_the_rest(absent):
    top1 = complete()
    del top1[absent]
    values = spectral.summarize(cells(top1))
    assert math.isnan(values["spectral/lpp"].value)
    assert absent in values["spectral/lpp"].reason
    assert math.isnan(values["spectral/bias"].value)
    assert math.isnan(values["spectral/hpp"].value) == (absent == "natural/imagenet")


def test_no_clean_accuracy_leaves_no_ratio():
    values = spectral.summarize(cells(complete() | {"natural/imagenet": 0}))
    assert "clean accuracy is 0" in values["spectral/hpp"].reason


def test_families_are_found_by_being_in_the_folder():
    assert {"natural", "spectral"} <= set(benchmarks.families())
    assert len(benchmarks.select(("spectral/*",))) == 22
    with pytest.raises(ValueError, match="got 'spectrum/[*]', expected"):
        benchmarks.select(("natural/*", "spectrum/*"))
