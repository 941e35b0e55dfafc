"""How is what was found about a model kept for the report and for programs?"""

import dataclasses
import datetime
import json
import math
import os
import pathlib
import types
from typing import Any

from biases_jax.parity import comparison, images, runs

FORMAT = 1  # grows when the file's fields change their meaning
# What is said of a model whose file cannot be read, and is there in every file.
UNREADABLE = {
    "weights_sha256": "",
    "verdict": "",
    "agrees": False,
    "rows": (),
    "about": types.MappingProxyType({}),
}


def write(
    folder: str | os.PathLike, result: comparison.Result, found: images.Images
) -> pathlib.Path:
    """Write `folder/<model>.json`, all numbers in full; return its path.

    What is not finite is null there, since JSON has no such numbers.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "format": FORMAT,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        **dataclasses.asdict(result),
        "agrees": result.agrees,
        "images": {"names": found.names, "sha256": found.sha256},
    }
    path = folder / f"{result.model}.json"
    part = folder / f".{result.model}.{os.getpid()}.part"
    part.write_text(json.dumps(_finite(record), indent=1, allow_nan=False) + "\n")
    part.replace(path)
    return path


def read(folder: str | os.PathLike) -> list[dict[str, Any]]:
    """Return what was written, by the model's name; nothing if nothing was.

    A file that is damaged or of another format costs its own record only, whose
    verdict then says so.
    """
    return [_read(path) for path in sorted(pathlib.Path(folder).glob("*.json"))]


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text())
        if record["format"] != FORMAT:
            return _unreadable(path, f"of format {record['format']}, not {FORMAT}")
        for row in record["rows"]:
            stages = row["comparison"]["stages"]
            _ = [stages[name]["relative"] for name in ("logits", runs.GRADIENT)]
        _ = record["images"]["sha256"], record["date"][:10], record["about"].get("here")
        lacking = {"model", *UNREADABLE} - set(record)
        return _unreadable(path, f"without {sorted(lacking)}") if lacking else record
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return _unreadable(path, f"damaged ({type(error).__name__}: {error})")


def _unreadable(path: pathlib.Path, why: str) -> dict[str, Any]:
    verdict = f"not known: {path.name} is {why}; run --stage=parity again"
    return {"model": path.stem, **UNREADABLE, "verdict": verdict}


def _finite(value: Any) -> Any:
    """Return a record with None in the place of each number that is not finite."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
