"""Bars are the clean accuracies, the best on top."""

from analysis import drawn, synthetic_long

from biases_jax.analysis.drawings import natural
from biases_jax.types import Value


def test_bars_are_sorted_and_have_the_intervals():
    long = synthetic_long.long(
        {
            "a": {natural.CLEAN: Value(50.0, 45.0, 56.0, 100)},
            "b": {natural.CLEAN: Value(70.0, 69.0, 71.0, 100)},
            "c": {natural.CLEAN: "partial"},
            "d": {"spectral/lpp": 0.5},
        }
    )
    figure, caption = drawn.figures(natural, long)["top1"]
    [axis] = figure.axes
    assert [text.get_text() for text in axis.get_yticklabels()] == ["b", "a"]
    assert [bar.get_width() for bar in axis.patches] == [70.0, 50.0]
    [whiskers] = axis.collections
    ends = [segment[:, 0].tolist() for segment in whiskers.get_segments()]
    assert ends == [[69.0, 71.0], [45.0, 56.0]]
    assert caption.endswith(
        "Not drawn: c (partial); d (not measured: natural/imagenet)."
    )


def test_no_clean_accuracy_is_no_figure():
    long = synthetic_long.long({"a": {"spectral/lpp": 0.5}})
    assert drawn.figures(natural, long) == {}
