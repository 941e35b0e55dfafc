"""How do the world's scenes vary? Each set of images and each recipe has its own."""

from typing import NamedTuple


class Settings(NamedTuple):
    """The spread of a scene's random parameters; all plain numbers.

    Lengths are in halves of the frame, angles in radians, luminances and colours in
    [0, 1]. A spread s means uniform in [-s, s], a chance a share of the scenes.

    Attributes:
        shift: spread of the object's place.
        rotation: spread of its orientation.
        smallest: its scale is log-uniform between this and `largest`.
        largest: see `smallest`.
        aspect: spread of the logarithm of its aspect.
        shear: spread of its shear.
        thickness: spread of what is added to it all round.
        angle: spread of the texture's orientation.
        period: spread of the logarithm of the texture's period.
        contrast_low: the two colours of a texture differ in luminance by a uniform
            number between this and `contrast_high`.
        contrast_high: see `contrast_low`.
        chroma: largest length of a colour's part without luminance.
        own_texture: chance that the texture is the class's own; else any.
        flat: chance that the object has one colour instead of a texture.
        close_up: chance that the object fills the frame.
        clutter: chance of each of the small things behind the object.
        occluder: chance of a small thing before it.
        second: chance of a second, small object of another class.
        minor: chance that, of two objects, the small one gives the image its class.
        ground_contrast: the ground's two colours differ by up to this.
        ground_texture: chance that the ground has a texture, of any class.
        ground_weight: how much of the ground such a texture is, at most.
        plain: chance of a ground of one colour.
        noise: standard deviation of the sensor's noise.
        outline: 1 draws the object as a dark line on a light, plain ground.
    """

    shift: float = 0.25
    rotation: float = 0.8
    smallest: float = 0.75
    largest: float = 1.3
    aspect: float = 0.18
    shear: float = 0.15
    thickness: float = 0.03
    angle: float = 0.7
    period: float = 0.19
    contrast_low: float = 0.4
    contrast_high: float = 0.8
    chroma: float = 0.3
    own_texture: float = 1.0
    flat: float = 0.0
    close_up: float = 0.0
    clutter: float = 0.8
    occluder: float = 0.15
    second: float = 0.0
    minor: float = 0.0
    ground_contrast: float = 0.35
    ground_texture: float = 0.15
    ground_weight: float = 0.4
    plain: float = 0.1
    noise: float = 0.02
    outline: float = 0.0


TEST = Settings()
# What networks are trained on: some objects are flat, so that silhouettes can be seen,
# and some fill the frame, so that textures alone can be.
TRAINING = Settings(flat=0.1, close_up=0.06)
STYLISED = Settings(
    own_texture=0.0,
    flat=0.15,
    ground_texture=0.33,
    ground_weight=1.0,
    ground_contrast=0.5,
    plain=0.25,
)
# What is measured, beside TEST itself.
# As on ImageNet's photographs, a second object may be what they were collected for.
NATURAL = TEST._replace(second=1 / 8, minor=1 / 4)
# As its authors found of ImageNetV2: a new draw by the same rules came out harder, and
# only the images that most people chose at once are as easy as the first ones.
HARDER = NATURAL._replace(
    **{"occluder": 0.4, "rotation": 1.0, "smallest": 0.6, "contrast_low": 0.25}
)
EASIER = NATURAL._replace(
    **{"occluder": 0.05, "clutter": 0.6, "contrast_low": 0.45, "smallest": 0.8}
)
# Small, turned and sheared further, of low contrast, behind and among other things.
ADVERSARIAL = TEST._replace(
    **{"shift": 0.4, "rotation": 1.6, "smallest": 0.5, "largest": 0.8},
    **{"aspect": 0.3, "shear": 0.35, "contrast_low": 0.15, "contrast_high": 0.35},
    **{"clutter": 1.0, "occluder": 0.7, "ground_texture": 0.4, "ground_weight": 0.7},
)
# Flat or strongly coloured objects on paper of one colour, without a camera's noise.
RENDITION = TEST._replace(
    **{"flat": 0.6, "plain": 1.0, "ground_texture": 0.0, "chroma": 0.45},
    **{"clutter": 0.2, "occluder": 0.0, "noise": 0.0},
)
OUTLINE = TEST._replace(outline=1.0, noise=0.01)
FOREIGN_TEXTURE = STYLISED._replace(
    flat=0.0, second=NATURAL.second, minor=NATURAL.minor
)
ALONE = TEST._replace(plain=1.0, ground_texture=0.0, clutter=0.0, occluder=0.0)
