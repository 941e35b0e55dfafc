"""Can a pickle call, change or reach anything but the few functions on the list?"""

import io
import pickle
import sys

import pytest

from convert import errors, opcodes, pickles, stand_ins, tensors


def load(data, persistent_load=pickles.no_storage):
    placeholders = set()
    opcodes.scan(io.BytesIO(data))
    return pickles.loads(data, persistent_load, placeholders), placeholders


@pytest.mark.parametrize(
    "module, name",
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("__builtin__", "getattr"),
        ("numpy", "dtype"),
        ("torch", "load"),
        ("torch._utils", "_rebuild_tensor_v9"),
        ("collections", "OrderedDict.fromkeys"),
        ("convert.pickles", "loads"),
        ("a module that is", "nowhere"),
    ],
)
@pytest.mark.parametrize("form", ["global", "stack_global", "inst"])
def test_globals_are_never_looked_up(module, name, form):
    first, second = module.encode(), name.encode()
    data = {
        "global": b"c%b\n%b\n(X\x04\x00\x00\x00exittR." % (first, second),
        "stack_global": b"\x80\x04\x8c%c%b\x8c%c%b\x93)R."
        % (len(first), first, len(second), second),
        "inst": b"(i%b\n%b\n." % (first, second),
    }[form]
    before = set(sys.modules)
    found, placeholders = load(data)
    assert type(found).__mro__[1] is stand_ins.Placeholder
    assert found.origin == f"{module}.{name}"
    assert placeholders == {f"{module}.{name}"}
    assert set(sys.modules) == before


@pytest.mark.parametrize(
    "data",
    [
        b"ctorch._utils\n_rebuild_tensor_v2\n}X\x01\x00\x00\x00aK\x01sb.",
        b"ctorch._utils\n_rebuild_tensor_v2\nN}X\x09\x00\x00\x00_functionNs\x86b.",
        b"ctorch\nFloatStorage\n}X\x05\x00\x00\x00dtypeNsb.",
        b"ctorch\nFloatStorage\nN}X\x05\x00\x00\x00dtypeNs\x86b.",
        b"ccollections\nOrderedDict\n}X\x05\x00\x00\x00itemsNsb.",
        b"ctorch\nFloatStorage\nN)K\x01)K\x01)NN\x87tR}X\x01\x00\x00\x00aNsb.",
    ],
)
def test_what_a_pickle_may_call_it_cannot_change(data):
    with pytest.raises(errors.CheckpointError):
        load(data)
    assert pickles.ALLOWED["torch", "FloatStorage"].dtype == "float32"
    assert stand_ins.Mapping([["a", 1]]).items() == {"a": 1}.items()


def test_placeholders_are_limited():
    names = b"".join(b"cm\nf%d\n0" % i for i in range(pickles.MAX_PLACEHOLDERS))
    assert len(load(names + b"cm\nf1\n.")[1]) == pickles.MAX_PLACEHOLDERS
    for more in (names + b"cm\ng\n.", b"cm\n" + b"f" * 1000 + b"\n."):
        with pytest.raises(errors.CheckpointError, match="over 1000 classes .* name"):
            load(more)


@pytest.mark.parametrize(
    "data",
    [
        b"N)R.",  # a call of nothing
        b"ctorch._utils\n_rebuild_tensor_v2\n)R.",  # without arguments
        b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch.x\nf\nN)NtR.",
        b"(NNK\x01d.",  # a dict of three
        b"}]Ns.",  # a list as key
        b"Na.",  # an item of nothing
        b"X\x02\x00\x00\x00\xff\xfe.",  # no text
    ],
)
def test_broken_instructions_are_one_kind_of_error(data):
    with pytest.raises(errors.CheckpointError):
        load(data)


@pytest.mark.parametrize(
    "name, arguments, fits",
    [
        ("_rebuild_tensor", b"NK\x00))", True),
        ("_rebuild_tensor", b"NK\x00))\x89}", False),
        ("_rebuild_tensor_v2", b"NK\x00))\x89}", True),
        ("_rebuild_tensor_v2", b"NK\x00))\x89}N", True),
        ("_rebuild_tensor_v2", b"NK\x00))", False),
        ("_rebuild_tensor_v2", b"NK\x00)))\x89}", False),  # one more size
        ("_rebuild_tensor_v2", b"NK\x00))\x89}NN", False),
        ("_rebuild_parameter", b"N\x89}", True),
        ("_rebuild_parameter", b"N", False),
        ("_rebuild_parameter_with_state", b"N\x89}}", True),
    ],
)
def test_tensors_are_made_of_what_pytorch_makes_them_of(name, arguments, fits):
    data = b"ctorch._utils\n%b\n(%btR." % (name.encode(), arguments)
    if fits:
        load(data)
    else:
        with pytest.raises(errors.CheckpointError):
            load(data)


FLOAT = pickles.ALLOWED["torch", "FloatStorage"]


@pytest.mark.parametrize(
    "persistent_id",
    [
        "text",
        ("storage",),
        ("storage", FLOAT, "0", "cpu"),
        ("tensor", FLOAT, "0", "cpu", 3),
        ("storage", FLOAT, 0, "cpu", 3),
        ("storage", FLOAT, "0", "cpu", -1),
        ("storage", FLOAT, "0", "cpu", 2**60),
        ("storage", FLOAT, "0", "cpu", "3"),
        ("storage", FLOAT, "0" * 1001, "cpu", 3),
        ("storage", float, "0", "cpu", 3),
        ("storage", FLOAT, "0", "cpu", 3, None, None),
    ],
)
def test_malformed_storages_are_refused(persistent_id):
    with pytest.raises(errors.CheckpointError):
        pickles.storage_of(persistent_id)


def test_storages_of_unknown_types_are_kept_for_the_error():
    kind = load(b"ctorch\nQInt8Storage\n.")[0]
    known = pickles.storage_of(("storage", kind, "0", "cpu", 3))[0]
    assert known == tensors.StorageType("torch.QInt8Storage", None)


def test_python_2_text_is_read():
    assert load(b"U\x02\xc3\xa9.")[0] == b"\xc3\xa9".decode("latin1")


def test_a_plain_pickle_equals_pythons_own():
    content = {"a": [1, (2.5, None)], "b": {"c": True}}
    assert load(pickle.dumps(content))[0] == content
