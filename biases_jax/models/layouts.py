"""In which layouts do training scripts leave a ResNet-50, and how is each read?

Files by the layout's name hold the same tensors under other names, at other places. A
prefix that a layout may or may not have is removed where it is there. What is left over
and not on a layout's `drop` list is an error.
"""

from biases_jax.models.spec import PLAIN, Layout, Rules

MODULE = (r"^module\.", "")  # of DataParallel, or of an attribute of this name
LINEAR = (r"^module\.linear\.", "fc.")  # of a linear classifier trained apart
# Separius' SimCLRv2 names its modules by their place in TensorFlow's graph.
SIMCLR = (
    (r"^net\.0\.0\.", "conv1."),
    (r"^net\.0\.1\.0\.", "bn1."),
    (r"^net\.(\d)\.blocks\.(\d)\.", r"layer\1.\2."),
    (r"\.projection\.shortcut\.", ".downsample.0."),
    (r"\.projection\.bn\.0\.", ".downsample.1."),
    (r"\.net\.0\.", ".conv1."),
    (r"\.net\.1\.0\.", ".bn1."),
    (r"\.net\.2\.", ".conv2."),
    (r"\.net\.3\.0\.", ".bn2."),
    (r"\.net\.4\.", ".conv3."),
    (r"\.net\.5\.0\.", ".bn3."),
)
PROJECTION = (r"^projection_head\.", r"^prototypes\.")  # of SwAV's own training
# The robustness library registers its attacked model a second time.
ROBUSTNESS = (r"^module\.attacker\.", r"^module\.normalizer\.")

_DATA_PARALLEL = Rules(("state_dict",), (MODULE,))
_HEAD = Rules(("state_dict",), (LINEAR,))
# Of files that nobody described: their level and prefix are found out.
_ANY_LEVEL = Rules(("state_dict", "model_state_dict", ""), (MODULE,))

_ALL = (
    Layout("timm_safetensors_flat", PLAIN),
    Layout("torchvision_flat_zip", PLAIN),
    Layout("prime_flat", Rules(rename=(MODULE,))),
    Layout("geirhos_dataparallel", _DATA_PARALLEL),
    Layout("pytorch_examples_dp", _DATA_PARALLEL),
    Layout("augmix_dataparallel", _DATA_PARALLEL),
    Layout("moco_v3_lincls", _DATA_PARALLEL),
    Layout("pixmix_single", _DATA_PARALLEL),
    Layout("noisymix_robustbench", _ANY_LEVEL),
    Layout("frozen_random", _ANY_LEVEL),
    Layout("opticsaugment", Rules(("model_state_dict",), (MODULE,))),
    Layout("diffusionnoise_namespace", Rules(("model",), (MODULE,))),
    Layout("tsbias_mixbn", Rules(("state_dict",), (MODULE,), (r"\.aux_bn\.",))),
    Layout(
        "madry_robustness",
        Rules(("model",), ((r"^module\.model\.", ""),), ROBUSTNESS),
    ),
    Layout("simclrv2_separius", Rules(("resnet",), SIMCLR)),
    Layout("dino_two_files", PLAIN, _HEAD),
    Layout("swav_two_files", Rules(rename=(MODULE,), drop=PROJECTION), _HEAD),
)
LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in _ALL}
