"""Progress of long work: on a terminal and after a while only, and nothing is left of it."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

import walkthrough as wt
from tests.cli.program import invoke, run
from walkthrough.cli import progress as module
from walkthrough.cli.loading import calculate
from walkthrough.cli.progress import Progress, progress
from walkthrough.recording.trace import Trace

HIDE_CURSOR, SHOW_CURSOR, ERASE_LINE = "\x1b[?25l", "\x1b[?25h", "\x1b[2K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal, and little patience."""
    stream = Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(module, "PATIENCE", 0.02)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def until(terminal: Terminal, text: str) -> None:
    end = time.monotonic() + 10
    while text not in terminal.getvalue():
        assert time.monotonic() < end, terminal.getvalue()
        time.sleep(0.01)


def assert_wiped(terminal: Terminal) -> None:
    """Nothing stands on the line any more, and the cursor is back."""
    shown = terminal.getvalue()
    assert shown.count(HIDE_CURSOR) == shown.count(SHOW_CURSOR) == 1
    assert ERASE_LINE in shown[shown.rindex(SHOW_CURSOR) :]


def test_first_it_loads_then_it_calculates_then_it_writes(terminal: Terminal) -> None:
    values = Trace()
    with progress() as shown:
        until(terminal, "loading …")
        shown.watch(values)
        until(terminal, "calculating: 0 values …")
        values.values.update(dict.fromkeys(map(str, range(1234))))  # type: ignore[arg-type]
        until(terminal, "calculating: 1,234 values …")
    assert_wiped(terminal)


def test_a_training_says_which_step_it_is_at() -> None:
    trace, shown = Trace(), Progress()
    shown.watch(trace)
    trace.progress = "training step 7 of 1,200"
    assert str(shown.__rich__()) == "training step 7 of 1,200 …"


def test_a_deep_model_says_which_layer_it_is_at_and_how_long_the_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    trace, shown, now = Trace(), Progress(), [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    shown.watch(trace)
    trace.layer = 1, 16
    assert str(shown.__rich__()) == "layer 1 of 16"
    trace.layer, now[0] = (3, 16), 110.0
    assert str(shown.__rich__()) == "layer 3 of 16 · 1:10 left"


def test_a_model_tells_which_layer_it_has_come_to() -> None:
    trace = wt.trace(wt.load_scenario("tea-gpt"))
    assert trace.layer == (1, 1)


def test_quick_work_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 60)
    with progress():
        pass
    assert terminal.getvalue() == ""


def test_a_failure_leaves_nothing_behind(terminal: Terminal) -> None:
    def work() -> None:
        with progress():
            until(terminal, "loading")
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        work()
    assert_wiped(terminal)


def test_a_calculation_is_watched(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = []
    monkeypatch.setattr(Progress, "watch", lambda self, trace: watched.append((trace, len(trace))))
    trace = calculate("chai")
    ((record, begun),) = watched
    assert begun == 0
    assert list(record) == list(trace)
    assert len(trace) > 30


def test_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    assert invoke("run", "chai").stderr == ""
    assert run("steps", "not-on-your-life").stderr == ""


def test_what_is_written_is_named_and_harmless(terminal: Terminal) -> None:
    with progress() as shown:
        shown.text = "writing [red]a[/red] …"
        until(terminal, "writing [red]a[/red] …")
