"""Are gaps and surpluses both named?"""

import numpy as np
import pytest

from biases_jax.sources import completeness
from biases_jax.sources.source import Counts


def test_too_many_and_too_few_of_a_class_are_both_named():
    classes = np.repeat(np.arange(1000, dtype=np.int32), 50)[:, None]
    expected = Counts(classes=1000, examples=50_000, per_class=50)
    completeness.check_counts(classes, expected, "here")
    classes[0] = 207  # one moved from class 0, so that the sum is as published
    with pytest.raises(ValueError, match="here: got 50000 images of 1000") as error:
        completeness.check_counts(classes, expected, "here")
    assert "n01440764 (tench, class 0): 49" in str(error.value)
    assert "n02099601 (golden retriever, class 207): 51" in str(error.value)
