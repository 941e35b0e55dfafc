"""A small ResNet-50's state dict, torch.save's two containers, and a web server."""

import collections
import functools

import flaky_server
import layout_files
import layout_variants
import numpy as np
import pytest
import torch
import torch_oracle

from convert import download, retries, web

WIDTH, CLASSES = 4, 10


@pytest.fixture(scope="session")
def state():
    """All 320 entries in torchvision's order; not to be changed."""
    return torch_oracle.random_state_dict(0, WIDTH, CLASSES)


@pytest.fixture(scope="session")
def arrays(state):
    """The same as NumPy arrays."""
    return {name: value.numpy() for name, value in state.items()}


@pytest.fixture(params=[True, False], ids=["zip", "legacy"])
def save(request, tmp_path):
    """Write an object as torch.save does, in each container; return the path."""

    def write(content, name="model.pth", **options):
        path = tmp_path / name
        torch.save(
            content, path, _use_new_zipfile_serialization=request.param, **options
        )
        return path

    return write


@pytest.fixture
def equal():
    """Assert that two dicts hold the same names, types, shapes and bits."""

    def check(found, expected):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert found[name].dtype == value.dtype, name
            np.testing.assert_array_equal(found[name], value, err_msg=name)

    return check


@pytest.fixture
def prefixed(state):
    """The state dict as DataParallel names it."""
    return collections.OrderedDict((f"module.{k}", v) for k, v in state.items())


@pytest.fixture
def waits(monkeypatch):
    """The seconds for which a download would have waited; it does not."""
    seconds = []
    monkeypatch.setattr(retries, "pause", seconds.append)
    return seconds


@pytest.fixture
def server(waits, monkeypatch):
    """A web server, and clients with less patience and smaller pieces than usual."""
    monkeypatch.setattr(web, "TIMEOUT", (5.0, 0.3))
    monkeypatch.setattr(download, "CHUNK", 8192)
    with flaky_server.running() as running:
        yield running


@pytest.fixture(scope="session")
def written(state, tmp_path_factory):
    """Write a layout's files, once in all tests; return their paths by role."""

    @functools.cache
    def write(layout, container, variant=layout_variants.PUBLISHED):
        return layout_files.write(
            layout,
            state,
            tmp_path_factory.mktemp(layout),
            container=container,
            variant=variant,
        )

    return write
