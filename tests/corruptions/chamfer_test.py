"""Are distances those of the nearest edge, of all within reach?"""

import jax
import numpy as np
import pytest
from corruptions import reference_spatter

from biases_jax.corruptions import chamfer


@pytest.mark.parametrize(("height", "width"), [(64, 64), (47, 70)])
@pytest.mark.parametrize("share", [0.0, 0.0008, 0.004, 0.05])
def test_distances_are_the_shortest_of_all_displacements(height, width, share):
    edges = np.random.RandomState(4).random_sample((height, width)) < share
    found = np.asarray(jax.jit(chamfer.distances)(edges))
    assert found.dtype == np.int32 and found.max() <= 20 * chamfer.SCALE
    expected = chamfer.SCALE * reference_spatter.distances(edges)
    np.testing.assert_array_equal(found, np.rint(expected))


def test_edges_at_the_end_of_a_row_are_not_near_the_next():
    edges = np.zeros((32, 40), bool)
    edges[:, -1] = True
    found = np.asarray(chamfer.distances(jax.numpy.asarray(edges)))
    expected = np.arange(39, -1, -1).clip(max=20) * chamfer.SCALE
    np.testing.assert_array_equal(found, np.tile(expected, (32, 1)))
