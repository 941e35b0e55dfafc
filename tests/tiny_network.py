"""The small network of the recorded attacks, in JAX and in PyTorch.

`golden/attacks_tiny.npz` holds its float32 weights, five inputs, random starts, and
what foolbox 3.3.4 and AutoAttack (commit a392200) found in float64: the file that was
given to the project, byte for byte.
"""

import dataclasses
import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch import nn

from biases_jax import transforms

GOLDEN = np.load(pathlib.Path(__file__).parent / "golden/attacks_tiny.npz")


def recorded(name, dtype=np.float64):
    """Return recorded images `[5, 16, 16, 3]`."""
    return np.ascontiguousarray(np.moveaxis(GOLDEN[name], 1, -1), dtype)


def logits_fn(images):
    """Return logits `[*b, 20]` of images `[*b, 16, 16, 3]`, in their dtype."""
    x = images.reshape(-1, *images.shape[-3:])
    weights = {key: jnp.asarray(GOLDEN[key], x.dtype) for key in GOLDEN if "_" in key}
    for layer in ("conv1", "conv2"):
        x = jax.lax.conv_general_dilated(
            x,
            weights[f"{layer}_w"].transpose(2, 3, 1, 0),
            window_strides=(2, 2),
            padding=((1, 1), (1, 1)),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
        x = jax.nn.silu(x + weights[f"{layer}_b"][None, None, None])
    x = x.transpose(0, 3, 1, 2).reshape(len(x), -1)
    logits = x @ weights["fc_w"].T + weights["fc_b"][None]
    return logits.reshape(*images.shape[:-3], -1)


def torch_logits(images):
    """Return logits `[b, 20]` of a tensor `[b, 16, 16, 3]`, in its dtype."""
    weights = {k: torch.tensor(GOLDEN[k]).to(images.dtype) for k in GOLDEN if "_" in k}
    x = images.permute(0, 3, 1, 2)
    for layer in ("conv1", "conv2"):
        kernel, bias = weights[f"{layer}_w"], weights[f"{layer}_b"]
        x = nn.functional.silu(nn.functional.conv2d(x, kernel, bias, 2, 1))
    return x.flatten(1) @ weights["fc_w"].T + weights["fc_b"]


def hilly(images):
    """Return logits of a loss with hills, where a step may go too far."""
    return 3 * jnp.sin(4 * logits_fn(images))


def torch_hilly(images):
    """Return the same of a tensor."""
    return 3 * torch.sin(4 * torch_logits(images))


def inputs(dtype=np.float64):
    """Return images, of which many pixels are 0 or 1, labels and draws."""
    images = np.clip(1.6 * recorded("x") - 0.3, 0, 1).astype(dtype)
    return jnp.asarray(images), labels(), draws()


def labels():
    """Return the recorded labels `[5, 1]`, the last of which is wrong."""
    return jnp.asarray(GOLDEN["y_with_one_wrong"].astype(np.int32))[:, None]


def draws():
    """Return the recorded start."""
    return {"unit_noise": jnp.asarray(recorded("unit_noise", np.float32))}


def run(method, noise, image, label, answers=logits_fn):
    """Return `method.run`, compiled once for all sizes of one attack."""
    sizes = {}
    for name in transforms.traced_fields(method):
        value = getattr(method, name)
        dtype = jnp.int32 if isinstance(value, int) else image.dtype
        sizes[name] = jnp.asarray(value, dtype)
    template = transforms.compiled_part(method)
    return _run(template, answers, sizes, noise, image, label)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _run(template, answers, sizes, noise, image, label):
    method = dataclasses.replace(template, **sizes)
    return method.run(noise, image, label, answers)
