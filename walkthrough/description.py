"""`walkthrough.describe`: a scenario of somebody's own PyTorch module, and what could not be told of it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path as File
from typing import Any

from walkthrough.checkpoints.yaml_text import yaml_text
from walkthrough.comparing.matching.files import TensorsError
from walkthrough.comparison import compare
from walkthrough.describing.draft import Draft, Path, draft
from walkthrough.describing.flow import Flow
from walkthrough.describing.judge import Judge
from walkthrough.describing.run import Run, run
from walkthrough.describing.state import State
from walkthrough.errors import ArgumentError, expect
from walkthrough.scenario.sources import ScenarioSource
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.loading.load import scenario_of, with_few_arrays
from walkthrough.views.safetensors import write_tensors


def describe(module: Any, inputs: Any, file: str | PathLike[str]) -> list[str]:
    """Writes a scenario of a torch.nn.Module, and returns what it could not tell of it: a list of sentences.

    module: it is run once on the inputs, without gradients and without dropout, and is as before afterwards
    inputs: a tensor, such as the ids of one sentence; a tuple or list of arguments; or a dict of named ones
    file:   of the scenario, such as `mine.yaml`; the weights come to lie beside it, in `mine.safetensors`

    What reproduces the numbers of the run stands. Of all else the line ends in `# ?`, and a sentence says what is open.
    Raises ArgumentError for what is no module, or refuses the inputs, or where one of the files is there already.
    """
    expect(isinstance(file, str | PathLike), "file", "the path of a scenario, such as mine.yaml", file)
    path = File(file)
    weights = path.with_suffix(".safetensors")
    _check(module, path, weights)
    state, made_run = State(module), run(module, inputs)
    for name, one in module.named_parameters():
        if one.is_floating_point() and not one.isfinite().all():
            raise ArgumentError(
                f"module: {name} has numbers that are NaN or infinite, and no scenario has such weights"
            )
    judge = Judge(state)
    made = draft(type(module).__name__, weights.name, Flow(made_run, state, judge), state, judge)
    with weights.open("xb") as out:
        write_tensors(out, *state.stored())
    try:
        _compare(made, made_run, path)
        with path.open("x", encoding="utf-8") as text:
            text.write(_text(made))
    except BaseException:
        weights.unlink()
        raise
    return made.sentences


def _text(made: Draft) -> str:
    return yaml_text(made.keys, made.lines)


def _compare(made: Draft, run: Run, path: File) -> None:
    """Asks about what the scenario as a whole does not give as the module did; what does not load is left out."""
    try:
        found = compare(with_few_arrays(scenario_of(ScenarioSource(str(path), _text(made), path.parent))), run.captured)
    except ScenarioError as error:
        problem = error.problems[0]
        line = _line_of(problem.key.replace(".layers.", "."), made)
        made.ask(f"The scenario as a whole does not work, so that something is left out: {problem.message}.", *line)
        if made.leave_out(line):
            _compare(made, run, path)
        return
    except TensorsError as error:
        made.ask(f"Nothing of it could be compared with the run: {str(error).splitlines()[0]}", "title")
        return
    for fault in found.faults:
        line = _line_of(fault.value.path, made)
        if not any(about[: len(line)] == line for about, _ in made.questions):
            cause = f": {fault.cause}" if fault.cause else ""
            made.ask(f"What {fault.step.theirs.name} returned is not {fault.value.path}{cause}.", *line)


def _line_of(path: str, made: Draft) -> Path:
    """The line of a scenario that a step belongs to: that of its part, or of what it is in."""
    first, *words = path.split(".")
    if first not in made.keys or not words or not words[0].isdecimal():
        return made.line(first, *words[:1])
    layers = made.keys[first]["layers"]
    within = ("layer",) if isinstance(layers, dict) else (int(words[0]) - 1,) if len(layers) >= int(words[0]) else ()
    return made.line(first, "layers", *within, *words[1:2])


def _check(module: Any, path: File, weights: File) -> None:
    """Raises ArgumentError for what can be no module, and where nothing can be written."""
    if not hasattr(module, "named_modules") or isinstance(module, type):
        raise ArgumentError(f"module: expected a torch.nn.Module, found {type(module).__name__}")
    expect(path.suffix in (".yaml", ".yml"), "file", "a name that ends in .yaml", str(path))
    if not path.parent.is_dir():
        raise ArgumentError(f"file: there is no folder {path.parent}")
    for one in (path, weights):
        if one.exists() or one.is_symlink():
            raise ArgumentError(f"file: {one} is there already, and nothing is overwritten; choose another name")
    if next(module.parameters(), None) is None:
        raise ArgumentError(f"module: the {type(module).__name__} has no parameters, of which a scenario could be made")
