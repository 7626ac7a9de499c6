"""Loading a scenario: file → keys → shapes → numbers. Nothing after this meets bad input."""

from __future__ import annotations

import math
import os
from os import PathLike
from pathlib import Path

from walkthrough.errors import expect, expect_text
from walkthrough.scenario.idle import warn_of_idle_keys
from walkthrough.scenario.scenario import Scenario, numbers_of, scenario_in
from walkthrough.scenario.sources import ScenarioSource, open_source
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.scenario.yaml.problems import Problem, Problems, ScenarioError
from walkthrough.transformer.calculation import ShapeCalculation
from walkthrough.transformer.claims import MOST_NUMBERS
from walkthrough.transformer.shapes import check_shapes, read_shapes

MANY = 10_000_000
"""More numbers in weights files are read when they are wanted: 80 MB as float64."""


def load_scenario(name: str | PathLike[str]) -> Scenario:
    """The scenario of a file, of a bundled name such as `chai`, or of standard input (`-`), with its weights.

    Of many numbers in files none is read before it is wanted.
    Raises ScenarioError, which holds every problem of the file with its line and column.
    """
    expect(isinstance(name, str | PathLike), "name", "a path or the name of a bundled scenario", name)
    return with_few_arrays(read_scenario(name))


def with_few_arrays(scenario: Scenario) -> Scenario:
    """The scenario with the numbers of its matrices, unless there are many in files."""
    return scenario.replace(sparing=True) if _has_many(scenario) else with_arrays(scenario)


def _has_many(scenario: Scenario) -> bool:
    """Whether there are many numbers in files; their shapes are known."""
    sizes = ((matrix.rows or 0) * (matrix.columns or 0) for matrix in matrices_in(scenario.spec) if matrix.tensor)
    return sum(sizes) > MANY


def check_numbers(scenario: Scenario) -> None:
    """That all numbers of a large model can be held at once. Raises ScenarioError."""
    problems = Problems()
    check_shapes(scenario, problems, MOST_NUMBERS)
    if problems:
        raise ScenarioError(scenario.source.name, problems.found, scenario.source.text)


def parse_scenario(text: str, name: str = "<text>") -> Scenario:
    """The scenario written in a YAML text, with its weights. Raises ScenarioError."""
    expect_text(text, "text", "the text of a scenario")
    expect_text(name, "name")
    return with_arrays(scenario_of(ScenarioSource(name, text, Path())))


def read_scenario(name: str | PathLike[str]) -> Scenario:
    """A scenario as `load_scenario` gives it, checked, but without its weights. Raises ScenarioError."""
    return scenario_of(open_source(os.fsdecode(name)))


def scenario_of(source: ScenarioSource) -> Scenario:
    """Reads and checks the text of a source. Raises ScenarioError."""
    return walked_scenario(source)[0]


def walked_scenario(source: ScenarioSource, most_numbers: float = MOST_NUMBERS) -> tuple[Scenario, ShapeCalculation]:
    """The same, and the walk over its shapes that has checked it; `most_numbers` may be made when it is traced."""
    problems = Problems()
    scenario = scenario_in(source, problems)
    if scenario is not None:
        read_shapes(scenario, problems)
        # what a large model makes of its numbers is let go again; where it is not, check_numbers says so
        walked = check_shapes(scenario, problems, math.inf if _has_many(scenario) else most_numbers)
        warn_of_idle_keys(scenario.spec, problems)
    if problems or scenario is None:
        raise ScenarioError(source.name, problems.found, source.text)
    return scenario.replace(warnings=problems.warnings), walked


def check_files(scenario: Scenario) -> None:
    """Reads the weights files and keeps nothing of them. Raises ScenarioError, with all tensors that are at fault."""
    problems: list[Problem] = []
    for matrix in matrices_in(scenario.spec):
        if matrix.tensor is not None:
            try:
                numbers_of(matrix, scenario)
            except ScenarioError as error:
                problems += error.problems
    if problems:
        raise ScenarioError(scenario.source.name, problems, scenario.source.text)


def with_arrays(scenario: Scenario) -> Scenario:
    """The scenario with the numbers of all its matrices; one to be made has no shape where nothing reads it."""
    for matrix in matrices_in(scenario.spec):
        if matrix.init is not None and matrix.columns is None:
            continue
        scenario.arrays[matrix] = numbers_of(matrix, scenario)
    return scenario
