"""Figures as objects, for the tests of what is drawn of a long table."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from biases_jax.analysis.drawings.numbers import Numbers
from biases_jax.analysis.figures import svg


def figures(phenomenon, long):
    """Return {name: (figure, caption)} of what a phenomenon makes of a table."""
    drawn = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svg, "text", lambda figure: drawn.append(figure) or "")
        group = phenomenon.group(Numbers(long))
    if group is None:
        assert not drawn
        return {}
    assert len(drawn) == len(group.drawings)
    return {
        drawing.name: (figure, drawing.caption)
        for drawing, figure in zip(group.drawings, drawn, strict=True)
    }


def lines(axis, label):
    """Return the points of the line of this label, as lists of x and y."""
    [line] = [line for line in axis.lines if line.get_label() == label]
    return [float(x) for x in line.get_xdata()], [float(y) for y in line.get_ydata()]


def labels(figure):
    """Return the texts of a figure's legend, in order."""
    [legend] = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def inside(figure):
    """Return whether no legend or title sticks out of the figure."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    width, height = figure.get_size_inches() * figure.dpi
    boxes = [legend.get_window_extent(renderer) for legend in figure.legends]
    boxes += [axis.get_tightbbox(renderer) for axis in figure.axes]
    return all(
        -1 <= box.x0 and box.x1 <= width + 1 and -1 <= box.y0 and box.y1 <= height + 1
        for box in boxes
    )
