"""Do training images vary as the recipes say: in place, noise, blur, size and colour?

Statistics of n draws are held within four standard errors of what they estimate: a
right program fails one such check in 16,000 keys, and the keys are fixed.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.ndimage
import scipy.stats

from biases_jax.miniature import augmentation
from biases_jax.miniature.picture import WINDOW

STORED = 256
KEY = jax.random.key(5)
fade_of = jax.jit(lambda key, image: augmentation.fade(key, image[None])[0])
crop_of = jax.jit(lambda key, stored: augmentation.crop(key, stored[None])[0])
view_of = jax.jit(lambda key, image: augmentation.view(key, image[None])[0])


def keys(count):
    return jax.random.split(KEY, count)


def places():
    """Return a stored image whose values tell their row (red) and column (green)."""
    rows, columns = np.mgrid[:STORED, :STORED]
    return np.stack([rows, columns, np.zeros_like(rows)], -1).astype(np.uint8)


@pytest.fixture(scope="module")
def crops():
    """Return [row, column, mirrored] of 512 crops, whose pixels are checked."""
    found, stored = [], jnp.asarray(places())
    for key in keys(512):
        # In float32, k / 255 times 255 is k to within a rounding.
        image = np.asarray(crop_of(key, stored)) * 255
        corner = image[0, 0].round().astype(int)
        mirrored = bool(image[0, 1, 1] < image[0, 0, 1])
        row, column = corner[0], corner[1] - mirrored * (WINDOW - 1)
        window = places()[row : row + WINDOW, column : column + WINDOW]
        expected = window[:, ::-1] if mirrored else window
        np.testing.assert_allclose(image, expected, atol=1e-4)
        found.append((row, column, mirrored))
    return np.array(found)


def test_windows_are_at_all_places_alike(crops):
    room = STORED - WINDOW + 1
    for axis in (0, 1):
        counts = np.bincount(crops[:, axis], minlength=room)
        assert len(counts) == room and counts.min() > 0  # both ends and all between
        assert scipy.stats.chisquare(counts).pvalue > 1e-4
    # Rows and columns are drawn apart.
    assert abs(np.corrcoef(crops[:, 0], crops[:, 1])[0, 1]) < 4 / np.sqrt(len(crops))


def test_half_of_the_crops_are_mirrored_from_left_to_right(crops):
    assert abs(crops[:, 2].mean() - 0.5) < 4 * 0.5 / np.sqrt(len(crops))


def test_each_image_of_a_batch_is_cropped_for_itself():
    stored = jnp.asarray(np.stack([places()] * 8))
    images = np.asarray(augmentation.crop(KEY, stored)) * 255
    assert len({tuple(image[0, 0].round()) for image in images}) > 4


@pytest.fixture(scope="module")
def faded():
    """Return [grey, contrast] of 512 images of two colours, told by what became."""
    pair = np.array([[0.9, 0.2, 0.1], [0.1, 0.6, 0.5]])
    image = np.repeat(pair, WINDOW // 2, 0)[:, None].repeat(WINDOW, 1)
    luma = pair @ [0.299, 0.587, 0.114]
    found = []
    for key in keys(512):
        rows = np.asarray(fade_of(key, jnp.asarray(image, jnp.float32)), float)
        first, last = rows[0, 0], rows[-1, 0]
        grey = np.ptp(first) < 1e-6
        colours = luma[:, None].repeat(3, 1) if grey else pair
        contrast = (first - last)[0] / (colours[0] - colours[1])[0]
        expected = luma.mean() + contrast * (colours - luma.mean())
        # A float32 mean of 50,176 values is within 1e-6.
        np.testing.assert_allclose([first, last], expected, atol=2e-6)
        assert (rows == np.repeat([first, last], WINDOW // 2, 0)[:, None]).all()
        found.append((grey, contrast))
    return np.array(found)


def test_a_fifth_of_the_images_is_grey(faded):
    share = augmentation.GREY
    error = np.sqrt(share * (1 - share) / len(faded))
    assert share == 0.2 and abs(faded[:, 0].mean() - share) < 4 * error


def test_half_of_the_images_is_of_a_lower_contrast_about_the_mean_luma(faded):
    lowered = faded[:, 1] < 1 - 1e-5
    assert abs(lowered.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(faded))
    lowest = augmentation.FAINTEST
    uniform = scipy.stats.uniform(lowest, 1 - lowest)
    assert scipy.stats.kstest(faded[lowered, 1], uniform.cdf).pvalue > 1e-4
    # Grey and faint are drawn apart.
    assert abs(np.corrcoef(faded[:, 0], lowered)[0, 1]) < 4 / np.sqrt(len(faded))


def test_each_image_of_a_batch_fades_for_itself_in_its_own_window():
    stored = jnp.asarray(np.stack([places()] * 16))
    found = np.asarray(augmentation.photograph(KEY, stored))
    place, light = jax.random.split(KEY)
    expected = augmentation.fade(light, augmentation.crop(place, stored))
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(np.ptp(found[..., 0], axis=(1, 2)).round(3))) > 4


def test_none_changes_nothing():
    images = jnp.full((2, WINDOW, WINDOW, 3), 0.3)
    assert augmentation.none(KEY, images) is images


def test_noise_is_normal_of_a_uniform_strength():
    images = jnp.full((128, WINDOW, WINDOW, 3), 0.5)
    noise = np.asarray(jax.jit(augmentation.noise)(KEY, images)) - np.float32(0.5)
    flat = noise.reshape(128, -1)[:, ::7].astype(float)
    # Clipping at 0.5 leaves the inner quantiles as they are: a normal's lie at 0.6745
    # deviations. Of 21,504 values, it is known to 0.8 %.
    low, middle, high = np.quantile(flat, (0.25, 0.5, 0.75), axis=1)
    sigma = (high - low) / (2 * 0.6745)
    assert np.all(abs(middle) < 4.5 * 1.25 * sigma / np.sqrt(flat.shape[1]))
    assert sigma.max() <= augmentation.NOISE * 1.032
    uniform = scipy.stats.uniform(0, augmentation.NOISE)
    assert scipy.stats.kstest(sigma, uniform.cdf).pvalue > 1e-4
    assert sigma.max() > 0.95 * augmentation.NOISE and sigma.min() < 0.03
    weak = flat[np.argmin(abs(sigma - 0.08))]  # clips at six deviations: never
    assert scipy.stats.kstest(weak[::7] / weak.std(), "norm").pvalue > 1e-4
    neighbours = np.corrcoef(weak[:-1], weak[1:])[0, 1]
    assert abs(neighbours) < 4 / np.sqrt(len(weak))


def test_noisy_images_stay_in_range():
    for value in (0.0, 1.0):
        noisy = augmentation.noise(KEY, jnp.full((8, WINDOW, WINDOW, 3), value))
        assert float(noisy.min()) >= 0 and float(noisy.max()) <= 1
        assert np.any(np.asarray(noisy) != value)


def chosen_blurs(count):
    """Return the numbers of the widths that `low_pass` draws, by its own draw."""
    return np.asarray(jax.random.randint(KEY, (count,), 0, len(augmentation.BLURS)))


def test_blur_is_scipys_away_from_the_border():
    count, border = 32, 40
    images = np.random.default_rng(8).random((count, WINDOW, WINDOW, 3), np.float32)
    found = np.asarray(augmentation.low_pass(KEY, jnp.asarray(images)))
    chosen = chosen_blurs(count)
    assert set(chosen.tolist()) == set(range(len(augmentation.BLURS)))
    inner = np.s_[border:-border, border:-border]
    for image, blurred, number in zip(images, found, chosen, strict=True):
        sigma = augmentation.BLURS[number]
        # Within 40 pixels, 5.7 of the widest deviations, no weight is above 1e-7.
        expected = scipy.ndimage.gaussian_filter(
            image.astype(float), (sigma, sigma, 0), truncate=border / max(sigma, 1)
        )
        # Sums of 224 x 224 float32 products of values below 1.
        np.testing.assert_allclose(blurred[inner], expected[inner], atol=2e-5)


def test_widths_are_the_recipes_and_the_first_is_none():
    assert augmentation.BLURS == (0.0, 1.0, 2.0, 3.5, 5.0, 7.0)
    np.testing.assert_array_equal(augmentation._blurs()[0], np.eye(WINDOW))


def test_blur_keeps_what_is_even_also_at_the_border():
    matrices = augmentation._blurs()
    assert matrices.shape == (len(augmentation.BLURS), WINDOW, WINDOW)
    np.testing.assert_allclose(matrices.sum(2), 1, atol=1e-5)  # float32 sums of 224
    even = jnp.full((12, WINDOW, WINDOW, 3), 0.7)
    np.testing.assert_allclose(
        jax.jit(augmentation.low_pass)(KEY, even), 0.7, atol=1e-5
    )


def test_all_widths_are_drawn_alike():
    # A point's brightest value tells the width: 1 / (2 pi sigma^2).
    count = 240
    image = np.zeros((WINDOW, WINDOW, 3), np.float32)
    image[WINDOW // 2, WINDOW // 2] = 1
    one = jax.jit(lambda key: augmentation.low_pass(key, jnp.asarray(image)[None])[0])
    peaks = np.array([one(key)[WINDOW // 2, WINDOW // 2, 0] for key in keys(count)])
    heights = [
        1 if sigma == 0 else 1 / np.exp(-(np.arange(-40, 41) ** 2) / 2 / sigma**2).sum()
        for sigma in augmentation.BLURS
    ]
    distance = abs(peaks[:, None] - np.square(heights))
    assert distance.min(1).max() < 1e-6
    counts = np.bincount(distance.argmin(1), minlength=len(heights))
    assert scipy.stats.chisquare(counts).pvalue > 1e-4


COLOUR = np.array([0.10, 0.30, 0.85], np.float32)
VIEWS = 512


@pytest.fixture(scope="module")
def views():
    """Return the views of one even colour, a mean for each channel."""
    image = jnp.broadcast_to(COLOUR, (WINDOW, WINDOW, 3))
    return np.stack([np.mean(view_of(key, image), (0, 1)) for key in keys(VIEWS)])


def test_channels_are_permuted_and_half_are_inverted(views):
    # Noise of 0.05 in 50,176 pixels moves a mean by 0.0002, clipping at 0.10 by 0.0004.
    inverted = views.sum(1) > COLOUR.sum() + 0.25
    plain = np.where(inverted[:, None], 1 - views, views)
    np.testing.assert_allclose(np.sort(plain), np.tile(COLOUR, (VIEWS, 1)), atol=3e-3)
    orders = np.unique(plain.argsort(1), axis=0, return_counts=True)
    assert len(orders[0]) == 6
    assert scipy.stats.chisquare(orders[1]).pvalue > 1e-4
    assert abs(inverted.mean() - 0.5) < 4 * 0.5 / np.sqrt(VIEWS)


def test_views_have_a_little_noise():
    noise = np.asarray(view_of(KEY, jnp.full((WINDOW, WINDOW, 3), 0.5))) - 0.5
    # The deviation of 150,528 values is known to 0.18 %.
    assert abs(noise.std() / 0.05 - 1) < 4 * 0.0018
    assert scipy.stats.kstest(noise.ravel()[::50] / 0.05, "norm").pvalue > 1e-4


@pytest.fixture(scope="module")
def zooms():
    """Return [side, top, left] of the views, in frames, told by their gradients."""
    row, column = np.mgrid[:WINDOW, :WINDOW].astype(np.float32)
    middle = np.full_like(row, 0.5)
    image = np.stack([0.2 + 0.5 * row / WINDOW, 0.2 + 0.5 * column / WINDOW, middle])
    image = jnp.asarray(image.transpose(1, 2, 0))
    ticks = (np.arange(WINDOW) - (WINDOW - 1) / 2) / WINDOW
    found = []
    for key in keys(VIEWS):
        channels = np.moveaxis(np.asarray(view_of(key, image)), -1, 0)
        planes = [
            np.array([(c * ticks[:, None]).mean(), (c * ticks).mean()]) * 12
            for c in channels
        ]
        # The channels in their first order: by which way they rise.
        order = [
            max(range(3), key=lambda i: abs(planes[i][0])),
            max(range(3), key=lambda i: abs(planes[i][1])),
        ]
        slopes = [planes[order[axis]][axis] / 0.5 for axis in (0, 1)]
        sign = np.sign(slopes[0])
        assert np.sign(slopes[1]) == sign  # one inversion for all channels
        means = [channels[i].mean() for i in order]
        means = [m if sign > 0 else 1 - m for m in means]
        centres = [(m - 0.2) / 0.5 + 0.5 / WINDOW for m in means]
        side = abs(np.mean(slopes))
        assert abs(abs(slopes[0]) - abs(slopes[1])) < 0.01  # as high as wide
        found.append((side, *(centre - side / 2 for centre in centres)))
    return np.array(found)


def test_sides_of_views_are_uniform(zooms):
    side = zooms[:, 0]
    # A slope of noise 0.05 over 50,176 pixels: 0.0015 of the frame.
    assert side.min() > augmentation.SMALLEST - 0.01 and side.max() < 1.01
    span = scipy.stats.uniform(augmentation.SMALLEST, 1 - augmentation.SMALLEST)
    assert scipy.stats.kstest(side, span.cdf).pvalue > 1e-4


def test_views_lie_anywhere_in_the_frame_and_nowhere_outside(zooms):
    side = zooms[:, 0]
    for corner in zooms[:, 1:].T:
        assert corner.min() > -0.01 and (corner + side).max() < 1.01
        small = side < 0.9  # of others, the place is within the error
        share = corner[small] / (1 - side[small])
        assert scipy.stats.kstest(share, "uniform").pvalue > 1e-4
