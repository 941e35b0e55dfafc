"""Is every way to name a model understood, and every wrong one refused?"""

import pytest

from biases_jax.models import names, zoo


def test_names_patterns_paths_and_functions_are_told_apart():
    found = names.parse(
        [
            "tv_resnet50",
            "mine=some dir/file.pth",
            "a.b:c",
            "d=a.b:c",
            "e=prime_flat:f",
            "f=./prime_flat:f",
        ]
    )
    assert found == [
        names.Reference("tv_resnet50"),
        names.Reference("mine", path="some dir/file.pth"),
        names.Reference("a.b.c", function="a.b:c"),
        names.Reference("d", function="a.b:c"),
        names.Reference("e", path="f", layout="prime_flat"),
        names.Reference("f", path="./prime_flat:f"),
    ]
    assert [r.name for r in names.parse(["*"])] == list(zoo.MODELS)
    assert len(names.parse(["tv_resnet50", "tv_*"])) == 1


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (["resnet51"], "resnet51"),
        (["mine="], "name=path"),
        (["my model=a.pth"], "name=path"),
        (["../x=a.pth"], "name=path"),
        (["..=a.pth"], "name=path"),
        (["tv_resnet50=a.b:c"], "another name"),
        (["tv_resnet50=prime_flat:a.pth"], "model of your own"),
        (["mine=prime_flat:"], "name=layout:path"),
        (["mine=a.pth", "mine=b.pth"], "two models named 'mine'"),
    ],
)
def test_wrong_names_are_refused(models, message):
    with pytest.raises(ValueError, match=message):
        names.parse(models)
