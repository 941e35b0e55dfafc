"""Are the devices described as they are?"""

import jax

from biases_jax.doctor import devices


def test_devices_formats_and_versions_are_told():
    first, second = devices.described()
    assert first.startswith(f"devices: {jax.local_device_count()} of cpu")
    assert "float64: yes, x64 mode: off" in first
    assert f"jax {jax.__version__}" in second


def test_float64_is_told_without_changing_the_mode():
    devices.described()
    assert not jax.config.jax_enable_x64
