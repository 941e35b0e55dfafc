"""How does one damage a pickle, operation by operation, or make it hostile?"""

import pickle
import pickletools
import struct

CANARY = "fuzz_canary"  # the file that appears if anything in a pickle is run
SHELL = f"touch {CANARY}"
PYTHON = f"open({CANARY!r}, 'w')"
NUMBERS = [0, 1, 2, 3, 7, 8, 64, 255, 256, 2**16, 2**20, 2**28, 2**31 - 1, 2**31, 2**32]
NUMBERS += [2**40, 2**61 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70]
NUMBERS += [-1, -2, -(2**31), -(2**63), -(2**64)]
NAMES = ["", "0", "1", "99", "..", "../0", "/etc/passwd", "a\0b", "é", "x" * 2000]
NAMES += [
    "state_dict",
    "storage",
    "module",
    "cpu",
    "__class__",
    "_metadata",
    "data.pkl",
]
GLOBALS = [("torch", f"{kind}Storage") for kind in ("Double", "Half", "Long", "Bool")]
GLOBALS += [("torch", "QInt8Storage"), ("torch", "ComplexFloatStorage")]
GLOBALS += [("torch.storage", "UntypedStorage"), ("torch.cuda", "FloatStorage")]
GLOBALS += [("torch._utils", f"_rebuild_{kind}") for kind in ("tensor", "parameter")]
GLOBALS += [("torch._utils", "_rebuild_parameter_with_state")]
GLOBALS += [("torch._tensor", "_rebuild_from_type_v2"), ("collections", "OrderedDict")]
GLOBALS += [("builtins", "dict"), ("nowhere", "nothing")]
ATTACKS = [("os", "system", SHELL), ("posix", "system", SHELL), ("nt", "system", SHELL)]
ATTACKS += [("subprocess", name, SHELL) for name in ("getoutput", "call", "Popen")]
ATTACKS += [("builtins", name, PYTHON) for name in ("exec", "eval")]
ATTACKS += [("__builtin__", "eval", PYTHON), ("builtins", "__import__", "this")]
ATTACKS += [("importlib", "import_module", "antigravity"), ("os", "popen", SHELL)]
ATTACKS += [("runpy", "run_module", "this"), ("pty", "spawn", "id")]
ATTACKS += [
    ("timeit", "timeit", PYTHON),
    ("code", "interact", ""),
    ("ctypes", "CDLL", ""),
]
ATTACKS += [("pathlib", "Path.touch", CANARY), ("os", "mkdir", CANARY)]
ATTACKS += [
    ("webbrowser", "open", "http://127.0.0.1:9"),
    ("torch", "load", "model.pth"),
]
ATTACKS += [("torch.hub", "load", "x"), ("numpy", "load", "model.pth")]
ATTACKS += [("urllib.request", "urlopen", "http://127.0.0.1:9"), ("sys", "exit", "3")]
ATTACKS += [("os", "_exit", "3"), ("convert.state_dict", "read", "model.pth")]
ATTACKS += [("torch.serialization", "os.system", SHELL)]


def operations(data: bytes) -> list[bytes]:
    """Return the bytes of each operation of one pickle."""
    starts = [position for _, _, position in pickletools.genops(data)] + [len(data)]
    return [data[a:b] for a, b in zip(starts, starts[1:], strict=False)]


def integer(value: int) -> bytes:
    """Return the operation that writes an integer."""
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    encoded = pickle.encode_long(value)
    return b"\x8a" + bytes([len(encoded)]) + encoded


def text(value: str) -> bytes:
    """Return the operation that writes a text."""
    encoded = value.encode("utf8", "surrogatepass")
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def named(module: str, name: str) -> bytes:
    return b"c%b\n%b\n" % (module.encode(), name.encode())


def _places(parts, codes):
    return [i for i, part in enumerate(parts) if part[:1] in codes]


def numbers(rng, parts):
    """Change integers: sizes, strides, offsets, counts of elements."""
    places = _places(parts, (b"K", b"M", b"J", b"\x8a"))
    for place in rng.sample(places, min(len(places), rng.choice([1, 1, 1, 2, 4]))):
        old = pickle.loads(parts[place] + b".")
        near = [old + 1, old - 1, old * 2, old // 2, -old, old + 2**32]
        new = rng.choice([rng.choice(near), rng.choice(NUMBERS), rng.randrange(100)])
        other = rng.choice(
            [b"N", b"\x88", b"\x89", b")", b"]", text("3"), b"G" + bytes(8)]
        )
        parts[place] = integer(new) if rng.random() < 0.9 else other


def texts(rng, parts):
    """Change names, keys of storages, and the classes and functions called."""
    for _ in range(rng.choice([1, 1, 2])):
        if rng.random() < 0.5:
            place = rng.choice(_places(parts, (b"X", b"\x8c")))
            others = [
                text(rng.choice(NAMES)),
                parts[rng.choice(_places(parts, b"X\x8c"))],
            ]
            parts[place] = rng.choice(others)
        elif places := _places(parts, (b"c",)):
            others = [named(*rng.choice(GLOBALS)), parts[rng.choice(places)]]
            parts[rng.choice(places)] = rng.choice(others)
        else:
            parts[rng.choice(_places(parts, (b"\x93",)))] = b"00" + named(
                *rng.choice(GLOBALS)
            )


def structure(rng, parts):
    """Duplicate, delete, move and insert operations."""
    for _ in range(rng.choice([1, 1, 2, 5]) if parts else 0):
        place, other = rng.randrange(len(parts)), rng.randrange(len(parts))
        action = rng.randrange(6)
        if action == 0:
            parts.insert(place, parts[place])
        elif action == 1 and len(parts) > 1:
            del parts[place]
        elif action == 2:
            parts[place], parts[other] = parts[other], parts[place]
        elif action == 3:
            code = rng.choice(pickletools.opcodes).code.encode("latin1")
            parts.insert(place, code + rng.randbytes(rng.choice([0, 0, 1, 4])))
        elif action == 4:
            parts[place : place + 3] = parts[other : other + rng.randrange(1, 8)]
        else:  # the same index for two entries of the memo
            memo = _places(parts, (b"q", b"r", b"h", b"j"))
            if memo:
                parts[rng.choice(memo)] = parts[rng.choice(memo)]


def call(rng):
    """Return operations that push what an attack returns."""
    module, name, argument = rng.choice(ATTACKS)
    argument = text(argument)
    found = rng.choice([named(module, name), text(module) + text(name) + b"\x93"])
    dotted = b"cbuiltins\ngetattr\ncbuiltins\n__import__\n%b\x85R%b\x86R" % (
        text(module),
        text(name),
    )
    partial = b"cfunctools\npartial\n%b%b\x86R)R" % (found, argument)
    state = b"ccollections\nOrderedDict\n)R}%b%b%b\x85Rsb" % (
        text("a"),
        found,
        argument,
    )
    return rng.choice(
        [
            found + argument + b"\x85R",
            found + b"(%btR" % argument,
            b"(%b%bo" % (found, argument),
            b"(%bi%b\n%b\n" % (argument, module.encode(), name.encode()),
            found + argument + b"\x85\x81",
            found + argument + b"\x85}\x92",
            dotted + argument + b"\x85R",
            partial,
            state,
            named("torch._tensor", "_rebuild_from_type_v2")
            + found
            + b"N"
            + argument
            + b"\x85}(tR",
            named("torch._utils", "_rebuild_parameter")
            + found
            + argument
            + b"\x85R\x85R",
            found + b")\x81}%b%bsb" % (text("__reduce__"), argument),
            found + b")R" + argument + b"a",
            named("torch", "FloatStorage") + argument + b"\x85R",
            b"\x82\x01",
            b"Pos.system\n",
            b"(" + text("storage") + found + b"tQ",
        ]
    )


def calls(rng, parts):
    """Insert a call of what must never be called, beside the rest or as a value."""
    place = rng.randrange(1, len(parts))
    if rng.random() < 0.6:
        parts.insert(place, call(rng) + b"0")
    else:
        values = _places(parts, (b"K", b"M", b"X", b"N", b"c", b"]", b"}", b"\x88"))
        parts[rng.choice(values)] = call(rng)


def nested(rng):
    """Return operations that push something deep or circular."""
    n = rng.choice([2, 10, 90, 500, 2000, 9000, 20000])
    n = 150_000 if rng.random() < 0.03 else n
    parameter = named("torch._utils", "_rebuild_parameter")
    ordered = b"ccollections\nOrderedDict\n"
    return rng.choice(
        [
            b")" + b"\x85" * n,
            b"]" * n + b"a" * (n - 1),
            b"}" + b"K\x00}" * n + b"s" * n,
            (ordered + b")R" + text("a")) * n + b"N" + b"s" * n,
            b"}" + b")" + b"\x85" * n + b"Ns",
            b"}" + b"N" + b"\x85" * n + b"Ns",
            b"\x8f(" + b"N" + b"\x85" * n + b"\x90",
            b"(" * n + b"N" + b"\x91" * n,
            b"(" * n + b"N" + b"l" * n,
            b"(" * n + b"t" * n,
            parameter * n + b"N" + b"\x85R" * n,
            b"]q\xf0h\xf0a",
            b"}q\xf0K\x00h\xf0s",
            b"}q\xf0h\xf0K\x00s",
            b"]q\xf0h\xf0\x85q\xf1a0h\xf1",
            b")q\xf0" + b"h\xf0h\xf0\x86q\xf0" * min(n, 200),
            b"]q\xf0" + b"]q\xf0h\xf0ah\xf0a0h\xf0" * min(n, 200),
            b"cm\nf\n)R" + b"(" * 3 + b"ooo",
            b"cm\nf\n" + b")R" * n,
            b"N" + b"Q" * min(n, 100),
            b"((" + text("storage") * n + b"tQtQ",
        ]
    )


def keys(rng, n):
    """Return operations that push a dict or a set of keys that may share a hash."""
    key = rng.choice(
        [
            lambda i: integer(i * (2**61 - 1)),
            lambda i: b"G" + struct.pack(">d", 2.0 ** (61 * i % 1000)),
            lambda i: integer(i) + integer(-i) + b"\x86",
            lambda i: b"cm\nf\n)R",
            lambda i: named("m", f"f{i}"),
        ]
    )
    start, value, end = rng.choice([(b"}(", b"N", b"u"), (b"\x8f(", b"", b"\x90")])
    return start + b"".join(key(i) + value for i in range(n)) + end


def flood(rng):
    """Return operations that push something large, slow to hash, or said to be so."""
    n = rng.choice([3, 50, 1000, 5000, 20000])
    n = 60_000 if rng.random() < 0.03 else n
    if rng.random() < 0.25:
        return keys(rng, n)
    big = rng.choice([2**16, 2**28, 2**31 - 1, 2**32 - 1])
    return rng.choice(
        [
            b"Nr" + struct.pack("<I", big),
            b"Np%d\n" % big,
            b"X" + struct.pack("<I", big) + b"a",
            b"\x8b" + struct.pack("<i", big % 2**31) + b"\x01",
            b"\x8e" + struct.pack("<Q", 2 ** rng.randrange(64)) + b"a",
            b"\x8d" + struct.pack("<Q", 2 ** rng.randrange(64)) + b"a",
            b"\x96" + struct.pack("<Q", 2 ** rng.randrange(64)) + b"a",
            b"\x95" + struct.pack("<Q", 2 ** rng.randrange(64)) + b"N",
            b"T" + struct.pack("<i", big % 2**31) + b"a",
            b"L" + b"9" * n + b"L\n",
            b"I" + b"9" * n + b"\n",
            b"F" + b"9" * n + b"\n",
            b"V" + b"\\ud800" * n + b"\n",
            b"(" + b"N2" * n + b"l",
            b"(" + b"\x8f" * n + b"l",
            b"]" + b"\x94" * n,
            text("a" * n) + b"2\x86" * 8,
            named("m" * n, "f"),
            b"(" + b"ccollections\nOrderedDict\n]]NN\x86aa\x85R" * n + b"l",
        ]
    )


def depths(rng, parts):
    """Insert deep, circular or exponential objects."""
    _insert(rng, parts, nested(rng))


def floods(rng, parts):
    """Insert what is large, slow to hash, or said to be large."""
    _insert(rng, parts, flood(rng))


def _insert(rng, parts, pushed):
    place = rng.randrange(1, len(parts))
    if rng.random() < 0.7:
        parts.insert(place, pushed + b"0")
    else:
        parts[rng.choice(_places(parts, (b"K", b"X", b"N", b"]", b"}")))] = pushed


MUTATIONS = (numbers, texts, structure, calls, depths, floods)
