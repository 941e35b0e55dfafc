"""Does the page say which images are not the published ones?"""

import pyarrow as pa
import pytest

from biases_jax.analysis import cautions
from biases_jax.sources import validation


def provenance(labels, drawn):
    lines = {"source": ["imagenet"], "labels": [labels], "drawn": [drawn]}
    return pa.table({name: pa.array(v, pa.string()) for name, v in lines.items()})


@pytest.mark.parametrize(
    ("source", "drawn", "number", "other"),
    [
        ("model_vs_human/edge", "False", 160, False),
        ("model_vs_human/edge", None, 160, False),  # measured before it was asked
        ("model_vs_human/edge", "True", 160, True),
        ("model_vs_human/edge", "False", 32, True),
        ("cue_conflict", "False", 1280, False),
        ("cue_conflict", "True", 1280, True),
        ("imagenet", "True", 32, False),  # nothing that people saw
    ],
)
def test_images_that_people_have_not_seen_are_known(source, drawn, number, other):
    lines = {"source": source, "drawn": drawn, "n_expected": number}
    found = cautions.unseen(pa.Table.from_pylist([lines]))
    assert found == ({source} if other else set())


@pytest.mark.parametrize(
    ("labels", "drawn", "said"),
    [
        (validation.PROVED, "False", []),
        (validation.PROVED, None, []),  # measured before it was asked
        (validation.PROVED, "True", ["The images are drawn"]),
        (validation.OTHER, "False", ["imagenet: its labels are other"]),
    ],
)
def test_each_caution_is_given_where_it_holds(labels, drawn, said):
    found = cautions.texts(provenance(labels, drawn))
    assert len(found) == len(said)
    for text, begin in zip(found, said, strict=True):
        assert text.startswith(begin)
