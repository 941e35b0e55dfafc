"""How do images look that weather, cameras or files have spoilt?

Given the reference's random draws, most bytes are the reference's, and others are one
level of 255 away: where float32 and float64 fall on two sides of a whole level. Shares
of such values, the largest of any severity on 15 images (photographs, also smooth ones,
bars, noise, images of few colours), measured against imagecorruptions 1.1.2 and, for
ImageNet-C-bar, against a float64 statement of its formulas:

    none                shot_noise, impulse_noise, pixelate, jpeg_compression, frost,
                        blue_noise_sample, checkerboard_cutout; contrast of photographs
    under 1 in 10,000   gaussian_noise, speckle_noise, snow, fog, defocus_blur,
                        gaussian_blur, motion_blur, elastic_transform, brownish_noise,
                        sparkles
    under 1 in 1,000    zoom_blur (1.4e-4), inverse_sparkles, caustic_refraction,
                        cocentric_sine_waves, single_frequency_greyscale; of the
                        caustics and waves, isolated pixels are more levels away
    under 2 in 1,000    glass_blur, spatter, plasma_noise
    under 2 in 100      brightness, saturate (8 in 100 at severity 3), perlin_noise at
                        severity 3 where the image is white; of images of one colour,
                        contrast may change all
"""

from biases_jax.corruptions.registry import get

__all__ = ["get"]
