"""What does float64 NumPy give for the corruptions of ImageNet-C-bar?

Plain statements of the formulas, pixel by pixel where a pixel looks something up.
Each takes an image of bytes, draws and the published severity, and returns bytes.
Sizes other than 224 change where centres may lie, and no length.
"""

import numpy as np
from scipy import ndimage

STRENGTH = {  # what the published severities 1 to 5 mean on the generators' scale
    "blue_noise_sample": (0.8, 1.6, 2.4, 4.0, 5.6),
    "brownish_noise": (1, 2, 3, 4, 5),
    "caustic_refraction": (2.35, 3.2, 4.9, 6.6, 9.15),
    "checkerboard_cutout": (2, 3, 4, 5, 6),
    "cocentric_sine_waves": (3, 5, 8, 9, 10),
    "inverse_sparkles": (1, 2, 4, 9, 10),
    "perlin_noise": (4.6, 5.2, 5.8, 7.6, 8.8),
    "plasma_noise": (4.75, 7, 8.5, 9.25, 10),
    "single_frequency_greyscale": (1, 1.5, 2, 4.5, 5),
    "sparkles": (1, 2, 3, 5, 6),
}


def corrupt(name, image, draws, severity):
    """Return the image as the named corruption leaves it."""
    draws = {key: np.asarray(value) for key, value in draws.items()}
    strength = STRENGTH[name][severity - 1]
    values = globals()[name](image.astype(np.float64), draws, strength)
    return np.clip(values, 0, 255).astype(np.uint8)


def pixels(image):
    """Return each pixel's row and column, [h, w] both."""
    return np.mgrid[: image.shape[0], : image.shape[1]].astype(np.float64)


def fourier_field(amplitude, left):
    """Return the noise of half the phases, with a standard deviation of 1."""
    h, w = amplitude.shape
    phases = np.concatenate([left, np.rot90(left, 2)[:, -(w // 2) :]], 1)
    spectrum = np.fft.ifftshift(amplitude * np.exp(1j * phases))
    field = np.fft.ifft2(spectrum).real
    return field / field.std()


def from_centre(image):
    """Return each frequency's distance from the middle of the spectrum."""
    y, x = pixels(image)
    return np.hypot(y - image.shape[0] // 2, x - image.shape[1] // 2)


def blue_noise_sample(v, draws, s):
    """Keep the pixels where noise without low frequencies is above a threshold."""
    field = fourier_field(from_centre(v), draws["phases"].astype(np.float64))
    return v * (field > 0.3 * s - 2.5)[..., None]


def brownish_noise(v, draws, s):
    """Add to each colour its own noise of low frequencies."""
    amplitude = 1 / (from_centre(v) ** 2 + 1)
    fields = [fourier_field(amplitude, left) for left in draws["phases"].astype(float)]
    return v + 6.4 * s * np.stack(fields, -1)


def checkerboard_cutout(v, draws, s):
    """Grey squares at random places of a turned chessboard."""
    y, x = pixels(v)
    angle, cell = float(draws["param_angle"]), float(draws["param_scales"][0])
    u = (np.cos(angle) * y + np.sin(angle) * x) / cell
    w = (-np.sin(angle) * y + np.cos(angle) * x) / cell
    side = int(896 // cell)
    hit = draws["grid"][:side, :side] < 0.1 * s
    grey = hit[np.trunc(u).astype(int) % side, np.trunc(w).astype(int) % side]
    grey &= np.trunc(u % 2) == np.trunc(w % 2)
    return np.where(grey[..., None], 128, v)


def cocentric_sine_waves(v, draws, s):
    """Add a saw-tooth of the distance from a centre, with a wavy front."""
    y, x = pixels(v)
    x0, y0 = draws["param_offset"].astype(float)
    angle = np.arctan2(x - x0, y - y0) * float(draws["param_freq"])
    width = float(draws["param_ring_width"])
    front = np.hypot(x - x0, y - y0) + float(draws["param_amplitude"]) * np.sin(angle)
    return v + (12.8 * s * (front % width / width - 0.5))[..., None]


def single_frequency_greyscale(v, draws, s):
    """Add one plane wave."""
    y, x = pixels(v)
    fx, fy = draws["param_freq"].astype(float)
    return (
        v
        + (19.6 * s * np.sin(fx * x + fy * y + float(draws["param_phase"])))[..., None]
    )


def plasma_noise(v, draws, s):
    """Blend with sines of places that sines have moved."""
    y, x = pixels(v)
    t, scale = float(draws["param_time"]), float(draws["param_scale"])
    y, x = y / scale, x / scale
    i0, i1, i2 = 1.0, 1.0, 1.0
    for _ in range(int(draws["param_iterations"])):
        r0, r1 = np.cos(y * i0 + t / i1) / i2, np.sin(x * i0 + t / i1) / i2
        r0, r1 = r0 - 0.3 * r1, r1 + 0.3 * r0
        x, y = x + r0, y + r1
        i0, i1, i2 = i0 * 1.93, i1 * 1.15, i2 * (2.25 - float(draws["param_sharpness"]))
    colours = [np.sin(x - t), np.sin((x + y + np.sin(t)) / 2), np.sin(y + t)]
    return (1 - 6.4 * s / 255) * v + 6.4 * s * np.stack(colours, -1)


def perlin(p, q, gradients, permutation):
    """Return gradient noise at the points (p, q)."""
    i, j = np.floor(p).astype(int), np.floor(q).astype(int)
    a, b = p - i, q - j

    def corner(down, right):
        inner = permutation[(i + down) % 256].astype(int)
        slope = gradients[permutation[(inner + j + right) % 256]]
        return slope[..., 0] * (a - down) + slope[..., 1] * (b - right)

    def between(first, second, t):
        return first + t * t * (3 - 2 * t) * (second - first)

    left, right = (between(corner(0, k), corner(1, k), a) for k in (0, 1))
    return 1.5 * between(left, right, b)


def perlin_noise(v, draws, s):
    """Blend with turbulence of five octaves."""
    y, x = pixels(v)
    tables = draws["gradients"].astype(float), draws["permutation"]
    octaves = [abs(perlin(f * y / 32, f * x / 32, *tables)) / f for f in 2 ** np.r_[:5]]
    cloud = np.clip(0.5 * sum(octaves) + 0.5, 0, 1)
    return (1 - 0.05 * s) * v + 255 * 0.05 * s * cloud[..., None]


def star(v, centre, rays, lengths, power):
    """Return how strongly a star with rays of these lengths covers each pixel."""
    y, x = pixels(v)
    y, x = y - centre[0], x - centre[1]
    turn = (np.arctan2(x, y) + np.pi) / (2 * np.pi) * rays
    i = turn.astype(int)
    f = turn - i
    here, following = lengths[i % rays], lengths[(i + 1) % rays]
    length = here + f * (following - here)
    glow = (length**2 / (x * x + y * y + 1e-4)) ** power
    return np.clip((1 - (f - 0.5) ** 2) * glow, 0, 1)[..., None]


def sparkles(v, draws, s):
    """Blend with white at five stars; the severity is in their rays."""
    del s
    for centre, rays, lengths in zip(
        draws["param_centers"].astype(float),
        draws["param_nrays"],
        draws["ray_lengths"].astype(float),
        strict=True,
    ):
        v = v + star(v, centre, rays, lengths, 1) * (255 - v)
    return v


def inverse_sparkles(v, draws, s):
    """White but for one star, in which the image is left."""
    weight = star(
        v,
        draws["param_center"].astype(float),
        draws["param_rays"],
        draws["ray_lengths"].astype(float),
        (100 - (100 - 6.5 * s)) / 50,
    )
    return 255 + weight * (v - 255)


def caustic_light(v, t, size):
    """Return the light that gathers below the water, in [0, 1], unsmoothed."""
    p = np.stack([z / size % 1 * 6.28318530718 - 250 for z in pixels(v)])
    i, c = p, 1.0
    for n in range(1, 6):
        tau = t * (1 - 3.5 / n)
        i = np.stack(
            [
                p[0] + np.cos(tau - i[0]) + np.sin(tau + i[1]),
                p[1] + np.sin(tau - i[1]) + np.cos(tau + i[0]),
            ]
        )
        c = c + 1 / np.hypot(
            p[0] * 0.005 / np.sin(i[0] + tau), p[1] * 0.005 / np.cos(i[1] + tau)
        )
    return np.clip(np.abs(1.17 - (c / 5) ** 1.4) ** 8, 0, 1)


def displacement(gy, gx, lens):
    """Return by how much refraction moves each pixel, rows and columns [2, h, w]."""
    n = np.stack([gy, gx, np.ones_like(gy)]) / np.sqrt(gy**2 + gx**2 + 1)
    sin_out = np.sqrt(1 - n[2] ** 2) / 4
    with np.errstate(invalid="ignore"):
        h = np.hypot(n[0], n[1])
        axis = np.stack([-n[1] / h, n[0] / h, np.zeros_like(h)])
    across = np.cross(n, axis, axis=0)
    moved = np.sqrt(1 - sin_out**2) * n[:2] + sin_out * across[:2]
    return np.round(np.where(n[2] >= 1 - 1e-3, 0.0, lens * moved), 3)


def caustic_refraction(v, draws, s):
    """See the image through rippled water, and lit by it."""
    light = caustic_light(v, float(draws["param_time"]), float(draws["param_size"]))
    light = ndimage.gaussian_filter(light, 1.0, mode="reflect", truncate=4.0)
    k = np.pad(light, 1)
    gy, gx = k[2:, 1:-1] - k[:-2, 1:-1], k[1:-1, 2:] - k[1:-1, :-2]
    y, x = pixels(v) + displacement(gy, gx, 11.2 * s)
    mode = "grid-constant"  # outside there are black pixels, between which it blends
    seen = [
        ndimage.map_coordinates(v[..., colour] / 255, [y, x], order=1, mode=mode)
        for colour in range(3)
    ]
    return 255 * np.clip(np.stack(seen, -1) + (0.2 * s * (gy - gx))[..., None], 0, 1)
