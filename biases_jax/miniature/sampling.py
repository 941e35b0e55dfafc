"""What is random in a scene? Its parameters, a function of the key alone."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.miniature import classes
from biases_jax.miniature.classes import KINDS
from biases_jax.miniature.scene import Clutter, Frame, Ground, Pair, Pose, Scene, Thing
from biases_jax.miniature.settings import Settings
from biases_jax.miniature.textures import TEXTURES
from biases_jax.miniature.uniforms import Uniforms
from biases_jax.types import Array, Float, Int, PRNGKey

NUMBERS = 192  # that a scene takes, at most
LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601, as Pillow's mode L
CLUTTER = 6  # small things: the last one lies before the object, the others behind
WAVES = 4  # of the ground's cloud
FLAT = len(TEXTURES)  # in place of a texture's number
LOWEST_GAP = 0.25  # in luminance, between a flat object and its ground
PERIOD = 0.25  # of textures, in halves of the frame
SECOND = 0.45  # the scale of a second thing
TURN = 2 * math.pi
# Two directions of colour without luminance, at right angles and of length 1.
_WARM = np.cross(LUMA, (0, 0, 1)) / np.linalg.norm(LUMA[:2])
_GREEN = np.cross(LUMA, _WARM) / np.linalg.norm(LUMA)
_HUES = np.stack([_WARM, _GREEN]).astype(np.float32)


def draw(
    key: PRNGKey, kind: Int[Array, ""], cue: Int[Array, ""], settings: Settings
) -> Scene:
    """Return a scene of an object, and perhaps a second one of another kind.

    Args:
        key: of this scene alone.
        kind: number of the class that the object has the silhouette of, 0 to 15.
        cue: number of the class whose texture it has, where the settings ask for its
            own one.
        settings: how scenes vary.
    """
    numbers, noise = jax.random.split(key)
    take = Uniforms(numbers, NUMBERS)
    ground = _ground(take, settings)
    thing = _thing(take, kind, cue, settings, ground)
    other = jnp.mod(kind + 1 + take.below(len(KINDS) - 1), len(KINDS))
    second = _thing(take, other, other, settings, ground)
    second = second._replace(pose=_beside(second.pose, thing.pose))
    has_second = take.chance(settings.second)
    close_up = take.chance(settings.close_up)
    clutter = _clutter(take, settings)
    thing, second = _exchanged(take.chance(settings.minor) & has_second, thing, second)
    return Scene(
        thing=thing,
        second=second,
        has_second=has_second,
        close_up=close_up,
        outline=jnp.asarray(settings.outline) > 0.5,
        ground=ground,
        clutter=clutter,
        noise=jnp.asarray(settings.noise),
        noise_key=noise,
    )


def luminance(colour: Float[Array, "*n 3"]) -> Float[Array, "*n"]:
    """Return the luma of RGB colours in [0, 1]."""
    return colour @ jnp.array(LUMA)


def _thing(take, kind, cue, settings, ground) -> Thing:
    foreign = take.below(len(TEXTURES))
    own = take.chance(settings.own_texture)
    flat = take.chance(settings.flat)
    texture = jnp.where(own, jnp.asarray(classes.TEXTURES)[cue], foreign)
    colours = _colours(take, settings.contrast_low, settings.contrast_high, settings)
    colours = jnp.where(flat, _apart(take, colours[0], ground), colours)
    frame = _frame(take, jnp.where(flat, FLAT, texture), settings)
    shape = jnp.asarray(classes.SHAPES)[kind]
    return Thing(shape, _pose(take, settings), frame, colours)


def _apart(take, colour, ground) -> Pair:
    """Return a colour twice, of a luminance that is none of the ground's."""
    below, above = jnp.sort(luminance(ground.colours))
    dark, light = below - LOWEST_GAP, above + LOWEST_GAP
    room = jnp.maximum(dark, 0), jnp.maximum(1 - light, 0)
    place = take.between(0.0, sum(room))
    wanted = jnp.where(place < room[0], place, light + place - room[0])
    # The ground may leave no room at all; then the nearer end.
    colour = colour + jnp.clip(wanted, 0, 1) - luminance(colour)
    return jnp.stack([colour, colour])


def _pose(take, settings) -> Pose:
    rotation = _rotation(take.around(settings.rotation))
    low, high = jnp.log(settings.smallest), jnp.log(settings.largest)
    scale = jnp.exp(take.between(low, high))
    stretch = jnp.exp(take.around(settings.aspect) / 2)
    shear = take.around(settings.shear)
    mirror = jnp.where(take.chance(0.5), 1.0, -1.0)
    zero = jnp.zeros_like(shear)
    shape = jnp.array([[mirror * stretch, shear], [zero, 1 / stretch]])
    return Pose(
        shift=take.around(settings.shift, 2),
        inverse=jnp.linalg.inv(scale * rotation @ shape),
        scale=scale,
        thickness=take.around(settings.thickness),
    )


def _beside(pose, first) -> Pose:
    """Return the pose of a second thing: small, in the corner that is left free."""
    corner = jnp.where(first.shift > 0, -0.68, 0.68)
    return pose._replace(
        shift=corner + 0.2 * pose.shift,
        inverse=pose.inverse * pose.scale / SECOND,
        scale=jnp.full_like(pose.scale, SECOND),
    )


def _exchanged(exchange, thing, second) -> tuple[Thing, Thing]:
    """Return two things, each in the other's pose if `exchange`."""

    def chosen(other: Pose, own: Pose) -> Pose:
        return jax.tree.map(functools.partial(jnp.where, exchange), other, own)

    poses = chosen(second.pose, thing.pose), chosen(thing.pose, second.pose)
    return thing._replace(pose=poses[0]), second._replace(pose=poses[1])


def _frame(take, kind, settings) -> Frame:
    return Frame(
        kind=kind,
        angle=take.around(settings.angle),
        period=PERIOD * jnp.exp(take.around(settings.period)),
        offset=take.between(0.0, 40.0, 2),
        phases=take.between(0.0, TURN, 6),
    )


def _ground(take, settings) -> Ground:
    plain = take.chance(settings.plain)
    textured = take.chance(settings.ground_texture)
    kind = take.below(len(TEXTURES))
    colours = _colours(take, 0.0, settings.ground_contrast, settings)
    cycles = jnp.exp(take.between(math.log(0.25), math.log(1.0), WAVES))
    angle = take.between(0.0, TURN, WAVES)
    weight = settings.ground_weight * take.between(0.4, 1.0)
    return Ground(
        colours=jnp.where(plain, colours[:1], colours),
        frequencies=cycles[:, None] * jnp.stack([jnp.cos(angle), jnp.sin(angle)], 1),
        phases=take.between(0.0, TURN, WAVES),
        frame=_frame(take, jnp.where(textured, kind, FLAT), settings),
        weight=jnp.where(textured, weight, 0),
    )


def _clutter(take, settings) -> Clutter:
    chances = jnp.full(CLUTTER, settings.clutter).at[-1].set(settings.occluder)
    opacity = take.between(0.3, 0.9, CLUTTER).at[-1].set(1.0)
    smallest, largest = jnp.array([0.08, 0.03]), jnp.array([0.45, 0.35])
    half = take.between(smallest, largest, CLUTTER, 2)
    return Clutter(
        place=take.around(1.1, CLUTTER, 2).at[-1].mul(0.6),
        half=half.at[-1].mul(0.6),
        angle=take.between(0.0, TURN, CLUTTER),
        colour=take.between(0.0, 1.0, CLUTTER, 3),
        opacity=jnp.where(take.chance(chances, CLUTTER), opacity, 0),
        round=take.chance(0.5, CLUTTER),
    )


def _colours(take, low, high, settings) -> Pair:
    """Return two colours, the gap of their luminances between `low` and `high`."""
    gap = take.between(low, high)
    darker = take.between(0.0, 1 - gap)
    levels = jnp.stack([darker, darker + gap])
    levels = jnp.where(take.chance(0.5), levels, levels[::-1])
    hue = take.between(0.0, TURN, 2)[:, None]
    length = take.between(0.0, settings.chroma, 2)[:, None]
    return levels[:, None] + length * jnp.hstack([jnp.cos(hue), jnp.sin(hue)]) @ _HUES


def _rotation(angle) -> Float[Array, "2 2"]:
    cosine, sine = jnp.cos(angle), jnp.sin(angle)
    return jnp.array([[cosine, -sine], [sine, cosine]])
