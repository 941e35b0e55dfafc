"""Which damaged or hostile file has a seed and an index? Always the same one."""

import io
import json
import pathlib
import pickle
import pickletools
import random
from typing import NamedTuple

import mutated_pickles
import mutated_zips


class Mutated(NamedTuple):
    """A file, how it was made, and whether all that can be read must be unchanged."""

    kind: str
    base: str
    content: bytes
    intact: bool


def read_bases(folder: pathlib.Path) -> dict[str, bytes]:
    """Return the files that `fuzz_bases` wrote, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def make(bases: dict[str, bytes], seed: int, index: int) -> Mutated:
    """Return the file of a number; the kinds take turns."""
    rng = random.Random(f"{seed}/{index}")
    kind, suffixes, mutate = KINDS[index % len(KINDS)]
    base = rng.choice([name for name in bases if name.endswith(suffixes)])
    content = mutate(rng, bases[base], bases)
    # Each entry of a zip archive has its checksum, and these kinds mend none.
    unmended = ("bits", "splices", "blocks", "directory")
    intact = base.endswith(".zip") and kind in unmended
    return Mutated(kind, base, content, intact)


def _places(data: bytes) -> list[int]:
    """Where parts of a file begin: headers, pickles, elements, and the end."""
    found = [0, 1, 8, len(data) - 1, len(data) - 22, len(data) // 2]
    for mark in (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"\x80\x02", b"}", b"ctorch", b"X\0"):
        at = data.find(mark)
        while 0 <= at and len(found) < 500:
            found += [at, at + len(mark)]
            at = data.find(mark, at + 1)
    return found


def _place(rng, data):
    place = rng.choice([rng.randrange(len(data)), rng.choice(_places(data))])
    return min(max(0, place + rng.choice([0, 0, -1, 1])), len(data) - 1)


def _ends(rng, data, bases):
    """Cut the file, or let something follow or precede it."""
    other = rng.choice(
        [rng.randbytes(rng.randrange(1, 100)), bytes(64), *bases.values()]
    )
    cut = data[: _place(rng, data)]
    return rng.choice([cut, cut, cut, cut + bytes(len(data) - len(cut)), data + other])


def _bits(rng, data, bases):
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        changed[_place(rng, data)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _splices(rng, data, bases):
    """Overwrite, insert or delete some bytes."""
    place, length = _place(rng, data), rng.choice([1, 2, 4, 8, 40, 300])
    other = rng.choice([data, *bases.values()])
    start = rng.randrange(len(other))
    new = rng.choice(
        [
            rng.randbytes(length),
            b"\0" * length,
            b"\xff" * length,
            other[start:][:length],
        ]
    )
    removed = rng.choice([len(new), len(new), 0, length])
    if rng.random() < 0.2:
        new = b""
    return data[:place] + new + data[place + removed :]


def _blocks(rng, data, bases):
    """Exchange two blocks of the file."""
    a, b, c, d = sorted(_place(rng, data) for _ in range(4))
    if rng.random() < 0.5:
        length = rng.choice([1, 4, 16])
        b, c = min(a + length, c), max(b, d - length)
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _pickled(mutate):
    """Return the mutation of the pickle that describes a file of torch.save."""

    def apply(rng, data, bases):
        if data.startswith(b"PK"):
            entries = mutated_zips.entries(data)
            (one,) = (e for e in entries if e.name.endswith("/data.pkl"))
            fresh = mutated_zips.Entry(one.name, _changed(mutate, rng, one.data))
            entries[entries.index(one)] = fresh
            return mutated_zips.archive(entries)
        pickles, rest = legacy_parts(data)
        place = rng.choice([3] * 8 + [0, 1, 2, 4])
        pickles[place] = _changed(mutate, rng, pickles[place])
        return b"".join(pickles) + rest

    return apply


def _changed(mutate, rng, data):
    parts = mutated_pickles.operations(data)
    try:
        mutate(rng, parts)
    except IndexError:  # a small pickle without such operations
        mutated_pickles.structure(rng, parts)
    return b"".join(parts)


def legacy_parts(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the five pickles of a stream, and the elements after them."""
    stream, pickles = io.BytesIO(data), []
    for _ in range(5):
        start = stream.tell()
        for _ in pickletools.genops(stream):
            pass
        pickles.append(data[start : stream.tell()])
    return pickles, data[stream.tell() :]


def _keys(rng, data, bases):
    """Forge the keys and counts of a stream's storages, its machine or its number."""
    pickles, rest = legacy_parts(data)
    keys = pickle.loads(pickles[4])
    action = rng.randrange(7)
    if action == 0:
        counts = [0, 1, 2**20, 2**31, 2**62, 2**63, 2**64 - 1, rng.randrange(999)]
        place = rng.choice([0, rng.randrange(max(1, len(rest) - 8))])
        rest = (
            rest[:place] + rng.choice(counts).to_bytes(8, "little") + rest[place + 8 :]
        )
    elif action == 1:
        rng.shuffle(keys)
    elif action == 2:
        place = rng.randrange(len(keys))
        keys[place] = rng.choice(["", "0", 3, None, keys[0], "x" * 3000, ("a",), [1]])
    elif action == 3:
        keys = rng.choice([keys[:-1], keys[1:], keys * 2, [], tuple(keys), {}, None])
    elif action == 4:
        machine = pickle.loads(pickles[2]) | {
            "little_endian": rng.choice([False, 1, 0])
        }
        pickles[2] = pickle.dumps(rng.choice([machine, {}, None, []]), 2)
    elif action == 5:
        pickles[rng.randrange(2)] = pickle.dumps(
            rng.choice([1001, 1002, 2**70, "x"]), 2
        )
    else:  # harmless: another protocol, another machine
        pickles[2] = pickle.dumps({"little_endian": True}, rng.choice([0, 2, 4]))
    pickles[4] = pickle.dumps(keys, rng.choice([1, 2, 4]))
    return b"".join(pickles) + rest


def _fields(rng, data, bases):
    return mutated_zips.fields(rng, data)


def _entries(rng, data, bases):
    return mutated_zips.forge(rng, data)


def _header(rng, data, bases):
    """Change the header of a .safetensors file, entry by entry."""
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    name = rng.choice([key for key in header if key != "__metadata__"])
    entry, action = header[name], rng.randrange(9)
    if action == 0:
        change = rng.choice([-4, -1, 1, 4, 2**20, 2**62, 2**64])
        entry["data_offsets"][rng.randrange(2)] += change
    elif action == 1:
        shape = rng.choice([[2**62, 4], [2**63], [-1], [0], [], [1.5], ["2"], [1] * 99])
        entry["shape"] = rng.choice([shape, entry["shape"][::-1], [*entry["shape"], 1]])
    elif action == 2:
        entry["dtype"] = rng.choice(["F64", "I32", "BF16", "F8_E4M3", "U16", "X", 3])
    elif action == 3:
        header[rng.choice(["x", "", "a" * 3000])] = dict(entry)
    elif action == 4:
        del header[name]
    elif action == 5:
        other = rng.choice(list(header))
        header[name], header[other] = header[other], header[name]
    elif action == 6:
        header["__metadata__"] = rng.choice([{"a": "b"}, {}, {"a": 3}, [], None])
    elif action == 7:
        header = {key: header[key] for key in rng.sample(list(header), len(header))}
    else:
        entry[rng.choice(["data_offsets", "shape", "more"])] = rng.choice([None, [], 1])
    text = json.dumps(header).encode() + b" " * rng.choice([0, 1, 8])
    length = len(text) + rng.choice([0] * 9 + [1, -1, 8, 2**24, 2**40])
    return max(0, length).to_bytes(8, "little") + text + body


def _raw_header(rng, data, bases):
    """Write a header that is no honest JSON, or damage its text."""
    length = int.from_bytes(data[:8], "little")
    text, body = data[8 : 8 + length], data[8 + length :]
    n = rng.choice([3, 100, 5000, 100_000])
    place = rng.randrange(len(text))
    text = rng.choice(
        [
            b'{"a":' * n + b"1" + b"}" * n,
            b'{"a":' + b"[" * n,
            b"{" + b'"a":{},' * min(n, 999) + b'"b":{}}',
            text[:-1] + b"," + text[1:],
            text.replace(b'"F32"', b'"I32"'),
            text.replace(b"conv1", b"\\u0063onv1").replace(b"flat", b"fl\\u0000at"),
            text.replace(b":", b": "),
            text[:place] + rng.randbytes(1) + text[place + 1 :],
            text[:place] + rng.choice([b"9", b"0", b"-", b"e9"]) + text[place:],
        ]
    )
    return len(text).to_bytes(8, "little") + text + body


BOTH = (".zip", ".legacy")
ANY = (*BOTH, ".safetensors")
KINDS = (
    ("ends", ANY, _ends),
    ("bits", ANY, _bits),
    ("splices", ANY, _splices),
    ("blocks", ANY, _blocks),
    *((m.__name__, BOTH, _pickled(m)) for m in mutated_pickles.MUTATIONS),
    ("directory", (".zip",), _fields),
    ("entries", (".zip",), _entries),
    ("keys", (".legacy",), _keys),
    ("headers", (".safetensors",), _header),
    ("raw_headers", (".safetensors",), _raw_header),
)
