"""Are a model's cells what its rows, records and lists say?"""

import pytest
from stages import answered

from biases_jax import model_cells, results


def test_cells_have_the_rows_sums_and_find_their_records(tmp_path):
    answered.measure(tmp_path, [1, 0, 1], ids=[7, 5, 6], source="imagenet")
    answered.measure(tmp_path, [1, 1], benchmark="natural/imagenet_sketch")
    rows = results.read(tmp_path / "results").rows()
    cells = model_cells.of(rows, tmp_path / "records", tmp_path / "sources")
    assert list(cells) == ["natural/imagenet", "natural/imagenet_sketch"]
    found = cells["natural/imagenet"]
    assert found.sums["top1"] == 2 and found.sums["count"] == 3
    assert found.records()["correct"].to_pylist() == [False, True, True]  # by id
    with pytest.raises(ValueError, match=r"got no .*sources.*, expected the labels"):
        found.examples()
