"""How do tables lie on the disk?"""

import csv
import math
import pathlib

import pyarrow as pa
from pyarrow import parquet


def write_csv(table: pa.Table, path: pathlib.Path) -> pathlib.Path:
    """Write a table as CSV: floats in full, empty where there is no number."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.column_names)
        for line in table.to_pylist():
            writer.writerow([text(value) for value in line.values()])
    return path


def write_parquet(table: pa.Table, path: pathlib.Path) -> pathlib.Path:
    """Write a table as Parquet; equal tables give equal bytes."""
    parquet.write_table(table, path, compression="zstd")
    return path


def text(value: object) -> str:
    """Return a value as it stands in a CSV file."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)
