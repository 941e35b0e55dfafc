"""Does the page say which images are not the published ones?"""

import pyarrow as pa
import pytest

from biases_jax.analysis import cautions
from biases_jax.sources import validation


def provenance(labels, drawn):
    lines = {"source": ["imagenet"], "labels": [labels], "drawn": [drawn]}
    return pa.table({name: pa.array(v, pa.string()) for name, v in lines.items()})


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
