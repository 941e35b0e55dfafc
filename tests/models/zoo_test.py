"""Are the rows of models complete, consistent and found by name?"""

import collections
import re

import pytest

from biases_jax.models import layouts, zoo

CATEGORIES = {
    "baseline",
    "training_recipes",
    "augmentation",
    "stylized",
    "freezing",
    "adversarial_training",
    "contrastive",
}
URI = re.compile(
    r"https://\S+"
    r"|hf:[\w.-]+/[\w.-]+/[\w.-]+(@[0-9a-f]{7,40})?"
    r"|gdrive:[\w-]{33}"
    r"|zenodo:\d+/[\w.-]+"
)
ROWS = list(zoo.MODELS.values())


def test_all_models_of_the_study_are_there():
    counts = collections.Counter(row.category for row in ROWS)
    assert counts == {
        "baseline": 1,
        "training_recipes": 10,
        "augmentation": 12,
        "stylized": 3,
        "freezing": 1,
        "adversarial_training": 15,
        "contrastive": 6,
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_complete(row):
    assert zoo.MODELS[row.name] is row
    assert row.category in CATEGORIES
    assert row.paper and row.licence
    assert 50 < row.top1 < 85
    assert (row.width, row.num_classes) == (64, 1000)
    assert len(row.mean) == len(row.std) == 3
    assert layouts.LAYOUTS[row.layout.name] is row.layout
    assert row.backbone and bool(row.head) == (row.layout.head is not None)
    assert row.non_commercial == ("-nc-" in row.licence)
    for file in (*row.backbone, *row.head):
        assert re.fullmatch("([0-9a-f]{8}|[0-9a-f]{64})?", file.sha256)
        assert URI.fullmatch(file.uri)
        # torch.hub names end in the first digits of the sum.
        digits = re.search("-([0-9a-f]{8})[.]", file.file)
        assert digits is None or file.sha256.startswith(digits[1])


def test_every_layout_has_a_model_and_rules_that_compile():
    assert len(layouts.LAYOUTS) == 17
    assert {row.layout.name for row in ROWS} == set(layouts.LAYOUTS)
    for layout in layouts.LAYOUTS.values():
        for rules in filter(None, (layout.backbone, layout.head)):
            assert rules.roots
            for pattern in (*(first for first, _ in rules.rename), *rules.drop):
                re.compile(pattern)


def test_no_two_models_share_a_file():
    files = [
        (file.file, file.uri, file.sha256)
        for row in ROWS
        for file in (*row.backbone, *row.head)
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
    assert "got 'resnet51', 'TV*', expected" in str(error.value)
    for name in zoo.MODELS:
        assert name in str(error.value)
