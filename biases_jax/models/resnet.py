"""What does a ResNet-50 answer? PyTorch's v1.5 in Flax, for inference."""

import functools
from typing import Any

import jax.numpy as jnp
from flax import linen as nn
from jax import lax

from biases_jax.models import convolution, ops
from biases_jax.types import Apply, Array, Float, Variables

BLOCKS = (3, 4, 6, 3)  # of layer1 .. layer4, He et al. 2016, table 1
EXPANSION = 4  # a block's output channels per channel of its 3x3 convolution

# What products may be rounded to. On CPUs float32 products are always exact.
PRECISIONS = {
    "float32": lax.Precision.HIGHEST,
    "tf32": lax.Precision.HIGH,  # TF32 on GPUs, three bfloat16 passes on TPUs
    "bfloat16": lax.Precision.DEFAULT,  # the arrays themselves are bfloat16
}


def apply_function(
    width: int = 64,
    num_classes: int = 1000,
    stem_stride: int = 2,
    precision: str = "float32",
) -> Apply:
    """Return `apply(variables, images) -> logits`; equal arguments, the same function.

    It is thus its own key in caches of compiled programs: one serves all checkpoints.
    `apply` takes RGB images in [0, 1], [b, h, w, 3], and the folded variables of
    `checkpoints.load`, both float32 (or both float64, and then computes in it);
    logits are [b, classes] in that dtype. It works under `jit`, `vmap`, `grad` and
    `shard_map`, not in forward mode (`jvp`).

    Args:
        width: channels of the stem; 64 in all published checkpoints.
        num_classes: number of logits.
        stem_stride: stride of the first convolution.
        precision: 'float32', exact products everywhere; 'tf32', products of rounded
            float32 factors where the device has them; or 'bfloat16' throughout, with
            float32 logits.

    Raises:
        ValueError: the precision is unknown; from `apply`: images and variables differ
            in dtype.
    """
    if precision not in PRECISIONS:
        known = ", ".join(PRECISIONS)
        raise ValueError(f"got precision {precision!r}, expected one of: {known}")
    forms = ops.for_backend()
    return apply_of(ResNet50(width, num_classes, stem_stride, precision, forms))


@functools.cache
def apply_of(network: "ResNet50") -> Apply:
    """Return `apply(variables, images)` of a network, in its forms' micro-batches."""

    def apply(variables: Variables, images: Any) -> Float[Array, "b classes"]:
        """Return the logits of RGB images in [0, 1], [b, h, w, 3]."""
        dtype = variables["normalize"]["mean"].dtype
        if images.dtype != dtype:
            raise ValueError(
                f"got images in {images.dtype} and variables in {dtype}, expected the "
                "same; images are RGB in [0, 1], not 0..255"
            )
        images = jnp.asarray(images)
        one_step = functools.partial(network.apply, variables)
        return ops.in_micro_batches(one_step, images, network.forms.micro_batch)

    return apply


class ResNet50(nn.Module):
    """RGB images in [0, 1] to logits, torch's paddings, batch norms folded.

    Variables: `params` (each convolution's `kernel`, `scale`, `shift`; `fc`) and
    `normalize` (`mean`, `std`). Images are normalised here, not by folding mean and
    std into `conv1`: its zero padding stands for the mean colour, not for black.
    What `sow` keeps is for `activations`; elsewhere it does nothing.
    """

    width: int = 64
    num_classes: int = 1000
    stem_stride: int = 2
    precision: str = "float32"
    forms: ops.Forms = ops.PLAIN
    blocks: tuple[int, ...] = BLOCKS

    @nn.compact
    def __call__(self, images: Float[Array, "n h w 3"]) -> Float[Array, "n classes"]:
        """Return the logits."""
        precision = PRECISIONS[self.precision]
        mean = self.variable("normalize", "mean", jnp.zeros, (3,)).value
        std = self.variable("normalize", "std", jnp.ones, (3,)).value
        x = (images - mean.reshape(1, 1, 1, 3)) / std.reshape(1, 1, 1, 3)
        self.sow("intermediates", "normalized", x)
        if self.precision == "bfloat16":
            x = x.astype(jnp.bfloat16)
        stem = Convolution(
            self.width, 7, self.stem_stride, self.forms.stem, precision, name="conv1"
        )
        x = self.forms.max_pool(self.forms.relu(stem(x)))
        self.sow("intermediates", "stem", x)
        for layer, blocks in enumerate(self.blocks):
            planes = self.width * 2**layer
            for block in range(blocks):
                first = block == 0
                stride = 2 if first and layer > 0 else 1
                name = f"layer{layer + 1}_{block}"
                x = Bottleneck(planes, stride, first, self.forms, precision, name=name)(
                    x
                )
        x = x.mean(axis=(1, 2))
        self.sow("intermediates", "pooled", x)
        return Classifier(self.num_classes, precision, name="fc")(x)


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1, the stride in the 3x3 (v1.5), plus the shortcut."""

    planes: int
    stride: int
    project: bool
    forms: ops.Forms
    precision: lax.Precision

    @nn.compact
    def __call__(self, x: Float[Array, "n h w c"]) -> Float[Array, "n p q d"]:
        """Return the block's output."""
        outputs = self.planes * EXPANSION
        conv1x1, conv3x3, relu = self.forms.conv1x1, self.forms.conv3x3, self.forms.relu

        def layer(name, features, size, stride, form):
            return Convolution(features, size, stride, form, self.precision, name=name)

        shortcut = x
        if self.project:
            shortcut = layer("downsample", outputs, 1, self.stride, conv1x1)(x)
        x = relu(layer("conv1", self.planes, 1, 1, conv1x1)(x))
        x = relu(layer("conv2", self.planes, 3, self.stride, conv3x3)(x))
        return relu(layer("conv3", outputs, 1, 1, conv1x1)(x) + shortcut)


class Convolution(nn.Module):
    """A convolution and its folded batch norm: conv(x, kernel) * scale + shift."""

    features: int
    size: int
    stride: int
    form: convolution.Form
    precision: lax.Precision

    @nn.compact
    def __call__(self, x: Float[Array, "n h w c"]) -> Float[Array, "n p q d"]:
        """Return the output in the dtype of x, before any ReLU."""
        shape = (self.size, self.size, x.shape[-1], self.features)
        kernel = self.param("kernel", nn.initializers.he_normal(), shape)
        scale = self.param("scale", nn.initializers.ones, (self.features,))
        shift = self.param("shift", nn.initializers.zeros, (self.features,))
        kernel, scale, shift = (jnp.asarray(a, x.dtype) for a in (kernel, scale, shift))
        x = self.form(x, kernel, self.stride, self.precision)
        return x * scale.reshape(1, 1, 1, -1) + shift.reshape(1, 1, 1, -1)


class Classifier(nn.Module):
    """The last, fully connected layer; its sums and logits are never bfloat16."""

    num_classes: int
    precision: lax.Precision

    @nn.compact
    def __call__(self, x: Float[Array, "n c"]) -> Float[Array, "n classes"]:
        """Return the logits in the dtype of the bias."""
        shape = (x.shape[-1], self.num_classes)
        kernel = self.param("kernel", nn.initializers.lecun_normal(), shape)
        bias = self.param("bias", nn.initializers.zeros, (self.num_classes,))
        logits = jnp.dot(
            x,
            jnp.asarray(kernel, x.dtype),
            precision=self.precision,
            preferred_element_type=bias.dtype,
        )
        return logits + bias.reshape(1, -1)
