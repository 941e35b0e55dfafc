"""How does one forge a zip archive: its directory, its names, its compression?"""

import copy
import functools
import io
import struct
import zipfile
import zlib

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
NAMES = [
    "..",
    "../evil",
    "/etc/passwd",
    "C:\\evil",
    "",
    "a\0b",
    "data.pkl",
    "x/data.pkl",
]
NAMES += ["archive/data.pkl", "network/data.pkl", "training/byteorder", "views/../x"]
VALUES = [0, 1, 8, 12, 14, 99, 0xFFFF, 0xFFFE, 255, 0x800, 64]
SIZES = [0, 1, 16, 2**16, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]


class Entry:
    """An entry as it is written; each field can be forged."""

    def __init__(self, name: str, data: bytes):
        self.name, self.data, self.method = name, data, 0
        self.crc, self.stored, self.size = zlib.crc32(data), len(data), len(data)
        self.flags, self.local_extra, self.extra = 0, b"", b""
        self.local_name, self.offset, self.count = None, None, 1

    def compress(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        self.data = packer.compress(self.data) + packer.flush()
        self.method, self.stored = 8, len(self.data)


def entries(data: bytes) -> list[Entry]:
    """Return the entries of an honest archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [Entry(name, archive.read(name)) for name in archive.namelist()]


def archive(parts: list[Entry], end=None, before_end=b"", comment=b"") -> bytes:
    """Write an archive of what the entries say; `end` changes fields of its end."""
    body, directory, count = b"", b"", 0
    for part in parts:
        name = part.name.encode()
        local = name if part.local_name is None else part.local_name.encode()
        offset = len(body) if part.offset is None else part.offset
        sizes = (part.crc, part.stored, part.size)
        body += LOCAL.pack(
            b"PK\3\4", 20, part.flags, part.method, 0, 33, *sizes,
            len(local), len(part.local_extra),
        ) + local + part.local_extra + part.data  # fmt: skip
        directory += part.count * (CENTRAL.pack(
            b"PK\1\2", 20, 20, part.flags, part.method, 0, 33, *sizes,
            len(name), len(part.extra), 0, 0, 0, 0, offset,
        ) + name + part.extra)  # fmt: skip
        count += part.count
    fields = {"n1": count % 2**16, "n2": count % 2**16, "size": len(directory)}
    fields |= {"offset": len(body)} | (end or {})
    numbers = (fields["n1"], fields["n2"], fields["size"], fields["offset"])
    tail = END.pack(b"PK\5\6", 0, 0, *numbers, len(comment)) + comment
    return body + directory + before_end + tail


def fields(rng, data: bytes) -> bytes:
    """Forge one field of a local header, of the directory or of its end, in place."""
    changed = bytearray(data)
    signature = rng.choice([b"PK\3\4", b"PK\1\2", b"PK\1\2", b"PK\5\6", b"PK\6\6"])
    starts, at = [], data.find(signature)
    while at >= 0:
        starts.append(at)
        at = data.find(signature, at + 1)
    if not starts:
        return data
    start = rng.choice(starts)
    if rng.random() < 0.5:
        place = start + rng.randrange(4, 46, 2)
        value = struct.pack("<H", rng.choice(VALUES))
    else:
        place = start + rng.choice([8, 12, 14, 16, 18, 20, 22, 24, 38, 42])
        near = int.from_bytes(data[place : place + 4], "little") + rng.choice(
            [-1, 1, 64]
        )
        value = struct.pack("<I", rng.choice([*SIZES, len(data), near]) % 2**32)
    changed[place : place + len(value)] = value
    return bytes(changed[: len(data)])


def forge(rng, data: bytes) -> bytes:
    """Write the archive again with names, sizes, places or compression that mislead."""
    parts = entries(data)
    one, other = rng.choice(parts), rng.choice(parts)
    action = rng.choice(ACTIONS)
    return action(rng, parts, one, other)


def _name(rng, parts, one, other):
    one.name = rng.choice([*NAMES, other.name, one.name + "x", one.name.upper()])
    return archive(parts)


def _local_name(rng, parts, one, other):
    one.local_name = rng.choice([*NAMES, other.name])
    return archive(parts)


def _duplicate(rng, parts, one, other):
    twin = Entry(
        one.name, rng.choice([one.data[::-1], other.data, b"", rng.randbytes(20)])
    )
    parts.insert(rng.randrange(len(parts) + 1), twin)
    return archive(parts)


def _compress(rng, parts, one, other):
    chosen = parts if rng.random() < 0.3 else [one]
    for part in chosen:
        part.compress()
    return archive(parts)


@functools.cache
def zeros(size: int) -> tuple[bytes, int]:
    """Return that many zeros, compressed a thousandfold, and their checksum."""
    packer, chunk = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(2**16)
    packed, crc = b"", 0
    for _ in range(size // len(chunk)):
        packed, crc = packed + packer.compress(chunk), zlib.crc32(chunk, crc)
    return packed + packer.flush(), crc


def _bomb(rng, parts, one, other):
    described = one.size
    one.size = rng.choice([2**16, 2**22, 2**27])  # the last is over the memory cap
    one.data, one.crc = zeros(one.size)
    one.method, one.stored = rng.choice([8, 8, 0]), len(one.data)
    if rng.random() < 0.6:  # said to be what the pickle describes
        one.size = rng.choice([described, described, described, 16, one.stored])
    return archive(parts)


def _sizes(rng, parts, one, other):
    size = rng.choice([*SIZES, one.size - 1, one.size + 1, one.size * 2]) % 2**32
    one.size = size
    if rng.random() < 0.6:
        one.stored = size
    if rng.random() < 0.3:
        one.crc = zlib.crc32(one.data[:size])
    return archive(parts)


def _offset(rng, parts, one, other):
    one.offset = rng.choice([*SIZES, len(one.data), 1])
    return archive(parts)


def _same_place(rng, parts, one, other):
    """Let two entries be one's bytes: the other reads another tensor's elements."""
    one.data = other.data
    one.crc, one.size, one.stored = other.crc, other.size, other.stored
    one.offset = sum(30 + len(p.name) + p.size for p in parts[: parts.index(other)])
    return archive(parts)


def _zip64(rng, parts, one, other):
    sizes = rng.choice([(one.size, one.size), (2**40, 2**40), (2**63, 1), (0, 0)])
    one.extra = struct.pack("<2H2Q", 1, 16, *sizes)
    one.local_extra = rng.choice([b"", one.extra])
    one.size = one.stored = 2**32 - 1
    return archive(parts)


def _zip64_end(rng, parts, one, other):
    body = archive(parts)
    start, size = body.find(b"PK\1\2"), len(body) - body.find(b"PK\1\2") - END.size
    count = rng.choice([len(parts), len(parts), 0, 2**32, 2**63])
    where = rng.choice([start, start, 0, 2**40, 2**64 - 1])
    length = rng.choice([size, size, size, 2**40, 1])
    record = struct.pack(
        "<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, where
    )
    at = rng.choice([start + size, start + size, 0, 2**63])
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, at, rng.choice([1, 1, 2]))
    end = {"n1": 0xFFFF, "n2": 0xFFFF, "size": 2**32 - 1, "offset": 2**32 - 1}
    return archive(parts, end, record + locator)


def _end(rng, parts, one, other):
    field = rng.choice(["n1", "n2", "size", "offset"])
    limit = 2**16 if field in ("n1", "n2") else 2**32
    value = rng.choice([*SIZES, len(parts) - 1, len(parts) + 1]) % limit
    return archive(parts, {field: value})


def _many(rng, parts, one, other):
    more = Entry("archive/x", b"")
    more.count = rng.choice([2, 100, 1000])
    for number in range(rng.choice([0, 1, 300])):
        parts.append(Entry(f"archive/{number}", b""))
    return archive(rng.choice([parts, [*parts, more]]))


def _harmless(rng, parts, one, other):
    """Change what does not matter: order, flags of text, comments, extra fields."""
    copied = copy.copy(one)
    copied.local_extra = b"FB" + struct.pack("<H", 7) + bytes(7)
    parts[parts.index(one)] = copied
    rng.shuffle(parts)
    for part in parts:
        part.flags = rng.choice([0, 0x800])
    return rng.choice([b"", b"PK\5\6", rng.randbytes(50)]).join(
        [b"", archive(parts, comment=rng.randbytes(rng.choice([0, 9, 70])))]
    )


ACTIONS = (_name, _local_name, _duplicate, _compress, _bomb, _sizes, _offset)
ACTIONS += (_same_place, _zip64, _zip64_end, _end, _many, _harmless, _harmless)
