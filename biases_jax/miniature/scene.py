"""What is a scene? All the numbers that its picture is drawn from."""

from typing import NamedTuple

from biases_jax.types import Array, Bool, Float, Int, PRNGKey

Number = Float[Array, ""]
Place = Float[Array, "2"]
Pair = Float[Array, "2 3"]  # two RGB colours


class Pose(NamedTuple):
    """Where an object is: `inverse` takes the image plane's offsets to its own."""

    shift: Place
    inverse: Float[Array, "2 2"]
    scale: Number
    thickness: Number


class Frame(NamedTuple):
    """Where a texture's coordinates lie in the image plane; `kind` is its number."""

    kind: Int[Array, ""]
    angle: Number
    period: Number
    offset: Place
    phases: Float[Array, "6"]


class Thing(NamedTuple):
    """An object: silhouette `kind`, pose, texture and the two colours it mixes."""

    kind: Int[Array, ""]
    pose: Pose
    frame: Frame
    colours: Pair


class Clutter(NamedTuple):
    """Rectangles and ellipses, the last before the object."""

    place: Float[Array, "n 2"]
    half: Float[Array, "n 2"]
    angle: Float[Array, " n"]
    colour: Float[Array, "n 3"]
    opacity: Float[Array, " n"]
    round: Bool[Array, " n"]


class Ground(NamedTuple):
    """Two colours, mixed by a smooth cloud or by a texture of some weight."""

    colours: Pair
    frequencies: Float[Array, "4 2"]  # cycles per half frame, of the cloud's waves
    phases: Float[Array, "4"]
    frame: Frame
    weight: Number


class Scene(NamedTuple):
    """All that an image is drawn from."""

    thing: Thing
    second: Thing  # drawn where `has_second`
    has_second: Bool[Array, ""]
    close_up: Bool[Array, ""]
    outline: Bool[Array, ""]
    ground: Ground
    clutter: Clutter
    noise: Number
    noise_key: PRNGKey
