"""How many multiplications each pass of a generation takes, with a cache and without: walks over shapes, counted."""

from __future__ import annotations

import copy
from itertools import islice
from typing import Any, NamedTuple

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.sizes.parts import multiplications
from walkthrough.transformer.calculation import ShapeCalculation
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.runs.generation import append_word, further_pass

WALKED = 4
"""So many passes are walked through. From the second one on a pass takes a·t² + b·t + c multiplications for t tokens,
which three of them tell."""


class PassSize(NamedTuple):
    """One pass: its number, how many tokens it computes of how many there are, and its multiplications.

    without: how many they would be without a cache
    """

    number: int
    computed: int
    tokens: int
    multiplications: int
    without: int


def passes(scenario: Scenario, most: int | None = None, batch: int = 1) -> tuple[PassSize, ...]:
    """The passes of a scenario that generates with a cache, as if it found no end; none of others.

    most: no more passes than these
    """
    generate = scenario.spec.generate
    if generate is None or not generate.cache or scenario.spec.output_head is None:
        return ()
    count = min(most or generate.max_tokens, generate.max_tokens)
    before = len((scenario.target or scenario.sequence).words)
    counts = zip(_count(scenario, True, count), _count(scenario, False, count), strict=True)
    return tuple(
        PassSize(at, 1 if at > 1 else before, before + at - 1, batch * with_cache, batch * without)
        for at, (with_cache, without) in enumerate(counts, 1)
    )


def _count(scenario: Scenario, cache: bool, count: int) -> list[int]:
    """The multiplications of each pass."""
    spec: Any = copy.copy(scenario.spec)
    spec.inspect, spec.generate = None, copy.copy(spec.generate)
    spec.generate.cache = cache
    found = [multiplications(values) for values in _walk(scenario.replace(spec=spec), min(count, WALKED))]
    while len(found) < count:
        first, second, third = found[-3:]
        found.append(3 * third - 3 * second + first)
    return found


def _walk(scenario: Scenario, count: int) -> list[list[Value]]:
    """The values of each of the first passes."""
    calculation = ShapeCalculation(scenario)
    trace, recorder = calculation.trace, Recorder(calculation.trace)
    model, sequence = Model(calculation), scenario.target or scenario.sequence
    model.run(recorder)
    found = [list(trace)]
    one_pass: Recorder = recorder
    for _ in range(2, count + 1):
        one_pass = further_pass(recorder, scenario, one_pass, len(sequence.words))
        sequence = append_word(sequence, sequence.words[-1])
        begun = len(trace)
        model.run(one_pass, sequence)
        found.append(list(islice(trace, begun, None)))
    return found
