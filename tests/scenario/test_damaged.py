"""Damaged scenarios: each is refused with positions inside the file, or calculated; never anything else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import walkthrough
from tests.cli.program import run
from tests.examples import OF_EACH_KIND, some
from tests.scenario.damage import damaged_data, damaged_text, data_of, written
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.scenario.yaml.problems import LINE_BREAK, ScenarioError
from walkthrough.transformer.runs.generation import GenerationError
from walkthrough.transformer.runs.training.step import TrainingError

ROOT = Path(__file__).parents[2]
BUNDLED = sorted(bundled_scenarios().keys() - {"transformer-base"})  # whose weights take seconds
GOOD = [
    *(bundled_scenarios()[name] for name in some([one for one in BUNDLED if one in OF_EACH_KIND], BUNDLED)),
    ROOT / "walkthrough" / "scenario" / "starter.yaml",
    *sorted((ROOT / "tests" / "oracle" / "stored").glob("*.yaml"))[:: some(12, 6)],
]
DAMAGES = some(4, 25)
"""How many of each kind are done to each scenario; many more were tried once."""


def outcome(text: str) -> ScenarioError | None:
    """The error, or None where the text is a scenario; then only a training or generation may fail, with a message."""
    try:
        scenario = walkthrough.parse_scenario(text)
    except ScenarioError as error:
        return error
    try:
        walkthrough.trace(scenario, wanted=())
    except (GenerationError, TrainingError) as failure:
        assert all(problem.line and problem.message.isprintable() for problem in failure.problems)  # noqa: PT017
    return None


def check(text: str) -> None:
    error = outcome(text)
    if error is None:
        return
    lines = LINE_BREAK.split(text.removeprefix("\ufeff"))
    assert error.problems
    for problem in error.problems:
        assert 1 <= problem.line <= len(lines), problem
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1, problem
        assert problem.message
    assert str(error).replace("\n", "").isprintable()


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_undamaged(path: Path) -> None:
    """The writer that damaged scenarios go through does no damage itself."""
    assert outcome(written(data_of(path.read_text("utf-8"))).lstrip("\n")) is None


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_damaged_data(path: Path) -> None:
    """Keys and values deleted, renamed, repeated, exchanged, replaced; rows, columns and numbers lost and added."""
    data = data_of(path.read_text("utf-8"))
    for seed in range(DAMAGES):
        check(damaged_data(data, random.Random(f"{path.stem} {seed}")))


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_damaged_text(path: Path) -> None:
    """Text cut off, cut out, moved, and signs put in anywhere."""
    text = path.read_text("utf-8")
    for seed in range(DAMAGES):
        check(damaged_text(text, random.Random(f"{path.stem} {seed}")))


def test_the_checker_objects_to_a_position_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    check("title: t\n")
    monkeypatch.setattr("walkthrough.scenario.schema.sections.Section.line", 9)
    with pytest.raises(AssertionError):
        check("title: t\n")


@pytest.mark.parametrize("command", [["run"], ["validate"], ["export", "-o", "-", "--format", "json"], ["steps"]])
def test_the_command_line_says_what_is_wrong_and_prints_nothing(command: list[str]) -> None:
    name, *options = command
    ran = run(name, "-", *options, stdin="title: t\ntokens: {}\n")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("<stdin>:1:1: embeddings is missing")
    assert "<stdin>:2:9: expected a list of tokens, found an empty mapping" in ran.stderr
    assert "Traceback" not in ran.stderr
