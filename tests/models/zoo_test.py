"""Are the rows of models complete, consistent and found by name?"""

import re

import pytest

from biases_jax.models import zoo

STRIKES_BACK = "a1 a1h a2 a3 b1k b2k c1 c2 d".split()
CATEGORIES = {
    "baseline",
    "training_recipes",
    "augmentation",
    "stylized",
    "freezing",
    "adversarial_training",
    "contrastive",
}
ROWS = list(zoo.MODELS.values())


def test_the_plain_layouts_are_all_there():
    plain = {f"resnet50.{recipe}_in1k" for recipe in STRIKES_BACK}
    assert plain | {"tv_resnet50", "tv2_resnet50"} <= zoo.MODELS.keys()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_complete(row):
    assert zoo.MODELS[row.name] is row
    assert row.category in CATEGORIES
    assert row.paper and row.licence
    assert 50 < row.top1 < 85
    assert (row.width, row.num_classes) == (64, 1000)
    assert len(row.mean) == len(row.std) == 3
    for weights in filter(None, (row.backbone, row.head)):
        assert weights.published
        for pattern in (*(first for first, _ in weights.rename), *weights.drop):
            re.compile(pattern)
        for file in weights.published:
            assert re.fullmatch("([0-9a-f]{8}|[0-9a-f]{64})?", file.sha256)
            assert re.match("https://|hf:", file.uri)
            # torch.hub names end in the first digits of the sum.
            digits = re.search("-([0-9a-f]{8})[.]", file.file)
            assert digits is None or file.sha256.startswith(digits[1])


def test_no_two_models_share_a_file():
    files = [
        (file.file, file.uri, file.sha256)
        for row in ROWS
        for weights in filter(None, (row.backbone, row.head))
        for file in weights.published
    ]
    for column in zip(*files, strict=True):
        known = [entry for entry in column if entry]
        assert len(set(known)) == len(known)


def test_patterns_select_each_model_once_in_the_order_of_the_table():
    assert zoo.select(["*"]) == list(zoo.MODELS)
    assert zoo.select(["*.a1*", "tv*", "resnet50.a1_in1k"]) == [
        "tv_resnet50",
        "tv2_resnet50",
        "resnet50.a1h_in1k",
        "resnet50.a1_in1k",
    ]
    assert zoo.select([]) == []


def test_a_pattern_without_a_match_is_an_error_that_lists_what_is_known():
    with pytest.raises(ValueError) as error:
        zoo.select(["tv_resnet50", "resnet51", "TV*"])
    assert "got resnet51, TV*" in str(error.value)
    for name in zoo.MODELS:
        assert name in str(error.value)
