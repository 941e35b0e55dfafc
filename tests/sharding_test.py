"""Is a batch spread and gathered without loss, in both spellings?"""

import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from biases_jax import sharding


@pytest.mark.parametrize("name", sharding.SPREADS)
@pytest.mark.parametrize("devices", [1, 2, 8])
def test_rows_come_back_in_order_and_sums_per_device(name, devices):
    spread = sharding.spread(name, jax.devices()[:devices])
    rows = np.arange(16, dtype=np.float32).reshape(16, 1)

    def scaled_and_summed(factor, x):
        return factor * x, x.sum()[None]

    function = spread.per_device(scaled_and_summed, (False, True))
    result = function(spread.replicate(np.float32(3)), spread.shard(rows))
    scaled, sums = spread.collect(result)
    np.testing.assert_array_equal(scaled, 3 * rows)
    assert sums.shape == (devices,)
    assert sums.sum() == rows.sum()


@pytest.mark.parametrize("name", sharding.SPREADS)
def test_no_device_talks_to_another(name):
    spread = sharding.spread(name, jax.devices()[:4])
    function = spread.per_device(lambda x: (jax.lax.top_k(x, 2)[0],), (True,))
    text = function.lower(spread.shard(np.ones((8, 5), np.float32))).compile().as_text()
    for collective in ("all-gather", "all-reduce", "all-to-all", "collective-permute"):
        assert collective not in text


def test_unknown_spelling_is_refused():
    with pytest.raises(ValueError, match="expected one of"):
        sharding.spread("pjit")


@pytest.mark.parametrize(
    ("flags", "limit", "expected"),
    [
        ("", 4, min(4, len(os.sched_getaffinity(0)))),
        ("", 1, 1),
        ("--xla_force_host_platform_device_count=3", 4, 3),
    ],
)
def test_a_cpu_is_a_device_per_core_unless_told(flags, limit, expected):
    code = (
        "import jax\n"
        "from biases_jax import sharding\n"
        f"sharding.use_cores({limit})\n"
        "print(jax.local_device_count())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(result.stdout) == expected
