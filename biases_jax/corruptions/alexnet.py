"""How often does AlexNet err on each corruption? The unit of the corruption error.

Top-1 errors, means over the five severities, of Hendrycks & Dietterich 2019 and their
repository; `CLEAN` is that of torchvision's AlexNet, to which relative errors refer.
"""

CLEAN = 0.435
ERRORS = {
    "gaussian_noise": 0.886428,
    "shot_noise": 0.894468,
    "impulse_noise": 0.922640,
    "defocus_blur": 0.819880,
    "glass_blur": 0.826268,
    "motion_blur": 0.785948,
    "zoom_blur": 0.798360,
    "snow": 0.866816,
    "frost": 0.826572,
    "fog": 0.819324,
    "brightness": 0.564592,
    "contrast": 0.853204,
    "elastic_transform": 0.646056,
    "pixelate": 0.717840,
    "jpeg_compression": 0.606500,
    "gaussian_blur": 0.787108,
    "saturate": 0.658248,
    "spatter": 0.717512,
    "speckle_noise": 0.845388,
}
