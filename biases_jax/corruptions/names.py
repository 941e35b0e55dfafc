"""Which corruptions have ImageNet-C and ImageNet-C-bar, and how are they grouped?"""

IMAGENET_C = {  # by group, which is the archive that holds them, too
    "noise": ("gaussian_noise", "shot_noise", "impulse_noise"),
    "blur": ("defocus_blur", "glass_blur", "motion_blur", "zoom_blur"),
    "weather": ("snow", "frost", "fog", "brightness"),
    "digital": ("contrast", "elastic_transform", "pixelate", "jpeg_compression"),
    "extra": ("gaussian_blur", "saturate", "spatter", "speckle_noise"),
}
IMAGENET_CBAR = (
    "blue_noise_sample",
    "brownish_noise",
    "caustic_refraction",
    "checkerboard_cutout",
    "cocentric_sine_waves",  # as published
    "inverse_sparkles",
    "perlin_noise",
    "plasma_noise",
    "single_frequency_greyscale",
    "sparkles",
)
NINETEEN = tuple(name for group in IMAGENET_C.values() for name in group)
FIFTEEN = tuple(name for name in NINETEEN if name not in IMAGENET_C["extra"])
SEVERITIES = (1, 2, 3, 4, 5)
