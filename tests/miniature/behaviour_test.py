"""Do the small networks behave as the field expects of their recipes?

On 192 fresh scenes, 12 of each class: an accuracy has a standard error of 1.5 points
at 95 % and of 3.6 at 50 %, so differences of 15 points are four of them or more.
"""

import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import labels
from biases_jax.attacks.pgd import FGSM
from biases_jax.benchmarks import spectral
from biases_jax.cue_conflict_scores import CueConflict
from biases_jax.miniature import classes, export, study, world
from biases_jax.miniature.settings import ADVERSARIAL, TEST
from biases_jax.models import checkpoints, resnet, zoo
from convert import mapping, safetensors_file

COUNT = 192
SEED = 104  # of no set that is trained on or measured
KEY = jax.random.key(0)
APPLY = resnet.apply_function(8, 1000, 4)
PLACES = np.array(classes.INDICES, np.int32)


@functools.cache
def variables(name):
    state, _ = safetensors_file.read(
        pathlib.Path(export.WEIGHTS) / f"{name}.safetensors"
    )
    return checkpoints.fold(mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD))


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
def clean(name):
    return accuracy(name, *scenes())


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
    noise = 0.2 * jax.random.normal(jax.random.key(1), images.shape)
    return accuracy(name, jnp.clip(images + noise, 0, 1), truth)


@functools.cache
def low_passed(name, cutoff):
    images, truth = scenes()
    filtered = jax.jit(jax.vmap(lambda x: spectral.LowPass(cutoff)(KEY, x)))(images)
    return accuracy(name, filtered, truth)


@functools.cache
def cue_counts(name):
    """Return the decisions for the shape, and for the texture, of all pairs."""
    pairs = [(s, t) for s in range(16) for t in range(16) if s != t]
    kinds, cues = np.array(pairs).T
    images = world.draw(SEED, np.arange(len(pairs)), TEST, kinds=kinds, cues=cues)
    logits = answers(variables(name), jnp.asarray(images.images, jnp.float32) / 255)
    score = jax.vmap(CueConflict(readout="sum"))
    sums, _ = score(logits, jnp.asarray(pairs, jnp.int32))
    return int(sums["shape"].sum()), int(sums["texture"].sum())


def shape_bias(name):
    shape, texture = cue_counts(name)
    return shape / (shape + texture)


@pytest.mark.parametrize("name", study.NETWORKS)
def test_every_network_has_learnt(name):
    assert clean(name) > 0.5  # chance is 1/16


def test_baseline_is_accurate():
    assert clean("baseline") > 0.9


def test_hard_poses_are_hard():
    images, truth = scenes(ADVERSARIAL)
    assert accuracy("baseline", images, truth) < clean("baseline") - 0.3


def test_stylised_networks_follow_shape_and_the_baseline_does_not():
    assert shape_bias("stylised") > 0.9
    assert shape_bias("baseline") < 0.5


def test_a_sign_step_hurts_networks_that_never_saw_one():
    robust = attacked("adversarial_linf")
    assert robust > attacked("baseline") + 0.15
    assert attacked("baseline") < clean("baseline") - 0.15


def test_noise_hurts_networks_that_never_saw_any():
    assert noisy("noise") > noisy("baseline") + 0.15


def test_blurred_images_are_read_by_the_network_that_saw_some():
    assert low_passed("low_pass", 0.1) > low_passed("baseline", 0.1) + 0.15


@pytest.mark.parametrize("name", study.FEW)
def test_accuracy_grows_with_the_frequencies_kept(name):
    found = [low_passed(name, cutoff) for cutoff in (0.01, 0.1, 0.3, 0.6)]
    # Steps of 192 images: as much as two standard errors may be chance.
    assert all(b > a - 0.05 for a, b in zip(found, found[1:], strict=False)), found
    assert found[-1] > found[0] + 0.3


def test_frozen_filters_suffice():
    assert clean("frozen") > clean("baseline") - 0.1


def test_answers_are_the_kinds_only():
    images, _ = scenes()
    logits = answers(variables("baseline"), images)
    assert set(np.asarray(logits.argmax(1)).tolist()) <= set(classes.INDICES)
    assert len(labels.WNIDS) == logits.shape[1]
