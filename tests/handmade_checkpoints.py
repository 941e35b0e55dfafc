"""How does one write a checkpoint as torch.save would, or on purpose would not?"""

import collections
import io
import pickle
import zipfile

import torch

MAGIC = 0x1950A86A20F9469CFC6C
MACHINE = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"int": 4}}


class Storage:
    """Pickled as the persistent id of a storage."""

    def __init__(self, key="0", numel=6, *view, kind=torch.FloatStorage):
        self.pid = ("storage", kind, key, "cpu", numel, *view)


class Tensor:
    """Pickled as the call that rebuilds a tensor from a storage."""

    def __init__(self, storage, offset=0, size=(2, 3), stride=(3, 1), **more):
        hooks = collections.OrderedDict()
        self.arguments = (storage, offset, size, stride, False, hooks, *more.values())

    def __reduce__(self):
        return torch._utils._rebuild_tensor_v2, self.arguments


class Pickler(pickle.Pickler):
    def persistent_id(self, obj):
        return obj.pid if isinstance(obj, Storage) else None


def described(content, protocol=2):
    """Return the pickle of an object with storages."""
    stream = io.BytesIO()
    Pickler(stream, protocol).dump(content)
    return stream.getvalue()


def write_zip(path, description, storages=(), root="archive", **options):
    """Write a zip archive; `storages` maps keys to bytes, options go to ZipFile."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        archive.writestr(f"{root}/data.pkl", description)
        for key, content in dict(storages).items():
            archive.writestr(f"{root}/data/{key}", content)
    return path


def write_legacy(path, description, storages=(), machine=MACHINE, magic=MAGIC):
    """Write a stream; `storages` maps keys to (number of elements, bytes)."""
    storages = dict(storages)
    parts = [pickle.dumps(part, 2) for part in (magic, 1001, machine)]
    parts += [description, pickle.dumps(list(storages), 2)]
    for numel, content in storages.values():
        parts += [numel.to_bytes(8, "little"), content]
    path.write_bytes(b"".join(parts))
    return path
