"""Are the filters the paper's, and the biases its means?"""

import json
import math
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pyarrow as pa
import pytest

from biases_jax import benchmarks, filters, paired, transforms
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


def clean_reference(image, kind, cutoff):
    """State the clean filter in NumPy, float64, with the full spectrum."""
    h, w = image.shape[:2]
    u, v = np.meshgrid(np.fft.fftfreq(h), np.fft.fftfreq(w), indexing="ij")
    u, v = u * h / (h // 2), v * w / (w // 2)  # 1 is the highest of an axis
    fraction = cutoff if kind == "low_pass" else 1 - cutoff
    mask = np.sqrt(u**2 + v**2) <= fraction + 1e-12  # the border, whatever rounding
    if kind == "high_pass":
        mask = ~mask
        mask[0, 0] = True
    back = np.fft.ifft2(np.fft.fft2(image, axes=(0, 1)) * mask[..., None], axes=(0, 1))
    # The mask is symmetric in all axes, so what is left is real by itself.
    np.testing.assert_allclose(back.imag, 0, atol=1e-12)
    return np.clip(back.real, 0, 1)


REFERENCES = {
    "low_pass": reference,
    "high_pass": reference,
    "low_pass_clean": clean_reference,
    "high_pass_clean": clean_reference,
}


def transform(kind, cutoff):
    return spectral.FILTERS[kind](cutoff)


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
        "odd height": generator.random((31, 50, 3)),
        "odd width": generator.random((28, 33, 3)),
    }


@pytest.mark.parametrize("name", images())
@pytest.mark.parametrize("kind", REFERENCES)
@pytest.mark.parametrize("cutoff", spectral.CUTOFFS)
def test_filters_equal_a_full_spectrum_in_float64(name, kind, cutoff):
    image = images()[name]
    result = transform(kind, cutoff)(KEY, jnp.asarray(image, jnp.float32))
    assert result.dtype == jnp.float32
    expected = REFERENCES[kind](image, kind.removesuffix("_clean"), cutoff)
    # A float32 transform of 224 x 224 values of order 1.
    np.testing.assert_allclose(result, expected, atol=2e-6)


def test_filters_reproduce_the_recorded_stimuli():
    golden = json.loads(GOLDEN.read_text())
    c, i, j = np.mgrid[:3, :224, :224]
    image = ((7 * i + 13 * j + 29 * c + i * j // 11) % 256 / 255).transpose(1, 2, 0)
    assert len(golden["cells"]) == 22
    for cell in golden["cells"]:
        kind = cell["type"].replace("pass", "_pass")
        filtered = transform(kind, cell["cutoff"])
        fraction = cell["cutoff"] if kind == "low_pass" else 1 - cell["cutoff"]
        widths = filters.half_widths(fraction, image.shape)
        assert widths == (cell["half_width"], cell["half_width"])
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


def test_clean_filters_of_complementary_cutoffs_add_up_to_the_image_and_its_mean():
    image = jnp.asarray(images()["uniform"] * 0.2 + 0.4, jnp.float32)
    mean = image.mean(axis=(0, 1), keepdims=True)
    for cutoff in (0.1, 0.37, 0.5, 0.9):
        low = spectral.LowPassClean(cutoff)(KEY, image)
        high = spectral.HighPassClean(1 - cutoff)(KEY, image)
        for part in (low, high):  # nothing is clipped, so that parts can add up
            assert 0 < part.min() and part.max() < 1
        # Three float32 transforms of values below 1.
        np.testing.assert_allclose(low + high, image + mean, atol=2e-6)


@pytest.mark.parametrize("kind", ["low_pass_clean", "high_pass_clean"])
@pytest.mark.parametrize("cutoff", spectral.CUTOFFS)
def test_clean_filters_keep_the_mean_of_each_channel(kind, cutoff):
    image = jnp.asarray(images()["uniform"] * [0.1, 0.2, 0.3] + 0.3, jnp.float32)
    result = transform(kind, cutoff)(KEY, image)
    # Float32 sums over 50176 pixels.
    np.testing.assert_allclose(result.mean((0, 1)), image.mean((0, 1)), rtol=1e-5)


@pytest.mark.parametrize("kind", REFERENCES)
def test_all_conditions_share_one_forward_transform(kind):
    found = [b for b in spectral.benchmarks() if f"/{kind}/" in b.name]
    assert len(found) == 11
    assert {b.transform.preparation for b in found} == {filters.Fourier()}
    assert {b.stream for b in found} == {"spectral"}
    # One program, too: what they differ in are arrays of one shape.
    assert len({transforms.compiled_part(b.transform) for b in found}) == 1


def test_grid_is_the_papers_with_rounded_names_and_exact_floats():
    names = [b.name for b in spectral.benchmarks()]
    assert len(names) == len(set(names)) == 44
    assert len([name for name in names if "_clean/" in name]) == 22
    assert "spectral/low_pass/0.3" in names
    assert "spectral/high_pass_clean/0.01" in names
    assert 0.30000000000000004 in spectral.CUTOFFS
    assert 0.7000000000000001 in spectral.CUTOFFS


def no_records():
    raise ValueError("got no records, expected them")


def cells(top1, count=1000):
    return {
        name: Cell({"top1": hits, "count": count}, records=no_records)
        for name, hits in top1.items()
    }


def complete():
    top1 = {b.name: 100 + i for i, b in enumerate(spectral.benchmarks())}
    return top1 | {"natural/imagenet": 800}


@pytest.mark.parametrize("suffix", ["", "_clean"])
def test_biases_are_means_of_five_ratios(suffix):
    top1 = complete()
    values = spectral.summarize(cells(top1))
    levels = ("0.1", "0.2", "0.3", "0.4", "0.5")
    lpp = sum(top1[f"spectral/low_pass{suffix}/{c}"] / 800 for c in levels) / 5
    hpp = sum(top1[f"spectral/high_pass{suffix}/{c}"] / 800 for c in levels) / 5
    # 1e-12: a dozen operations in float64.
    assert values[f"spectral/lpp{suffix}"].value == pytest.approx(lpp, rel=1e-12)
    assert values[f"spectral/hpp{suffix}"].value == pytest.approx(hpp, rel=1e-12)
    bias = values[f"spectral/bias{suffix}"].value
    assert bias == pytest.approx(hpp / (hpp + lpp), rel=1e-12)
    assert values[f"spectral/lpp{suffix}"].n == 1000


def test_corrected_ratios_are_of_what_is_above_chance():
    top1 = complete()
    values = spectral.summarize(cells(top1))
    name = "spectral/high_pass_clean/0.4"
    expected = (top1[name] / 1000 - 0.001) / (0.8 - 0.001)
    assert values[f"{name}/ratio_corrected"].value == pytest.approx(expected, rel=1e-12)
    five = [top1[f"spectral/low_pass/0.{i}"] / 1000 - 0.001 for i in range(1, 6)]
    lpp = sum(five) / 5 / 0.799
    assert values["spectral/lpp_corrected"].value == pytest.approx(lpp, rel=1e-12)
    assert values["spectral/hpp_corrected"].value < values["spectral/hpp"].value


def test_a_clean_accuracy_near_chance_leaves_no_corrected_ratio():
    for hits, there in ((9, False), (10, True)):
        top1 = complete() | {"natural/imagenet": hits}
        values = spectral.summarize(cells(top1))
        assert not math.isnan(values["spectral/lpp"].value)  # as the paper has it
        corrected = values["spectral/lpp_corrected"]
        assert math.isnan(corrected.value) != there
        assert there or "0.90%, is near chance" in corrected.reason


def test_numbers_have_intervals_where_there_are_records():
    generator = np.random.default_rng(0)
    right = {name: generator.random(1000) < 0.4 for name in complete()}
    found = {
        name: Cell(
            {"top1": int(hits.sum()), "count": 1000},
            lambda hits=hits: pa.table({"id": np.arange(1000), "correct": hits}),
        )
        for name, hits in right.items()
    }
    values = spectral.summarize(found)
    assert all(value.low < value.value < value.high for value in values.values())
    name = "spectral/low_pass/0.2/ratio"
    clean = right["natural/imagenet"].astype(float)
    own = right["spectral/low_pass/0.2"].astype(float)
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    interval = paired.ratio_interval(own, clean, x, y)
    assert (values[name].low, values[name].high) == interval
    without = spectral.summarize(cells({n: int(h.sum()) for n, h in right.items()}))
    assert all(math.isnan(value.low) for value in without.values())
    assert {n: v.value for n, v in without.items()} == {
        n: v.value for n, v in values.items()
    }


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
    assert len(benchmarks.select(("spectral/*",))) == 44
    with pytest.raises(ValueError, match="got 'spectrum/[*]', expected"):
        benchmarks.select(("natural/*", "spectrum/*"))
