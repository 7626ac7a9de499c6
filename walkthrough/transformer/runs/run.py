"""From a checked scenario to its trace: one pass, a generation, or a training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

import numpy as np

from walkthrough.number_formats import NumberFormat
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.rounding import Rounding
from walkthrough.recording.trace import Needs, StopRecording, Trace
from walkthrough.recording.values import Value
from walkthrough.records import NONE
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.tokenizer import record_tokenizers

AnyTrace = TypeVar("AnyTrace", bound=Trace)


def trace_into(
    into: type[AnyTrace],
    scenario: Scenario,
    *,
    by_hand: bool = False,
    decimals: int | None = None,
    keep: Sequence[str] | None = None,
    begun: Callable[[Trace], None] | None = None,
    most_steps: int | None = None,
    needs: Needs | None = None,
    format: NumberFormat | None = None,
    replace: Callable[[Value], None] | None = None,
) -> AnyTrace:
    """Calculates a scenario and records every value.

    into:      the kind of trace that is recorded
    by_hand:   round each recorded value before it is used, as the scenario's `rounding` says (or to its `decimals`)
    decimals:  how many decimals are shown; by hand, what every step is rounded to instead of the scenario's rounding
    keep:      in a training of several steps, selectors of what is kept of each, to save memory; None: everything
    begun:     is called with the trace, still empty, when the calculation begins: to watch it grow
    most_steps: no more steps of a training than these
    needs:     which steps and which of their numbers are needed; None: all
    format:    by hand, the number format to round to instead; decimals are then of what is shown alone
    replace:   gives steps other numbers as soon as they are recorded
    """
    keys = scenario.spec
    shown = keys.decimals if decimals is None else decimals
    result = into(keys.title, keys.description or "", keys.source or "", shown)
    result.changed, result.stated, result.language = scenario.changed, keys.rounding, keys.language
    result.replace = replace
    if begun is not None:
        begun(result)
    if by_hand:
        beside = needs and needs.replace(explained=False)
        result.exact = trace_into(
            into, scenario, decimals=decimals, keep=keep, most_steps=most_steps, needs=beside, replace=replace
        )
    if needs is not None:
        result.until, result.releases = needs.until, NONE if needs.explained else needs.releases
    if result.exact is not None:
        result.by_hand = _rounding(keys, decimals, format, result.exact)
    recorder = Recorder(result, rounding=result.by_hand)
    calculation = Calculation(scenario)
    model = Model(calculation)
    with np.errstate(all="ignore"), suppress(StopRecording):  # overflow and 0/0 are shown as what they are: inf and nan
        if needs is None or needs.tokens:
            record_tokenizers(calculation, recorder)
        if keys.training is not None:
            from walkthrough.transformer.runs.training.train import train  # few scenarios train

            train(recorder, scenario, model, keep, most_steps)
            return result
        prediction = model.run(recorder)
        if keys.generate is not None and prediction is not None:
            if keys.generate.beams is not None:
                from walkthrough.transformer.runs.beams import search as generate  # few scenarios search
            else:
                from walkthrough.transformer.runs.generation import generate
            generate(recorder, scenario, model, prediction)
    return result


trace = partial(trace_into, Trace)
"""The same as a plain trace."""


def _rounding(spec: ScenarioSpec, decimals: int | None, format: NumberFormat | None, exact: Trace) -> Rounding:
    """The rounding that a scenario asks for; the names of its steps are those of the exact calculation."""
    if format is not None:
        return Rounding(exact.decimals, format=format)
    if decimals is not None:
        return Rounding(decimals)
    return Rounding.of(spec.decimals, spec.rounding, exact.names_within_pass())
