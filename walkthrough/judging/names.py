"""Names in a scenario that only its steps can tell right from wrong: selectors, row labels and words."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy

from walkthrough.judging.prints import bind
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.scenario.resolved import rounded_steps
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.yaml.problems import Problems, ScenarioError

_LATER_STEP = re.compile(r"(?<!tokenizer\.)\btrain\.([0-9]{1,18})\b")


def few_steps(scenario: Scenario) -> int:
    """Steps of a training whose names all further ones have: two, or those in which every batch has come once more."""
    return 1 + scenario.batches


def check_names(scenario: Scenario, calculate: Callable[[Scenario], Trace]) -> None:
    """Raises ScenarioError where a selector under published or rounding, a row or a word names nothing.

    Has the scenario calculated, if it has any such name or goes on from its predictions; of a training `few_steps`.
    """
    spec = scenario.spec
    if not (spec.published or spec.rounding is not None or spec.training is not None or spec.generate is not None):
        return
    problems = Problems()
    calculated = calculate(scenario)
    prints = [copy(one) for one in spec.published or []]
    for one in prints:
        one.step = _as_calculated(one.step, scenario)
    bind(prints, calculated, problems)
    _check_rounding(scenario, calculated, problems)
    if problems:
        raise ScenarioError(scenario.source.name, problems.found, scenario.source.text)


def _as_calculated(selector: str, scenario: Scenario) -> str:
    """A selector with the number of a step that is calculated in the place of a later one."""
    training, few = scenario.spec.training, few_steps(scenario)
    steps = training.steps if training is not None else 1

    def number(match: re.Match[str]) -> str:
        step = int(match[1])
        return f"train.{2 + (step - 2) % scenario.batches}" if few < step <= steps else match[0]

    return _LATER_STEP.sub(number, selector)


def _check_rounding(scenario: Scenario, calculated: Trace, problems: Problems) -> None:
    for selector in rounded_steps(scenario.spec):
        try:
            calculated.select(_as_calculated(selector.text, scenario))
        except SelectorError as error:
            problems.add(selector, str(error), key="rounding.steps")
