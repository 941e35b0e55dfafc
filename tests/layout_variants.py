"""How may a published file differ from the description of its layout?

Where it is not known how the authors saved a file, every way that their scripts allow
is a variant: a function that changes the description.
"""

import copy
import functools
import re

import layout_tables

COUNTERS = r"num_batches_tracked$"
PUBLISHED = "as described"
NUMPY_GLOBALS = ("_codecs.encode", "numpy.dtype")


@functools.cache
def describe(layout, variant=PUBLISHED):
    """Return the description of a variant's files, in the form of the layout's.

    Not to be changed.
    """
    description = copy.deepcopy(layout_tables.load(layout))
    VARIANTS[layout][variant](description)
    return description


def _as_described(description):
    pass


def _each(*changes):
    """Apply several changes, in order."""

    def change(description):
        for one in changes:
            one(description)

    return change


def _level(name, description):
    """Move the weights to another entry; '' makes them the file itself."""
    (file,) = description["files"].values()
    for tensor in file["tensors"]:
        if name:
            tensor["under"] = name
        else:
            del tensor["under"]
    if not name:
        del file["top_level"]
        file["top_level_type"] = "collections.OrderedDict"
    for entry in file.get("top_level", ()):
        if "tensors_under" in entry:
            entry["key"] = entry["tensors_under"] = name


def _prefix(text, description):
    for file in description["files"].values():
        for tensor in file["tensors"]:
            tensor["key"] = text + tensor["key"].removeprefix("module.")


def _without(pattern, description):
    """Leave out the tensors whose keys match."""
    for file in description["files"].values():
        kept = [t for t in file["tensors"] if not re.search(pattern, t["key"])]
        file["tensors"] = kept
        if not any(tensor["dtype"] == "int64" for tensor in kept):
            _globals(file, without="torch.LongStorage")
        for entry in file.get("top_level", ()):
            if "tensors_under" in entry:
                under = entry["tensors_under"]
                entry["count"] = sum(tensor["under"] == under for tensor in kept)


def _before_0_4_1(description):
    """No counters, running statistics before weight and bias, and Parameters."""
    _without(COUNTERS, description)
    (file,) = description["files"].values()
    _globals(file, "torch._utils._rebuild_parameter")
    modules = {}
    for tensor in file["tensors"]:
        tensor["parameter"] = not tensor["key"].endswith(layout_tables.BUFFERS)
        modules.setdefault(tensor["key"].rpartition(".")[0], []).append(tensor)
    file["tensors"] = [
        tensor
        for tensors in modules.values()
        for tensor in sorted(tensors, key=lambda tensor: tensor["parameter"])
    ]


def _weights_only(description):
    """Keep no entry but the weights, as a stripped file does."""
    for file in description["files"].values():
        if "top_level" in file:
            file["top_level"] = [e for e in file["top_level"] if "tensors_under" in e]
            _globals(file, without="torch.DoubleStorage")


def _entry(key, fields, description):
    """Change an entry; None drops it, another key renames it."""
    file = list(description["files"].values())[-1]
    entries = []
    for entry in file["top_level"]:
        if entry["key"] != key:
            entries.append(entry)
        elif fields is not None:
            entries.append({**entry, **fields})
    file["top_level"] = entries


def _contiguous_head(description):
    (file,) = description["files"].values()
    for tensor in file["tensors"]:
        if tensor["under"] == "head":
            tensor.pop("stride", None)


def _learning_rate(kind, description):
    """A schedule multiplied the rate by numpy.interp: it became a NumPy scalar."""
    (file,) = description["files"].values()
    (entry,) = [e for e in file["top_level"] if e["key"] == "optimizer"]
    entry["detail"]["param_groups"][0]["lr"] = kind
    _globals(file, *NUMPY_GLOBALS, kind)


def _function(description):
    """dill saves a schedule's function with its code, of an old Python."""
    _entry("schedule", {"type": "dill._dill._create_function"}, description)
    (file,) = description["files"].values()
    _globals(file, "_codecs.encode", "dill._dill._create_function")


def _torch_save(file_name, description):
    """The same tensors as a torch checkpoint, in the order of the modules."""
    (file,) = description["files"].values()
    order = layout_tables.load("torchvision_flat_zip")["files"]
    (other,) = order.values()
    places = {tensor["key"]: place for place, tensor in enumerate(other["tensors"])}
    file["tensors"].sort(key=lambda tensor: places[tensor["key"]])
    file["container"] = "torch zip"
    file["top_level_type"] = "collections.OrderedDict"
    file["pickle_globals"] = other["pickle_globals"]
    del file["metadata"]
    description["files"] = {file_name: file}


def _globals(file, *names, without=""):
    if "pickle_globals" in file:
        known = [name for name in file["pickle_globals"] if name != without]
        file["pickle_globals"] = list(dict.fromkeys([*known, *names]))


_part = functools.partial
_prefixed = _part(_prefix, "module.")
_bare = _part(_prefix, "")
_stripped = {"stripped": _each(_weights_only, _bare)}


def _levels(*levels):
    """The weights at each of the levels, under both kinds of names."""
    return {
        f"{level or 'flat'}, prefix {prefix!r}": _each(
            _part(_level, level), _part(_prefix, prefix)
        )
        for level in levels
        for prefix in ("", "module.")
    }


_VECTOR = {"shape": [1]}  # as in PyTorch before 0.4
_STATISTICS = {"key": "stats", "type": "dict", "keys": ["batch_size", "time_per_epoch"]}
_NATURAL = {"key": "nat_prec1"}
_NO_OPTIMIZER = {"no optimizer": _part(_entry, "optimizer", None)}

VARIANTS = {name: {PUBLISHED: _as_described} for name in layout_tables.NAMES}
for _name, _more in {
    "timm_safetensors_flat": {
        "pytorch_model.bin": _part(_torch_save, "pytorch_model.bin"),
        "release": _part(_torch_save, "resnet50_a1_0-14fe96d1.pth"),
    },
    "torchvision_flat_zip": {"pre-0.4.1 order": _before_0_4_1},
    "geirhos_dataparallel": {
        "no_num_batches_tracked": _each(
            _part(_without, COUNTERS), _part(_entry, "best_prec1", _VECTOR)
        ),
        **_stripped,
    },
    "pytorch_examples_dp": _stripped,
    "augmix_dataparallel": _stripped,
    "pixmix_single": {
        "prefix": _prefixed,
        "stripped": _each(_weights_only, _prefixed),
    },
    "noisymix_robustbench": _levels("", "state_dict"),
    "frozen_random": _levels("", "state_dict", "model_state_dict"),
    "opticsaugment": {
        "epoch_temp": _part(_entry, "best_epoch", _STATISTICS),
        **_stripped,
    },
    "prime_flat": {"prefix": _prefixed},
    "tsbias_mixbn": {
        "no aux_bn": _part(_without, r"aux_bn"),
        "stripped": _weights_only,
    },
    "moco_v3_lincls": {"stripped": _weights_only},
    "dino_two_files": _NO_OPTIMIZER,
    "swav_two_files": _NO_OPTIMIZER,
    "simclrv2_separius": {"contiguous head": _contiguous_head},
    "madry_robustness": {
        "stripped": _weights_only,
        "nat_prec1": _each(
            _part(_entry, "adv_prec1", _NATURAL),
            _part(_entry, "schedule", {"type": "NoneType"}),
        ),
        "numpy 2": _part(_learning_rate, "numpy._core.multiarray.scalar"),
        "numpy 1, dill": _each(
            _part(_learning_rate, "numpy.core.multiarray.scalar"), _function
        ),
    },
}.items():
    VARIANTS[_name] |= _more


def cases():
    """Return (layout, container, variant) of every file that is to be read."""
    return [
        (layout, container, variant)
        for layout, variants in VARIANTS.items()
        for variant in variants
        for container in containers(layout, variant)
    ]


def chosen():
    """Return those of `cases` that hold every layout, container and variant.

    Variants are in one container each, in turn: they are the same in both.
    """
    kept = []
    for layout, variants in VARIANTS.items():
        for turn, variant in enumerate(variants):
            known = containers(layout, variant)
            if variant != PUBLISHED:
                known = known[turn % len(known) :][:1]
            kept += [(layout, container, variant) for container in known]
    return kept


def containers(layout, variant=PUBLISHED):
    """Return how a file may be saved: both pickles, but safetensors is safetensors."""
    alone = layout == "timm_safetensors_flat" and variant == PUBLISHED
    return ("safetensors",) if alone else ("zip", "legacy")
