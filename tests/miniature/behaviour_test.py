"""Do the small networks behave as the field expects of their recipes?

On 192 fresh scenes, 12 of each class: an accuracy has a standard error of 1.5 points
at 95 % and of 3.6 at 50 %. Networks are compared on the same images, which halves the
error of their differences. Measured values stand beside the margins; a margin is about
half of what was measured, so that a network of another training may replace one.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shipped_networks

from biases_jax import labels
from biases_jax.attacks.pgd import FGSM
from biases_jax.benchmarks import spectral
from biases_jax.cue_conflict_scores import CueConflict
from biases_jax.masking.stimulus import BandNoise, WhiteNoise
from biases_jax.miniature import classes, export, study, world
from biases_jax.miniature.settings import ADVERSARIAL, HARDER, NATURAL, TEST
from biases_jax.models import resnet

COUNT = 192
SEED = 104  # of no set that is trained on or measured
CHANCE = 1 / 16
KEY = jax.random.key(0)
APPLY = resnet.apply_function(8, 1000, 4)
PLACES = np.array(classes.INDICES, np.int32)
STYLISED = ("stylised", "stylised_natural")
ROBUST = ("adversarial_linf", "adversarial_l2")
BAND = 3  # 7 to 14 cycles per image


def each(*always):
    """Return the mark for a test of all networks, some of them also in a short run."""
    rest = [
        pytest.param(name, marks=pytest.mark.slow)
        for name in study.NETWORKS
        if name not in always
    ]
    return pytest.mark.parametrize("name", [*always, *rest])


@functools.cache
def variables(name):
    return export.folded(shipped_networks.read(name)[0])


@functools.cache
def scenes(settings=TEST):
    drawn = world.draw(SEED, np.arange(COUNT), settings)
    return jnp.asarray(drawn.images, jnp.float32) / 255, PLACES[drawn.kinds]


@jax.jit
def answers(weights, images):
    return APPLY(weights, images)


def accuracy(name, images, truth):
    return float((answers(variables(name), images).argmax(1) == truth).mean())


@functools.cache
def seen(name, settings=TEST):
    return accuracy(name, *scenes(settings))


@jax.jit
def stepped(weights, images, truth):
    attack = FGSM(epsilon=2 / 255)
    logits = functools.partial(APPLY, weights)
    return attack(KEY, images, truth[:, None], logits)


@functools.cache
def attacked(name):
    images, truth = scenes()
    found = stepped(variables(name), images, jnp.asarray(truth))
    return accuracy(name, found, truth)


@functools.cache
def noisy(name):
    images, truth = scenes()
    noise = 0.3 * jax.random.normal(jax.random.key(1), images.shape)
    return accuracy(name, jnp.clip(images + noise, 0, 1), truth)


@functools.cache
def filtered(name, transform):
    images, truth = scenes()
    found = jax.jit(jax.vmap(lambda image: transform(KEY, image)))(images)
    return accuracy(name, found, truth)


@functools.cache
def grey_noise(sd):
    """Return the stimuli of one band, [n, 224, 224, 1]: their channels are equal."""
    return behind(scenes()[0], jnp.float32(sd))


@jax.jit
def behind(images, sd):
    transform = BandNoise(BAND, 0.0)
    fixed = transform.parameters(images.shape[1:])

    def one(argument):
        image, number = argument
        key = jax.random.fold_in(KEY, number)
        prepared = WhiteNoise()(key, image)
        return transform.apply(prepared, key, fixed | {"sd": sd})[..., :1]

    return jax.lax.map(one, (images, jnp.arange(COUNT)))


def masked(name, sd):
    images, truth = scenes()
    return accuracy(name, jnp.broadcast_to(grey_noise(sd), images.shape), truth)


@functools.cache
def shape_bias(name):
    """Return the shape bias over one image of each pair of two classes."""
    images, pairs = conflicts()
    score = jax.vmap(CueConflict(readout="sum"))
    sums, _ = score(answers(variables(name), images), pairs)
    shape, texture = int(sums["shape"].sum()), int(sums["texture"].sum())
    return shape / (shape + texture)


@functools.cache
def conflicts():
    pairs = [(s, t) for s in range(16) for t in range(16) if s != t]
    kinds, cues = np.array(pairs).T
    drawn = world.draw(SEED, np.arange(len(pairs)), TEST, kinds=kinds, cues=cues)
    return jnp.asarray(drawn.images, jnp.float32) / 255, jnp.asarray(pairs, jnp.int32)


# All ten, in the order of `study.NETWORKS`: 0.97, 0.99, 0.97, 0.97, 0.95, 0.86, 0.97,
# 0.98, 0.95, 0.56.
@each("baseline", "contrastive")
def test_every_network_has_learnt(name):
    assert seen(name) > {"contrastive": 0.4, "low_pass": 0.8}.get(name, 0.9)


# The loss: 0.03 of long, 0.18 of contrastive, 0.06 to 0.12 of the others.
@each("baseline", "stylised")
def test_a_fresh_draw_by_harder_rules_costs_some_points(name):
    loss = seen(name, NATURAL) - seen(name, HARDER)
    assert (0.01 if name == "long" else 0.03) < loss < 0.25


# The loss: 0.42 of contrastive, 0.54 of long and low_pass, to 0.72 of stylised.
@each("baseline", "stylised")
def test_hard_poses_are_hard(name):
    assert seen(name, ADVERSARIAL) < seen(name, NATURAL) - 0.3


# 0.69 against 0.17.
def test_blurred_images_are_read_by_the_network_that_saw_some():
    few = spectral.LowPass(0.1)
    assert filtered("low_pass", few) > filtered("baseline", few) + 0.25


# From 0.04 to 0.07 with the lowest hundredth to 0.57 of contrastive, 0.86 of
# low_pass, 0.91 and more of the others. The largest step back of any is 0.02.
@each("baseline", "low_pass")
def test_accuracy_grows_with_the_frequencies_kept(name):
    found = [
        filtered(name, spectral.LowPass(cutoff)) for cutoff in (0.01, 0.1, 0.3, 0.6)
    ]
    assert all(b > a - 0.04 for a, b in zip(found, found[1:], strict=False)), found
    assert found[0] < CHANCE + 0.07 and found[-1] > found[0] + 0.4


# At most 0.14 without the lowest seven tenths, 0.19 of stylised where the mean is kept;
# chance is 0.06: no recipe shows outlines alone. Without the lowest tenth 0.19 to 0.86,
# of contrastive 0.15.
@each("baseline", "stylised")
def test_high_frequencies_alone_are_near_chance(name):
    for transform in (spectral.HighPass(0.3), spectral.HighPassClean(0.3)):
        assert filtered(name, transform) < CHANCE + 0.2
    if name != "contrastive":
        assert filtered(name, spectral.HighPass(0.9)) > CHANCE + 0.1


def test_answers_are_the_kinds_only():
    images, _ = scenes()
    logits = answers(variables("baseline"), images)
    assert set(np.asarray(logits.argmax(1)).tolist()) <= set(classes.INDICES)
    assert len(labels.WNIDS) == logits.shape[1]


# 0.93, 0.86 of stylised, 0.76 of stylised_natural, 0.51 and less of the others.
@each("baseline", "low_pass", "adversarial_linf")
def test_the_network_that_saw_noise_is_the_best_behind_it(name):
    assert noisy("noise") > 0.9
    if name != "noise":
        margin = 0.01 if name == "stylised" else 0.07
        assert noisy("noise") > noisy(name) + margin


def test_frozen_filters_suffice():
    assert seen("frozen") > seen("baseline") - 0.1  # 0.95 and 0.97


# Without noise 0.85 to 0.98; then 0.90, 0.47, 0.07, 0.06 of the baseline. Those that
# saw attacks read fewer images of so low a contrast, 0.35 of linf and 0.74 of l2, and
# some more behind weak noise, 0.43 and 0.78. Contrastive, the weakest, is near chance.
@each("baseline", "low_pass", "adversarial_linf")
def test_stronger_noise_of_one_octave_hides_grey_images_of_low_contrast(name):
    found = [masked(name, sd) for sd in (0.0, 0.02, 0.04, 0.08, 0.16)]
    assert found[-1] < CHANCE + 0.08
    if name == "contrastive":
        assert max(found) < CHANCE + 0.15
    elif name in ROBUST:
        assert max(found[:3]) > found[-1] + 0.15
    else:
        assert found[0] > 0.8
        falls = zip(found, found[1:], strict=False)
        assert all(b < max(a - 0.02, CHANCE + 0.08) for a, b in falls), found


# 0.92 and 0.89; 0.71 of stylised_natural, 0.58 of stylised, 0.48 of noise and less of
# the others: 0.11 of the baseline.
@each("baseline", "adversarial_l2")
def test_networks_that_saw_attacks_bear_a_sign_step_best(name):
    assert attacked("adversarial_linf") > 0.85
    if name in ROBUST:
        assert abs(attacked(name) - attacked("adversarial_linf")) < 0.1
    else:
        assert attacked(name) < min(attacked(robust) for robust in ROBUST) - 0.05


# It loses 0.86 of 0.97, the robust ones 0.05 and 0.10.
def test_a_sign_step_hurts_the_baseline_much_more():
    lost = {name: seen(name) - attacked(name) for name in ("baseline", *ROBUST)}
    assert all(lost["baseline"] > 4 * lost[name] for name in ROBUST), lost


# 1.00 and 0.99; 0.56 of adversarial_linf, 0.54 of adversarial_l2, which follow shape
# more than the baseline as published ones do; 0.30 of low_pass, which saw few textures,
# and 0.07 to 0.14 of the others.
@each("baseline", "stylised_natural", "adversarial_linf")
def test_networks_that_saw_random_textures_follow_shape_most(name):
    if name in STYLISED:
        assert shape_bias(name) > 0.9
    elif name in ROBUST:
        assert shape_bias("baseline") + 0.15 < shape_bias(name) < 0.7
    else:
        assert shape_bias(name) < 0.4
