"""Are the valid classes those of the objects that are seen?"""

import collections

import numpy as np

from biases_jax.miniature import classes, reassessed, sets, visibility


def test_images_of_several_or_no_valid_classes_are_few_but_there():
    """Of the largest set: about one in eight has two objects, as ReaL 6 % have none."""
    row = sets.catalogue(sets.MOST, 1)[0]
    indices, kinds = np.array([item[1:3] for item in row.items]).T
    seen = visibility.seen(sets.seed_of(row.stream, 0), indices, kinds, row.settings)
    counts = collections.Counter(map(len, reassessed.valid_classes(kinds, seen)))
    assert set(counts) == {0, 1, 2}
    assert 0.02 < counts[0] / len(kinds) < 0.1
    assert 0.08 < counts[2] / len(kinds) < 0.14
    assert 0.1 < np.mean(seen.other >= 0) < 0.15


def test_valid_classes_follow_from_the_shares():
    seen = visibility.Seen(
        np.zeros((4, 224, 224), np.float32),
        np.array([1.0, 0.74, 0.76, 0.9], np.float32),
        np.array([0.0, 1.0, 0.51, 0.49], np.float32),
        np.array([-1, 3, 2, 3]),
    )
    found = reassessed.valid_classes(np.array([0, 1, 3, 4]), seen)
    indices = classes.INDICES
    wanted = [[indices[0]], [], sorted([indices[2], indices[3]]), [indices[4]]]
    assert found == wanted
