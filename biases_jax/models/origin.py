"""Which weights is a converted checkpoint, and are they those that were asked for?"""

import functools
import hashlib
import pathlib
from collections.abc import Mapping
from typing import Any

from biases_jax.models.functions import ModelError
from biases_jax.models.names import Reference

USUAL_STEM_STRIDE = 2


def identity(manifest: Mapping[str, Any]) -> str:
    """Return the hash that stands for a converted checkpoint in results.

    It is that of its arrays, unless the stride of the stem, which shows in no array,
    is unusual.
    """
    stride = manifest["stem_stride"]
    if stride == USUAL_STEM_STRIDE:
        return manifest["weights_sha256"]
    text = f"{manifest['weights_sha256']} stem_stride {stride}"
    return hashlib.sha256(text.encode()).hexdigest()


def check(reference: Reference, manifest: Mapping[str, Any]) -> None:
    """Refuse a conversion of another file, or by another layout.

    A file that is there must have the sum of the converted one. One that is gone must
    have had the same path.

    Raises:
        ModelError: it is of another one, or the file changed; says to convert it.
    """
    sources = manifest.get("sources", {})
    if not reference.path or not sources:
        return
    if reference.layout and reference.layout != manifest.get("layout"):
        raise _refusal(reference, f"the layout {manifest.get('layout')!r}")
    asked = pathlib.Path(reference.path).expanduser().absolute()
    for source in sources.values():
        file = asked / source["file"] if asked.is_dir() else asked
        then = pathlib.Path(source["path"])
        if file.is_file():
            same = _sha256(file, file.stat().st_mtime_ns) == source["sha256"]
            if not same and file == then:
                raise ModelError(
                    f"{reference.name}: got another file at {file} than the one that "
                    "was converted, expected the same sha256; run --stage=convert, or "
                    "restore the file"
                )
        else:
            same = asked in (then, then.parent)
        if not same:
            raise _refusal(reference, source["path"])


@functools.lru_cache(maxsize=256)
def _sha256(path: pathlib.Path, changed: int) -> str:
    """The sum of a file; `changed` is when, since later it may be another."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _refusal(reference: Reference, converted: str) -> ModelError:
    return ModelError(
        f"{reference.name}: got a conversion of {converted}, expected one of "
        f"{reference.path}{' as ' + reference.layout if reference.layout else ''}; run "
        "--stage=convert, or give what was converted"
    )
