"""The same scenario, looked into: with parts to inspect that its file does not ask for."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

from walkthrough.recording.selectors import parse_words, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.values import INSPECTIONS, Inspection
from walkthrough.scenario.yaml.nodes import ScalarNode
from walkthrough.scenario.yaml.problems import Problems, ScenarioError
from walkthrough.transformer.shapes import check_shapes


def inspect_scenario(scenario: Scenario, names: Sequence[str] = (), position: str = "") -> Scenario:
    """The scenario with these parts to inspect, in place of its own; without names with all that apply.

    position: the label or number of the row for attribution; empty for the last one
    Raises ScenarioError where one that is named does not apply, or none does, and says why.
    """
    if scenario.spec.training is not None:
        message = "a training cannot be inspected: its model changes from step to step"
        raise ScenarioError.at(scenario.source, scenario.spec.training, message, key="training")
    meant = [name for name in INSPECTIONS if name in names] if names else INSPECTIONS
    asked = {*names, *(["attribution"] if position else [])}
    found = inspecting(scenario, [_wanted(name, position, name in asked) for name in meant])
    problems = Problems()
    walked = check_shapes(found, problems, math.inf).trace
    if problems:
        raise ScenarioError(scenario.source.name, problems.found, scenario.source.text)
    seen = inspected_in(walked)
    if not seen:  # each says why
        return inspect_scenario(scenario, INSPECTIONS, position)
    return inspecting(scenario, [one for one in found.spec.inspect or () if one.name in seen])


def inspected_in(trace: Trace) -> list[str]:
    """The parts to inspect of which a trace has steps."""
    seen = {parse_words(within_pass(path))[0][0] for path, _ in trace.items()}
    return [name for name in INSPECTIONS if name in seen]


def _wanted(name: str, position: str, is_asked: bool) -> Inspection:
    nowhere = ScalarNode(name, True, 0, 0) if is_asked else None
    return Inspection(name, position if name == "attribution" else "", nowhere)


def inspecting(scenario: Scenario, wanted: list[Inspection] | None) -> Scenario:
    """The scenario with exactly these parts to inspect."""
    spec: Any = copy.copy(scenario.spec)
    spec.inspect = wanted
    return scenario.replace(spec=spec)
