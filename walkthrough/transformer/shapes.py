"""Checks a scenario by walking through its model over shapes: every part says there what it requires."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Needs, Trace
from walkthrough.recording.values import Value
from walkthrough.records import NONE
from walkthrough.scenario.resolved import rounded_steps
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.rules import check_rules
from walkthrough.scenario.schema.tokens import TokenList
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.scenario.yaml.problems import Problems, WeightsError
from walkthrough.transformer.calculation import ShapeCalculation
from walkthrough.transformer.claims import MOST_NUMBERS
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.softmax import SHIFTED
from walkthrough.transformer.model.tokenizer import record_tokenizers
from walkthrough.transformer.runs.rules import check_continuation, check_examples, check_targets


def check_shapes(scenario: Scenario, problems: Problems, most_numbers: float = MOST_NUMBERS) -> ShapeCalculation:
    """Walks through the model of a scenario over shapes, which `init` matrices get and the trace has.

    What is wrong goes to the problems: all that can be said at once. The shapes of tensors have been read.
    """
    check_rules(scenario.spec, problems)
    return _walk(ShapeCalculation(scenario, problems, most_numbers))


def walk(scenario: Scenario) -> ShapeCalculation:
    """The walk over the shapes of a checked scenario."""
    return _walk(ShapeCalculation(scenario))


def shape_trace(scenario: Scenario, wanted: Sequence[str] = ()) -> Trace:
    """The shapes of all values of a checked scenario; how a text becomes tokens only where a selector asks for it.

    wanted: selectors; none: all steps
    """
    trace = _walk(ShapeCalculation(scenario), _asks_for_tokens(wanted)).trace
    trace.scenario, trace.language = scenario.source.name, scenario.spec.language
    return trace


def _asks_for_tokens(wanted: Sequence[str]) -> bool:
    return not wanted or any("token" in selector.lower() for selector in wanted)


def needs(scenario: Scenario, wanted: Sequence[str], explained: bool = False) -> Needs:
    """What is needed for some steps and their worked lines.

    wanted:    selectors of all that is asked for; nothing is left out where there is no such step, or numbers decide
    explained: also all that they come from, and what uses them
    """
    if not is_one_pass(scenario) or scenario.spec.published:  # whose numbers are looked at too
        return Needs()
    walked = shape_trace(scenario, wanted)
    try:
        chosen = {step.path for step in walked.select(*wanted)}
    except SelectorError:  # perhaps a step that the numbers decide on
        return Needs()
    steps = list(walked)
    uses = {step.path for step in steps if explained and not chosen.isdisjoint(given.path for given in step.inputs)}
    last = max(at for at, step in enumerate(steps) if step.path in chosen | uses)
    until = steps[last + 1].path if last + 1 < len(steps) else ""
    asks_for_tokens = _asks_for_tokens(wanted)
    releases = _releases(steps[: last + 1], chosen) if scenario.sparing else NONE
    return Needs(until, releases, asks_for_tokens, explained)


def is_one_pass(scenario: Scenario) -> bool:
    """Whether the walk over its shapes meets all its steps."""
    return scenario.spec.training is None and scenario.spec.generate is None


def _releases(steps: Sequence[Value], chosen: set[str]) -> dict[str, list[str]]:
    """For each step those that it is the last to read; not what is chosen, and what that is computed from."""
    readers = {step.path: step.path for step in steps}
    kept = set(chosen)
    for step in steps:
        inputs = [given.path for given in step.inputs]
        readers |= dict.fromkeys(inputs, step.path)
        if step.path in chosen:
            kept.update(inputs)
    found: dict[str, list[str]] = {step.path: [] for step in steps}
    for path, reader in readers.items():
        if path not in kept and path != reader:
            found[reader].append(path)
    return found


def of_length(scenario: Scenario, tokens: int | None) -> Scenario:
    """The scenario for its shapes, with sequences of `tokens` tokens; None: as long as they are."""
    if tokens is None:
        return scenario
    spec: Any = copy.copy(scenario.spec)
    spec.decoder = copy.copy(spec.decoder)
    for section in (spec, spec.decoder):
        own = section and (section.tokens or section.text)
        if own:
            section.positions = None
            section.tokens = TokenList(own.words[:1] * tokens, own.nodes[:1] * tokens)
    return scenario.replace(spec=spec)


def _walk(calculation: ShapeCalculation, with_tokens: bool = False) -> ShapeCalculation:
    scenario, problems = calculation.scenario, calculation.problems
    model, recorder = Model(calculation), Recorder(calculation.trace)
    if with_tokens:
        record_tokenizers(calculation, recorder)
    stream = model.compute_stream(recorder)
    model.predict(recorder, stream)
    check_continuation(scenario, stream.sequence, stream.n, calculation.claims)
    memory = (model.memory.n,) if model.memory is not None else ()
    check_examples(scenario, (stream.n, *memory), calculation.claims)
    calculation.claims.finish()
    _warn_of_idle_dimensions(scenario.spec, calculation)
    _check_rounding(scenario, calculation.trace, problems)
    if scenario.spec.training is not None and not problems:
        _check_training(scenario, problems)
    _check_others(scenario, problems)
    return calculation


def _warn_of_idle_dimensions(spec: ScenarioSpec, calculation: ShapeCalculation) -> None:
    """A size that no part of the model has says nothing."""
    dimensions = spec.dimensions
    for name in dimensions.KEYS if dimensions is not None else ():
        if dimensions is not None and dimensions.has(name) and not calculation.claims.is_stated(dimensions, name):
            calculation.problems.idle(dimensions, name, "no part of the model has this width")


def _check_rounding(scenario: Scenario, trace: Trace, problems: Problems) -> None:
    """Warns of a selector under rounding.steps that names no step: it would round nothing.

    Of a training, a generation or a tokenizer the walk meets a part of the steps: `validate` calculates, and knows all.
    """
    sequences = (scenario.sequence, scenario.target)
    if not is_one_pass(scenario) or any(one is not None and one.tokenizer is not None for one in sequences):
        return
    for selector in rounded_steps(scenario.spec):
        try:
            trace.select(selector.text)
        except SelectorError as error:
            if SHIFTED.name not in selector.text:  # numbers decide whether scores are shifted
                problems.warn(selector, f"this rounds nothing: {error}", key="rounding.steps")


def _check_training(scenario: Scenario, problems: Problems) -> None:
    """Walks through the first step of a training: its masks have places, and what it updates is a parameter."""
    from walkthrough.transformer.dropout import Masks
    from walkthrough.transformer.runs.training.train import check_training  # few scenarios train

    calculation = ShapeCalculation(scenario)
    masks = Masks(scenario.spec.dropout, calculation.array, problems) if scenario.spec.dropout is not None else None
    if masks is not None:
        calculation.drop = masks.apply
    check_training(Recorder(calculation.trace), scenario, Model(calculation).run, problems)
    if masks is not None:
        masks.finish()


def _check_others(scenario: Scenario, problems: Problems) -> None:
    """Walks through the model with each further example of a training: its tokens, positions, masks and targets fit."""
    for one in scenario.examples[1:]:
        calculation = ShapeCalculation(one, problems)
        model, recorder = Model(calculation), Recorder(calculation.trace)
        stream = model.compute_stream(recorder)
        model.predict(recorder, stream)
        check_targets(one, stream.sequence, stream.n, problems)


def read_shapes(scenario: Scenario, problems: Problems) -> None:
    """Reads the shapes of tensors from the heads of their files; of each file only the head is read."""
    for matrix in matrices_in(scenario.spec):
        if matrix.tensor is not None and matrix.rows is None:
            _read_shape(matrix, scenario, problems)


def _read_shape(matrix: Matrix, scenario: Scenario, problems: Problems) -> None:
    from walkthrough.scenario.tensors.weights import tensor_shape  # wanted only where there are files

    assert matrix.tensor is not None
    try:
        matrix.rows, matrix.columns = tensor_shape(matrix, scenario.source.folder, scenario.spec.weights_file)
    except WeightsError as error:
        node = matrix.tensor.node.get(error.key) or matrix
        problems.add(node, str(error), key=matrix.path, help=error.help)
        matrix.tensor = None
