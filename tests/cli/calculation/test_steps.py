"""`walkthrough steps`: what can be selected, with shapes."""

from __future__ import annotations

import json

import pytest

from tests.cli.program import invoke
from tests.examples import all_in_a_thorough_run
from tests.views.samples import bundled_trace
from walkthrough import library
from walkthrough.recording.selectors import SelectorError
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.transformer.loading.load import read_scenario
from walkthrough.transformer.shapes import is_one_pass
from walkthrough.views.report.steps import report


def listed(*arguments: str) -> list[str]:
    """The lines below the map."""
    return invoke("steps", *arguments).stdout.partition("\n\n")[2].splitlines()


def test_every_path_selects_its_step() -> None:
    trace = bundled_trace("tea-gpt")
    shown = [line.split()[:3] for line in listed("tea-gpt") if line.split()[0] != "="]
    assert shown == [[f"{n}", value.path, "{}×{}".format(*value.shape)] for n, value in enumerate(trace, 1)]
    assert all(trace.select(path) == [trace[path]] for _, path, _ in shown)


def test_the_other_names_of_a_step() -> None:
    lines = [line.split() for line in listed("chai")]
    at = lines.index(["=", "encoder.output"])
    assert lines[at - 1] == ["37", "encoder.1.norm_2.output", "4×4", "Layer", "norm"]


@pytest.mark.parametrize("name", all_in_a_thorough_run(bundled_scenarios()))
def test_without_numbers_there_are_the_same_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one pass nothing is calculated, and all that is said of a step is what is said of the calculated one."""
    trace = bundled_trace(name)
    if is_one_pass(read_scenario(name)):
        monkeypatch.setattr(library, "calculate", None)
    shown = json.loads(invoke("steps", name, "--format", "json").stdout)
    assert shown == json.loads(json.dumps(report(trace, list(trace)).data()))


def test_what_numbers_decide_on_is_there_where_they_are_asked_for() -> None:
    """Scores whose exponentials overflow are shifted."""
    paths = [line.split()[1] for line in listed("help-me", "--set", "scores[help, me]=4000")]
    assert "attention.head.1.softmax.shifted" in paths


def test_a_selector_that_names_nothing() -> None:
    result = invoke("steps", "chai", "--step", "sofmax")
    assert isinstance(result.exception, SelectorError)
    assert str(result.exception) == "no step is called 'sofmax'; did you mean 'softmax'?"
