"""Which network is trained? The ResNet-50 that is measured, with its batch norms."""

import functools

import jax.numpy as jnp
from flax import linen as nn
from jax import lax

from biases_jax.models import ops, resnet
from biases_jax.models.folding import EPSILON
from biases_jax.types import Array, Float

MOMENTUM = 0.9  # of the running statistics: enough from some hundred steps on


class Trained(nn.Module):
    """Images in [0, 1] to logits and pooled features, with batch statistics.

    Variables are the unfolded ones of `convert.mapping`, `params` and `batch_stats`
    (a test holds folded ones against `resnet`). Images are normalised by `mean` and
    `std`.
    """

    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    width: int = 8
    classes: int = 16
    stem_stride: int = 4
    forms: ops.Forms = ops.PLAIN

    @nn.compact
    def __call__(
        self, images: Float[Array, "n h w 3"], train: bool = True
    ) -> tuple[Float[Array, "n classes"], Float[Array, "n features"]]:
        """Return the logits and what they are read from."""
        norm = functools.partial(
            nn.BatchNorm,
            use_running_average=not train,
            momentum=MOMENTUM,
            epsilon=EPSILON,
        )
        mean, std = (jnp.array(a).reshape(1, 1, 1, 3) for a in (self.mean, self.std))
        x = (images - mean) / std
        x = Convolution(self.width, 7, self.stem_stride, self.forms, name="conv1")(x)
        x = self.forms.max_pool(self.forms.relu(norm(name="bn1")(x)))
        for layer, blocks in enumerate(resnet.BLOCKS):
            for block in range(blocks):
                stride = 2 if block == 0 and layer > 0 else 1
                sizes = self.width * 2**layer, stride, block == 0
                name = f"layer{layer + 1}_{block}"
                x = Bottleneck(*sizes, self.forms, norm, name=name)(x)
        pooled = x.mean(axis=(1, 2))
        start = nn.initializers.normal(0.01)
        return nn.Dense(self.classes, kernel_init=start, name="fc")(pooled), pooled


class Bottleneck(nn.Module):
    """As `resnet.Bottleneck`, with its batch norms."""

    planes: int
    stride: int
    project: bool
    forms: ops.Forms
    norm: functools.partial

    @nn.compact
    def __call__(self, x: Float[Array, "n h w c"]) -> Float[Array, "n p q d"]:
        """Return the block's output."""
        outputs = self.planes * resnet.EXPANSION
        relu = self.forms.relu
        convolution = functools.partial(Convolution, forms=self.forms)
        shortcut = x
        if self.project:
            shortcut = convolution(outputs, 1, self.stride, name="downsample_conv")(x)
            shortcut = self.norm(name="downsample_bn")(shortcut)
        x = relu(self.norm(name="bn1")(convolution(self.planes, 1, name="conv1")(x)))
        x = convolution(self.planes, 3, self.stride, name="conv2")(x)
        x = relu(self.norm(name="bn2")(x))
        x = convolution(outputs, 1, name="conv3")(x)
        # Blocks begin as little more than their shortcuts, which trains faster.
        last = self.norm(name="bn3", scale_init=nn.initializers.constant(0.2))
        return relu(last(x) + shortcut)


class Convolution(nn.Module):
    """A convolution with torch's padding and no bias."""

    features: int
    size: int
    stride: int = 1
    forms: ops.Forms = ops.PLAIN

    @nn.compact
    def __call__(self, x: Float[Array, "n h w c"]) -> Float[Array, "n p q d"]:
        """Return the output."""
        shape = (self.size, self.size, x.shape[-1], self.features)
        kernel = self.param("kernel", nn.initializers.he_normal(), shape)
        forms = {1: self.forms.conv1x1, 3: self.forms.conv3x3, 7: self.forms.stem}
        return forms[self.size](x, kernel, self.stride, lax.Precision.HIGHEST)
