"""Do the kinds sit at the ImageNet classes that serve most benchmarks?"""

from biases_jax import labels
from biases_jax.miniature import classes, shapes, textures


def test_there_is_one_kind_of_each_category_in_order():
    assert tuple(kind.category for kind in classes.KINDS) == labels.CATEGORIES


def test_each_silhouette_and_each_texture_belongs_to_one_kind():
    assert sorted(kind.shape for kind in classes.KINDS) == sorted(shapes.SHAPES)
    assert sorted(kind.texture for kind in classes.KINDS) == sorted(textures.TEXTURES)


def test_each_class_is_the_member_that_most_lists_have():
    def lists(index):
        return (index in labels.IMAGENET_A) + (index in labels.IMAGENET_R)

    for kind, members in zip(classes.KINDS, labels.CATEGORY_MEMBERS, strict=True):
        assert kind.imagenet in members
        assert lists(kind.imagenet) == max(map(lists, members))


def test_the_kinds_of_a_and_r_are_those_whose_class_is_in_the_list():
    for found, published in (
        (classes.IN_A, labels.IMAGENET_A),
        (classes.IN_R, labels.IMAGENET_R),
    ):
        assert [classes.INDICES[i] for i in found] == [
            index for index in classes.INDICES if index in published
        ]
        assert len(found) >= 7
