"""How does a figure become a file, and an element of a page?"""

import io
import pathlib
import re

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from biases_jax.analysis.figures import style

# A hundredth of a point is not seen, and half of the file's size.
DRAWN = re.compile(r' (?:d|x|y|transform)="[^"]*"')
LONG = re.compile(r"-?\d+\.\d{3,}")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)  # repeats the texts


def text(figure: Figure) -> str:
    """Return a figure as a self-contained SVG file, the same for the same data."""
    with style.settings():
        buffer = io.BytesIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        FigureCanvasSVG(figure).print_svg(buffer, metadata=nothing)
    written = COMMENT.sub("", buffer.getvalue().decode())
    written = DRAWN.sub(lambda found: LONG.sub(_rounded, found[0]), written)
    lines = (line.rstrip() for line in written.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def _rounded(number: re.Match) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def inline(drawing: str, name: str, title: str) -> str:
    """Return an SVG file as an element for a page.

    Its ids are made the page's own by `name`, its ink is the page's text colour, its
    background the page's, its width the reader's; `title` is what a screen reader says
    (escaped already).
    """
    element = drawing[drawing.index("<svg") :]
    element = re.sub(r'\bid="', f'id="{name}-', element)
    element = element.replace("url(#", f"url(#{name}-")
    element = element.replace('xlink:href="#', f'xlink:href="#{name}-')
    element = element.replace(style.INK, "currentColor").replace(style.PAPER, "none")
    element = re.sub(r' (width|height)="[\d.]+pt"', "", element, count=2)
    opening, rest = element.split(">", 1)
    return f'{opening} role="img"><title>{title}</title>{rest}'


def save(drawing: str, path: pathlib.Path) -> None:
    """Write an SVG file of its own, in black ink on white."""
    printed = drawing.replace(style.INK, "#000000").replace(style.PAPER, "#ffffff")
    path.write_text(printed, encoding="utf-8")
