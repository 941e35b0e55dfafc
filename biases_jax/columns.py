"""How do lines of cells become text in columns?"""

from collections.abc import Sequence


def aligned(lines: Sequence[Sequence[str]], names: int = 2) -> str:
    """Return lines of cells as text in columns: first `names` left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if index < names else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
