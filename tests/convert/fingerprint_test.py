"""Are the paper's weights told from all others, without an image?"""

import hashlib
import json
import pathlib

import jax
import numpy as np
import pytest
import torch

from biases_jax.models import zoo
from convert import fingerprint, mapping

SHARED = pathlib.Path(__file__).parents[3] / "shared/data/fingerprints.json"
DIGEST = "831d3698ee77543d"  # of all norms, where the published file is not at hand


@pytest.fixture(scope="module")
def tree():
    """The unfolded variables of a network of full width."""
    generator = np.random.default_rng(0)
    state = {
        name: generator.random(leaf.shape, np.float32) - np.float32(0.5)
        for name, leaf in mapping.leaves().items()
        if not name.endswith("running_var")
    }
    for name, leaf in mapping.leaves().items():
        state.setdefault(name, np.ones(leaf.shape, np.float32))
    return mapping.to_flax(state, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


def publish(monkeypatch, name, norms):
    monkeypatch.setitem(fingerprint.NORMS, name, norms)


def test_all_48_have_16_positive_pairs_of_norms_and_no_two_are_alike():
    assert fingerprint.NORMS.keys() == zoo.MODELS.keys()
    pairs = np.stack(list(fingerprint.NORMS.values()))
    assert pairs.shape == (48, 16, 2)
    assert (pairs > 0).all()
    ratios = np.abs(pairs[:, None] / pairs[None] - 1).max(axis=(2, 3))
    # 5.8 % by the authors' figures: far above any rounding, so a match is no accident.
    assert np.sort(ratios[~np.eye(48, dtype=bool)])[0] > 0.05


def test_the_data_are_the_published_ones():
    if not SHARED.exists():
        digest = hashlib.sha256(
            b"".join(norms.tobytes() for norms in fingerprint.NORMS.values())
        ).hexdigest()
        assert digest.startswith(DIGEST)
        return
    published = json.loads(SHARED.read_text())["models"]
    for name, model in published.items():
        assert list(model["layers"]) == list(fingerprint.LAYERS)
        np.testing.assert_array_equal(
            fingerprint.NORMS[name], list(model["layers"].values())
        )


def test_norms_are_those_of_torch(tree):
    found = fingerprint.norms(tree)
    for layer, pair in zip(fingerprint.LAYERS, found, strict=True):
        block = layer.removesuffix(".conv2").replace(".", "_")
        kernel = torch.from_numpy(tree["params"][block]["conv2"]["kernel"]).double()
        norms = [torch.linalg.vector_norm(kernel, order).item() for order in (1, 2)]
        np.testing.assert_allclose(pair, norms, rtol=1e-12)  # float64 sums


def test_weights_with_the_published_norms_are_verified(tree, monkeypatch):
    norms = fingerprint.norms(tree)
    # The authors' are float32 sums; half of the tolerance stands for that.
    publish(monkeypatch, "tv_resnet50", norms * (1 + fingerprint.TOLERANCE / 2))
    verdict = fingerprint.check("tv_resnet50", tree)
    assert (verdict.status, verdict.nearest) == (fingerprint.VERIFIED, "tv_resnet50")
    assert str(verdict) == "verified"


def test_other_weights_are_told_with_the_layer_and_the_nearest_model(tree, monkeypatch):
    norms = fingerprint.norms(tree)
    publish(monkeypatch, "tv_resnet50", norms)
    publish(monkeypatch, "tv2_resnet50", norms * 1.5)
    changed = jax.tree.map(np.array, tree)
    changed["params"]["layer3_4"]["conv2"]["kernel"][0, 0, 0, 0] += 100
    verdict = fingerprint.check("tv_resnet50", changed)
    assert verdict.status == fingerprint.OTHER
    assert (verdict.nearest, verdict.layer) == ("tv_resnet50", "layer3.4.conv2")
    assert "differ most in layer3.4.conv2; nearest: tv_resnet50" in str(verdict)
    swapped = fingerprint.check("tv2_resnet50", tree)
    assert (swapped.status, swapped.nearest) == (fingerprint.OTHER, "tv_resnet50")
    assert "these are those of tv_resnet50" in str(swapped)


def test_models_that_are_not_of_the_48_have_no_fingerprint(tree, monkeypatch):
    verdict = fingerprint.check("mine", tree)
    assert verdict.status == str(verdict) == fingerprint.NONE
    publish(monkeypatch, "tv_resnet50", fingerprint.norms(tree))
    assert "those of tv_resnet50" in str(fingerprint.check("mine", tree))


def test_networks_of_another_width_have_no_fingerprint(arrays):
    small = mapping.to_flax(arrays, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    for name in ("mine", "tv_resnet50"):
        assert fingerprint.check(name, small) == (fingerprint.NONE, None, None, None)


@pytest.mark.parametrize("layer", fingerprint.LAYERS)
def test_each_layer_counts(tree, monkeypatch, layer):
    norms = fingerprint.norms(tree)
    norms[fingerprint.LAYERS.index(layer)] *= 1 + 3 * fingerprint.TOLERANCE
    publish(monkeypatch, "tv_resnet50", norms)
    verdict = fingerprint.check("tv_resnet50", tree)
    assert (verdict.status, verdict.layer) == (fingerprint.OTHER, layer)
