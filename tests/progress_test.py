"""Is progress told at a pace that suits the reader?"""

import sys

from biases_jax import progress


def test_lines_come_now_and_then_with_rate_and_time_left(monkeypatch, caplog):
    caplog.set_level("INFO", logger="absl")
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    shown = progress.Progress(100, "imagenet x 2 models")
    for second in range(1, 61):
        clock[0] = float(second)
        shown.add(1, "natural/imagenet")
    shown.close()
    assert len(caplog.records) == 2  # after 30 and 60 seconds
    assert (
        "60 of 100 forwards (1.0 images/s, natural/imagenet), 40 s to go"
        in (caplog.messages[-1])
    )


def test_a_terminal_has_a_bar_and_no_lines(monkeypatch, caplog, capsys):
    caplog.set_level("INFO", logger="absl")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = progress.Progress(10, "imagenet x 2 models")
    shown.add(10, "spectral/low_pass/0.1")
    shown.close()
    bar = capsys.readouterr().err
    assert "imagenet x 2 models: 100%" in bar
    assert "spectral/low_pass/0.1" in bar
    assert caplog.records == []


def test_bytes_are_told_in_millions_and_those_of_before_have_no_rate(
    monkeypatch, caplog
):
    caplog.set_level("INFO", logger="absl")
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    shown = progress.Progress(100_000_000, "a.pth", progress.BYTES, done=40_000_000)
    clock[0] = 40.0
    shown.add(20_000_000, "host")
    shown.close()
    assert caplog.messages == ["a.pth: 60 of 100 MB (0.5 MB/s, host), 80 s to go"]
