"""Which class is meant by a folder's name, and which example by a file's name?"""

import hashlib
import importlib.resources
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import UInt32, UInt64


def _data(file: str) -> dict[str, Any]:
    path = importlib.resources.files("biases_jax").joinpath("data", file)
    return json.loads(path.read_text(encoding="utf-8"))


_DATA = _data("imagenet_classes.json")
_SIXTEEN = _data("sixteen_classes.json")

WNIDS: tuple[str, ...] = tuple(_DATA["wnids"])  # sorted; position = class index
NAMES: tuple[str, ...] = tuple(_DATA["names"])  # short English names
IMAGENET_A: tuple[int, ...] = tuple(_DATA["imagenet_a"])  # its 200 class indices
IMAGENET_R: tuple[int, ...] = tuple(_DATA["imagenet_r"])

# The sixteen categories of model-vs-human (Geirhos et al. 2021), in its order, and the
# 207 classes that they are made of: each belongs to one, and most classes to none.
CATEGORIES: tuple[str, ...] = tuple(_SIXTEEN["classes"])
CATEGORY_MEMBERS: tuple[tuple[int, ...], ...] = tuple(
    tuple(_SIXTEEN["members"][name]["indices"]) for name in CATEGORIES
)

# Says which class map a result was made with: sha256 of the wnids, one a line.
CLASS_MAP_SHA256: str = hashlib.sha256("\n".join(WNIDS).encode()).hexdigest()

_INDEX = {wnid: index for index, wnid in enumerate(WNIDS)}


def index_of(wnid: str) -> int:
    """Return the class index, 0 to 999, of a WordNet id.

    Raises:
        ValueError: it is none of the 1000.
    """
    if wnid not in _INDEX:
        raise ValueError(
            f"got class {wnid!r}, expected one of the 1000 ImageNet wnids, "
            f"{WNIDS[0]} to {WNIDS[-1]}"
        )
    return _INDEX[wnid]


def describe(index: int) -> str:
    """Return a class for people: 'n01440764 (tench, class 0)'."""
    return f"{WNIDS[index]} ({NAMES[index]}, class {index})"


def is_class_folder(name: str) -> bool:
    """Return whether a name has the form of a class folder: a wnid or an integer."""
    return _is_wnid(name) or _is_integer(name)


def class_indices(folders: Sequence[str]) -> dict[str, int]:
    """Return the class index of each class folder of one tree.

    A tree's folders are all wnids ('n01440764') or all integers ('7', '0007').
    Labels never come from sort order: '10' sorts before '2' (ImageNetV2, issue 10).

    Raises:
        ValueError: a name is neither, both kinds meet, a class is unknown or occurs
            in two folders; the message names the folders.
    """
    wrong = [name for name in folders if not is_class_folder(name)]
    if wrong:
        raise ValueError(
            f"got class folders {_some(wrong)}, expected each to be a wnid such as "
            "n01440764 or an integer such as 7; move other folders out of the tree"
        )
    wnids = [name for name in folders if _is_wnid(name)]
    integers = [name for name in folders if _is_integer(name)]
    if wnids and integers:
        raise ValueError(
            f"got both wnids ({_some(wnids)}) and integers ({_some(integers)}) as "
            "class folders, expected one kind; two trees may have been mixed"
        )
    unknown = [name for name in wnids if name not in _INDEX]
    unknown += [name for name in integers if int(name) >= len(WNIDS)]
    if unknown:
        raise ValueError(
            f"got class folders {_some(unknown)}, which are none of the 1000 ImageNet "
            f"classes ({WNIDS[0]} to {WNIDS[-1]}, or 0 to {len(WNIDS) - 1})"
        )
    indices = {name: _INDEX[name] for name in wnids}
    indices |= {name: int(name) for name in integers}
    _refuse_twins(indices)
    return indices


def example_ids(names: Sequence[str]) -> UInt32[np.ndarray, "n 2"]:
    """Return the stable identities of examples, by their published names.

    The first 8 bytes of the name's sha256, as two big-endian words: equal for every
    reader, order, worker and process count.

    Raises:
        ValueError: a name is no text, so that its bytes depend on the machine.
    """
    try:
        encoded = [name.encode() for name in names]
    except UnicodeEncodeError as error:
        raise ValueError(
            f"got the file name {error.object!r}, which is no UTF-8 here; rename the "
            "file, or set PYTHONUTF8=1 where the names are UTF-8 and the locale is not"
        ) from error
    digests = b"".join(hashlib.sha256(name).digest()[:8] for name in encoded)
    return np.frombuffer(digests, ">u4").reshape(-1, 2).astype(np.uint32)


def packed_ids(ids: UInt32[np.ndarray, "n 2"]) -> UInt64[np.ndarray, " n"]:
    """Return ids as one number each, first word high: the column that tables join."""
    words = ids.astype(np.uint64)
    return (words[:, 0] << np.uint64(32)) | words[:, 1]


def order_sha256(ids: UInt64[np.ndarray, " n"]) -> str:
    """Return the hash (hex) of packed ids in the order given.

    Blocks of results whose sources have equal hashes can be merged.
    """
    return hashlib.sha256(ids.astype(">u8").tobytes()).hexdigest()


def _refuse_twins(indices: dict[str, int]) -> None:
    folder_of: dict[int, str] = {}
    for name, index in indices.items():
        if index in folder_of:
            raise ValueError(
                f"got two folders for class {index}, {folder_of[index]!r} and "
                f"{name!r}, expected one; merge them"
            )
        folder_of[index] = name


def _is_wnid(name: str) -> bool:
    return re.fullmatch(r"n[0-9]{8}", name) is not None


def _is_integer(name: str) -> bool:
    return re.fullmatch(r"[0-9]{1,4}", name) is not None


def _some(names: Sequence[str], limit: int = 5) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(repr(name) for name in sorted(names)[:limit]) + more
