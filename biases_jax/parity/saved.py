"""How is what was found about a model kept for the report and for programs?"""

import dataclasses
import datetime
import json
import os
import pathlib
from typing import Any

from biases_jax.parity import comparison, images

FORMAT = 1  # grows when the file's fields change their meaning


def write(
    folder: str | os.PathLike, result: comparison.Result, found: images.Images
) -> pathlib.Path:
    """Write `folder/<model>.json`, all numbers in full; return its path."""
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
    part.write_text(json.dumps(record, indent=1) + "\n")
    part.replace(path)
    return path


def read(folder: str | os.PathLike) -> list[dict[str, Any]]:
    """Return what was written, by the model's name; nothing if nothing was.

    Raises:
        ValueError: a file is damaged, or of another format.
    """
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            record = json.loads(path.read_text())
            written = record["format"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path}: got a damaged file ({type(error).__name__}: {error}); delete "
                "it and run --stage=parity again"
            ) from error
        if written != FORMAT:
            raise ValueError(
                f"{path}: got format {written}, expected {FORMAT}; run --stage=parity "
                "again"
            )
        found.append(record)
    return found
