"""`walkthrough steps`: what can be selected, with shapes."""

from __future__ import annotations

from collections.abc import Callable

from tests.cli.program import invoke, run
from tests.views.samples import bundled_trace
from walkthrough.recording.selectors import SelectorError


def test_the_whole_list(golden: Callable[[str, str], None]) -> None:
    golden("steps-chai.txt", run("steps", "chai").stdout)


def test_every_path_selects_its_step() -> None:
    trace = bundled_trace("tea-gpt")
    shown = [line.split()[:2] for line in invoke("steps", "tea-gpt").stdout.splitlines() if not line.startswith(" ")]
    assert shown == [[value.path, f"{value.shape[0]}×{value.shape[1]}"] for value in trace]
    assert all(trace.select(path) == [trace[path]] for path, _ in shown)


def test_the_other_names_of_a_step() -> None:
    lines = invoke("steps", "chai").stdout.splitlines()
    at = lines.index("  = encoder.output")
    assert lines[at - 1].split() == ["encoder.1.norm_2.output", "4×4", "Layer", "norm"]


def test_only_some() -> None:
    lines = invoke("steps", "chai", "--step", "softmax").stdout.splitlines()
    assert [line.split()[0].rpartition(".")[2] for line in lines if not line.startswith(" ")] == [
        "exp",
        "sum",
        "weights",
    ]


def test_a_selector_that_names_nothing() -> None:
    result = invoke("steps", "chai", "--step", "sofmax")
    assert isinstance(result.exception, SelectorError)
    assert str(result.exception) == "no step is called 'sofmax'; did you mean 'softmax'?"
