"""Small copies of ImageNet-A as TFDS prepares them, in each format that it writes."""

import shutil

import pytest
import tfds_sets
import trees


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """The roots of small copies, by format; to be read only."""
    roots = {}
    for file_format in tfds_sets.FORMATS:
        roots[file_format] = tmp_path_factory.mktemp(file_format)
        records = tfds_sets.records("imagenet_a", trees.examples("imagenet_a"))
        tfds_sets.write(roots[file_format], "imagenet_a", "test", records, file_format)
    return roots


@pytest.fixture
def copy(prepared, tmp_path, request):
    """A copy of one's own, to be damaged: its root, and the folder of its files.

    Of the first format, where a test does not ask for another.
    """
    file_format = getattr(request, "param", tfds_sets.FORMATS[0])
    shutil.copytree(prepared[file_format], tmp_path / "tfds")
    (folder,) = (tmp_path / "tfds/imagenet_a").iterdir()
    return tmp_path / "tfds", folder
