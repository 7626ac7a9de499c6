"""Names in a scenario that only its steps can tell right from wrong: selectors, row labels and words."""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.checking.prints import bind
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.scenario.nodes import MappingNode
from walkthrough.scenario.problems import Problems, ScenarioError
from walkthrough.scenario.scenario import Scenario


def check_names(scenario: Scenario, calculate: Callable[[Scenario], Trace]) -> None:
    """Raises ScenarioError where a selector under published, rounding or training, a row or a word names nothing.

    Has the scenario calculated, if it has any such name.
    """
    keys = scenario.spec
    problems = Problems()
    if keys.published or keys.rounding is not None or keys.training is not None:
        try:
            calculated = calculate(scenario)
        except SelectorError as error:
            assert keys.training is not None
            problems.add(keys.training.at("update"), str(error), key="training.update")
        else:
            bind(keys.published or [], calculated, problems)
            _check_rounding(scenario, calculated, problems)
    if problems:
        raise ScenarioError(scenario.source.name, problems.found, scenario.source.text)


def _check_rounding(scenario: Scenario, calculated: Trace, problems: Problems) -> None:
    rounding = scenario.spec.rounding
    steps = rounding.node.get("steps") if rounding is not None else None
    if not isinstance(steps, MappingNode):
        return
    for selector, _ in steps.entries:
        try:
            calculated.select(selector.text)
        except SelectorError as error:
            problems.add(selector, str(error), key="rounding.steps")
