"""Shell completion: the functions, and the protocol that a shell speaks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.program import run
from tests.views.samples import HOSTILE, as_yaml
from walkthrough.cli import arguments
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.formats import FORMATS


def line(scenario: str | None = None) -> Any:
    """What typer knows of the line so far."""
    return SimpleNamespace(args=[], params={} if scenario is None else {"scenario": scenario})


def bash(*words: str) -> list[str]:
    """What bash is offered for the last word."""
    done = run(
        _WALKTHROUGH_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(["walkthrough", *words]),
        COMP_CWORD=str(len(words)),
        _TYPER_COMPLETE_ARGS=" ".join(["walkthrough", *words]),
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bundled_names() -> None:
    assert arguments.scenario_completion("coo") == [name for name in bundled_scenarios() if name.startswith("coo")]


def test_files_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.yaml", "b.yml", "c.txt", "sub/d.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert arguments.scenario_completion("")[len(bundled_scenarios()) :] == ["a.yaml", "b.yml", "sub/"]
    assert arguments.scenario_completion("./") == ["./a.yaml", "./b.yml", "./sub/"]
    assert arguments.scenario_completion("sub/") == ["sub/d.yaml"]
    assert arguments.scenario_completion("nowhere/") == []


def test_steps_are_those_of_the_scenario() -> None:
    assert arguments.step_completion(line("chai"), "sc") == ["scaled_scores", "scores"]
    assert "encoder.1.norm_1.mean" in arguments.step_completion(line("chai"), "encoder.1.n")
    assert arguments.step_completion(line("help-me"), "quer") == []


@pytest.mark.parametrize("scenario", [None, "-", "no-such-scenario"])
def test_the_usual_steps_without_a_scenario(scenario: str | None) -> None:
    """Standard input is not read: it is the terminal of somebody who has just pressed the tab key."""
    assert arguments.step_completion(line(scenario), "s") == ["scores", "softmax"]
    assert arguments.token_completion(line(scenario), "") == []


def test_tokens() -> None:
    assert arguments.token_completion(line("chai"), "") == ["The", "chai", "is", "hot"]
    assert arguments.token_completion(line("chai"), "h") == ["hot"]


def test_no_token_that_would_break_the_protocol(tmp_path: Path) -> None:
    path = tmp_path / "hostile.yaml"
    scenario = {"title": "x", "tokens": HOSTILE, "embeddings": {"init": "normal"}, "dimensions": {"d_model": 2}}
    path.write_text(as_yaml({**scenario, "output_head": {"w": {"init": "normal"}, "vocabulary": ["a"]}}))
    found = arguments.token_completion(line(str(path)), "")
    assert "[bold]" in found
    assert not [label for label in found if "\n" in label or "\x1b" in label]


def test_formats() -> None:
    complete = arguments.completion_of(FORMATS)
    assert (complete(""), complete("j")) == (list(FORMATS), ["json"])


def test_the_protocol_of_bash() -> None:
    assert bash("ru") == ["run"]
    assert bash("run", "cha") == ["chai"]
    assert bash("run", "chai", "--step", "scal") == ["scaled_scores"]
    assert bash("run", "chai", "--token", "h") == ["hot"]
    assert bash("export", "chai", "--format", "m") == ["markdown"]
    assert bash("run", "chai", "--work", "a") == ["all"]
    assert "--by-hand" in bash("run", "chai", "--b")
