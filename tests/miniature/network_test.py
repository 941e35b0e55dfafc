"""Is the network that is trained the one that is measured?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.miniature import export, network, training
from biases_jax.models import checkpoints, folding, resnet, zoo
from convert import mapping


@pytest.fixture(scope="module")
def variables():
    """A small network with statistics that are not those of its start."""
    net = training.small_network()
    images = jnp.asarray(np.random.default_rng(0).random((4, 64, 64, 3), np.float32))
    found = net.init(jax.random.key(0), images)
    for _ in range(2):
        _, changed = net.apply(found, images, mutable="batch_stats")
        found = {"params": found["params"], **changed}
    return found


def test_trained_network_is_the_measured_one(variables):
    images = jnp.asarray(np.random.default_rng(1).random((3, 96, 96, 3), np.float32))
    net = training.small_network()
    expected, _ = jax.jit(lambda x: net.apply(variables, x, train=False))(images)
    normalize = {
        "mean": np.array(zoo.IMAGENET_MEAN, np.float32),
        "std": np.array(zoo.IMAGENET_STD, np.float32),
    }
    folded = folding.fold({**variables, "normalize": normalize})
    answers = resnet.apply_function(8, 16, stem_stride=4)(folded, images)
    # Float32 over 53 layers, folded and not: other roundings of the same numbers.
    np.testing.assert_allclose(answers, expected, atol=1e-4 * np.ptp(expected))


def test_all_leaves_of_a_checkpoint_are_there(variables):
    state = export.state_dict(variables)
    assert state.keys() == mapping.leaves(8, 1000).keys()
    tree = mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    kernel = tree["params"]["layer2_0"]["conv2"]["kernel"]
    trained = variables["params"]["layer2_0"]["conv2"]["kernel"]
    np.testing.assert_array_equal(kernel, np.asarray(trained).astype(np.float16))
    assert checkpoints.fold(tree)["params"]["fc"]["bias"].shape == (1000,)


def test_statistics_of_the_batch_train_and_running_ones_answer(variables):
    net = network.Trained((0.5,) * 3, (0.5,) * 3)
    images = jnp.asarray(np.random.default_rng(2).random((8, 64, 64, 3), np.float32))
    running, _ = net.apply(variables, images, train=False)
    alone, _ = net.apply(variables, images[:1], train=False)
    np.testing.assert_allclose(alone[0], running[0], rtol=1e-3, atol=1e-5)
    (batch, _), _ = net.apply(variables, images, mutable="batch_stats")
    assert np.abs(batch - running).max() > 1e-2
