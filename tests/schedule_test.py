"""Is every missing example measured exactly once?"""

import numpy as np
import pytest

from biases_jax import schedule


def covered(blocks, cell, n):
    counts = np.zeros(n, int)
    for block in blocks:
        if cell in block.cells:
            counts[block.first : block.last] += 1
    return counts


@pytest.mark.parametrize("batch", [1, 7, 64, 5000])
@pytest.mark.parametrize("processes", [1, 2, 3, 7])
def test_shares_and_blocks_cover_what_is_missing_once(batch, processes):
    n = 10_007
    missing = {
        "fresh": [(0, n)],
        "torn": [(2048, 4096), (9_000, n)],
        "done": [],
        "tail": [(10_006, n)],
    }
    blocks = []
    for p in range(processes):
        share = (n * p // processes, n * (p + 1) // processes)
        mine = schedule.blocks(missing, share, batch)
        assert all(share[0] <= b.first < b.last <= share[1] for b in mine)
        blocks += mine
    for cell, intervals in missing.items():
        expected = np.zeros(n, int)
        for first, last in intervals:
            expected[first:last] = 1
        np.testing.assert_array_equal(covered(blocks, cell, n), expected)
    assert all(b.last - b.first <= max(schedule.BLOCK, batch) for b in blocks)


def test_blocks_hold_whole_batches_from_where_the_gap_starts():
    blocks = schedule.blocks({"a": [(100, 5000)]}, (0, 5000), 300)
    assert [(b.first, b.last) for b in blocks] == [
        (100, 1900),
        (1900, 3700),
        (3700, 5000),
    ]


def test_cells_with_the_same_gap_share_its_blocks():
    blocks = schedule.blocks({"a": [(0, 50)], "b": [(20, 50)]}, (0, 50), 10)
    assert [(b.first, b.last, b.cells) for b in blocks] == [
        (0, 20, ("a",)),
        (20, 50, ("a", "b")),
    ]
