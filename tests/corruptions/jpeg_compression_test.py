"""Are the corruption's qualities those of ImageNet-C?"""

from corruptions import checks
from corruptions import reference_pointwise as reference

from biases_jax.corruptions.jpeg_compression import JpegCompression


def none(*_):
    return {}


def nothing(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("jpeg_compression", JpegCompression, none), 0.0)


def test_other_images_come_out_as_pillows():
    checks.statement(JpegCompression, reference.jpeg_compression, nothing)


def test_the_same_bytes_come_in_any_batch():
    checks.same_bytes(JpegCompression(3))
