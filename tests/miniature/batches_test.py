"""Does training see every image once an epoch, in an order of its own?"""

import numpy as np

from biases_jax.miniature import batches
from biases_jax.miniature.recipes import Recipe


def numbered(count, first=0):
    values = np.arange(first, first + count, dtype=np.uint8)
    return np.broadcast_to(values[:, None, None, None], (count, 2, 2, 3))


def seen(recipe, sets, first, steps):
    return [
        (part.images[:, 0, 0, 0].tolist(), part.classes.tolist())
        for part in batches.batches(recipe, sets, first, steps)
    ]


def test_every_image_once_an_epoch():
    found = seen(Recipe("a"), {"natural": numbered(128)}, 0, 4)
    epochs = [sorted(found[i][0] + found[i + 1][0]) for i in (0, 2)]
    assert epochs == [list(range(128))] * 2
    assert found[0][0] != found[2][0]


def test_classes_belong_to_their_images():
    for images, classes in seen(Recipe("a"), {"natural": numbered(128)}, 0, 2):
        assert [image % 16 for image in images] == classes


def test_sets_have_equal_parts():
    sets = {"natural": numbered(64), "stylised": numbered(64, 128)}
    for images, classes in seen(Recipe("a", sets=("natural", "stylised")), sets, 0, 3):
        assert sum(image >= 128 for image in images) == batches.BATCH // 2
        assert [image % 16 for image in images] == classes


def test_a_later_start_sees_the_same_batches():
    sets = {"natural": numbered(128)}
    assert seen(Recipe("a"), sets, 3, 6) == seen(Recipe("a"), sets, 0, 6)[3:]
    assert seen(Recipe("b"), sets, 0, 2) != seen(Recipe("a"), sets, 0, 2)
