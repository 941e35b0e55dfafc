"""Are the files of models that are not converted yet there, and what they should be?

Looked for just where the conversion looks. It alone reads them; here only what is
quick to see is seen, unless their sums are asked for.
"""

import json
import pathlib
from collections.abc import Sequence
from typing import NamedTuple

from biases_jax.doctor.findings import Finding
from biases_jax.models import layouts, spec, zoo
from biases_jax.models.names import Reference
from convert import errors, fetch, files, hosts, identity, sniff

# Of a ResNet-50 of width 64: its convolutions and norms, its classifier of 1000.
PARAMETERS = {"backbone": 23_508_032, "head": 2_049_000}
_HALF = 2  # bytes of the smallest number format that checkpoints have
_ZIP_END, _ZIP_TAIL = b"PK\x05\x06", 22 + 2**16  # the end record, and the longest one


class Missing(NamedTuple):
    """A published file that is not there, and the place where it is expected."""

    place: pathlib.Path
    published: spec.Published


class Looked(NamedTuple):
    """What became of one model: a word for the table, faults, what is to be fetched."""

    state: str
    findings: list[Finding]
    missing: list[Missing]


def look(reference: Reference, weights_dir: str, sums: bool) -> Looked:
    """Look for the files of a model, a published one or one at a path.

    Args:
        reference: of no function.
        weights_dir: folder of published files; '' for the user's cache.
        sums: read the files whole and compare their sha256 with the published ones.
    """
    name = reference.name
    row = zoo.MODELS.get(name) or zoo.own(name, layouts.LAYOUTS.get(reference.layout))
    states, found, missing = set(), [], []
    for part, published in files.parts(row).items():
        try:
            path = _path(row, part, reference.path, weights_dir)
        except FileNotFoundError as error:
            if published and not reference.path:
                place = files.folder(weights_dir) / published[0].file
                missing.append(Missing(place, published[0]))
            else:
                found.append(Finding(name, f"{error}; correct the path"))
            continue
        except ValueError as error:
            found.append(Finding(name, str(error)))
            continue
        problem = _problem(path, row, part)
        if not problem and sums:
            problem, state = _identified(path, published, files.folder(weights_dir))
            states.add(state)
        found += [Finding(name, problem)] if problem else []
    if found:
        return Looked("unusable", found, missing)
    if missing:
        return Looked("missing", [], missing)
    return Looked("verified" if states == {"verified"} else "there", [], [])


def place(weights_dir: str) -> str:
    """Return the folder of published files, the user's cache if none is given."""
    return str(files.folder(weights_dir))


def to_fetch(missing: Sequence[Missing], offline: bool) -> list[Finding]:
    """Return the one finding of all missing files: a note if they can be downloaded."""
    if not missing:
        return []
    advice = "save them there yourself"
    offline = offline or fetch.is_offline()
    if not offline:
        advice = f"the stage convert downloads them, or {advice}"
    # Two models may share a file.
    lines = [
        f"{place} from {hosts.page(file.uri)} (sha256 {file.sha256 or 'not published'})"
        for place, file in dict.fromkeys(missing)
    ]
    said = f"got no file of {len(lines)} that are expected; {advice}:"
    return [Finding("weights", "\n   ".join([said, *lines]), grave=offline)]


def _path(row: spec.ModelSpec, part: str, path: str, weights_dir: str) -> pathlib.Path:
    if path:
        return files.find(row, path, weights_dir)[part]
    return files.find_part(row, part, weights_dir)


def _problem(path: pathlib.Path, row: spec.ModelSpec, part: str) -> str:
    """Return what can be seen to be wrong without reading the file, '' if nothing."""
    size = path.stat().st_size
    least = 0
    if (row.width, row.num_classes) == (64, 1000):
        least = _HALF * PARAMETERS[part]
    try:
        with path.open("rb") as stream:
            start = stream.read(sniff.START)
        sniff.check_download(start)
        cut = _cut(path, size, start)
    except (OSError, errors.CheckpointError) as error:
        return f"{path}: {error}; download it again"
    if cut:
        return f"{path}: got a file that is cut off ({cut}); download it again"
    if not least <= size <= sniff.MAX_BYTES:
        return (
            f"{path}: got {size} bytes, expected {least} to {sniff.MAX_BYTES}, as the "
            f"{part} of a ResNet-50 has; download it again"
        )
    return ""


def _cut(path: pathlib.Path, size: int, start: bytes) -> str:
    """Return why a file lacks its end, as far as its format tells; '' if not."""
    container = sniff.container(start)
    with path.open("rb") as stream:
        if container == sniff.ZIP:
            stream.seek(max(size - _ZIP_TAIL, 0))
            return "" if _ZIP_END in stream.read() else "a zip archive without its end"
        if container != sniff.SAFETENSORS:
            return ""
        length = int.from_bytes(stream.read(8), "little")
        try:
            header = json.loads(stream.read(length))
            ends = [
                entry["data_offsets"][1]
                for entry in header.values()
                if "data_offsets" in entry
            ]
            whole = 8 + length + max(ends, default=0)
        except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
            return "its list of tensors is damaged"
    return "" if whole == size else f"{size} of {whole} bytes"


def _identified(
    path: pathlib.Path, published: Sequence[spec.Published], folder: pathlib.Path
) -> tuple[str, str]:
    """Return what is wrong with a file's sum, '' if nothing, and what it proves."""
    try:
        found = identity.identify(path, published, folder)
    except (OSError, errors.CheckpointError) as error:
        return str(error), ""
    return "", "verified" if found.verified else "there"
