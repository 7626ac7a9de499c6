"""Progress of long work: on a terminal and after a while only, and nothing is left of it."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

from tests.cli.program import invoke, run
from walkthrough.cli import progress as module
from walkthrough.cli.arguments import traced
from walkthrough.cli.progress import progress
from walkthrough.recording.trace import Trace


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """What one line of a terminal has shown, state by state."""
        return [state.rstrip() for state in self.getvalue().split("\r")[1:]]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal, and little patience."""
    stream = Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(module, "PATIENCE", 0.02)
    monkeypatch.setattr(module, "_PAUSE", 0.02)
    return stream


def until(terminal: Terminal, text: str) -> None:
    end = time.monotonic() + 10
    while text not in terminal.getvalue():
        assert time.monotonic() < end, terminal.getvalue()
        time.sleep(0.01)


def test_first_it_loads_then_it_calculates(terminal: Terminal) -> None:
    values = Trace()
    with progress() as shown:
        until(terminal, "loading …")
        shown.watch(values)
        until(terminal, "calculating … 0 values")
        values.values.update(dict.fromkeys(map(str, range(1234))))  # type: ignore[arg-type]
        until(terminal, "calculating … 1,234 values")
    states = terminal.lines()
    assert set(states) == {"loading …", "calculating … 0 values", "calculating … 1,234 values", ""}
    assert states[-2:] == ["", ""], "the line is wiped, and the next text begins at its start"


def test_a_shorter_text_wipes_a_longer_one(terminal: Terminal) -> None:
    shown = module.Progress(terminal)
    shown.watch(Trace())
    shown.show()
    shown.trace = None
    shown.show()
    assert terminal.getvalue() == "\rcalculating … 0 values\rloading …             "


def test_a_training_says_which_step_it_is_at(terminal: Terminal) -> None:
    trace = Trace()
    shown = module.Progress(terminal)
    shown.watch(trace, 1200)
    for path in (None, "train.7.input", "train.1000.loss.mean", "training"):
        if path is not None:
            trace.values[path] = None  # type: ignore[assignment]
        shown.show()
    assert terminal.lines() == [
        "training … step 1 of 1,200",
        "training … step 7 of 1,200",
        "training … step 1,000 of 1,200",
        "training … step 1,000 of 1,200",
    ]


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=stream))
    with progress():
        pass
    assert stream.getvalue() == ""


def test_a_failure_leaves_nothing_behind(terminal: Terminal) -> None:
    def work() -> None:
        with progress():
            until(terminal, "loading")
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        work()
    assert terminal.lines()[-1] == ""


def test_a_terminal_that_is_gone_does_not_matter(terminal: Terminal) -> None:
    with progress():
        terminal.close()
        time.sleep(0.1)


def test_a_calculation_is_watched(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = []
    monkeypatch.setattr(module.Progress, "watch", lambda self, *of: watched.append((*of, len(of[0]))))
    trace = traced("chai")
    ((record, steps, begun),) = watched
    assert (steps, begun) == (1, 0)
    assert list(record) == list(trace)
    assert len(trace) > 30


def test_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    assert invoke("run", "chai").stderr == ""
    assert run("steps", "not-on-your-life").stderr == ""


def test_last_it_writes(terminal: Terminal) -> None:
    with progress() as shown:
        shown.writing = "a\nfile.xlsx"
        until(terminal, r"writing a\nfile.xlsx …")
