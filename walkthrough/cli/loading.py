"""What commands do before they show anything: load a scenario, calculate it, and say what of this has no effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from walkthrough.cli.progress import progress
from walkthrough.number_formats import FLOAT_NAMES, INT_NAMES, number_format
from walkthrough.text import did_you_mean, in_quotes

if TYPE_CHECKING:
    from walkthrough.scenario.yaml.problems import Problem

INSPECTED = ("lens", "attribution", "all")
"""What can be looked at inside, and all that applies."""
FEW_STEPS = 3
"""A training of more steps is long: by itself `run` shows it as one table."""


def read_arithmetic(by_hand: bool, arithmetic: str | None) -> str:
    """What two options ask for: by-hand or a number format; empty where neither says anything."""
    if arithmetic is not None and number_format(arithmetic) is None:
        message = f"{in_quotes(arithmetic)} is no number format; known: {', '.join(FLOAT_NAMES)}, {INT_NAMES}"
        raise typer.BadParameter(message, param_hint="--arithmetic")
    if by_hand and arithmetic is not None:
        message = "--by-hand and --arithmetic exclude one another: leave out one of the two"
        raise typer.BadParameter(message, param_hint="--arithmetic")
    return "by-hand" if by_hand else arithmetic or ""


def name_of(scenario: str) -> str:
    """What a scenario on the command line is called: as its file."""
    return "stdin" if scenario == "-" else Path(scenario).stem


def load(scenario: str, sets: Sequence[str] | None = None) -> Any:
    """Loads a scenario with its weights, and prints its warnings; shows progress where that takes long.

    sets: other given numbers, as CELL=NUMBER
    """
    from walkthrough.transformer.loading.load import read_scenario, with_few_arrays

    with progress():
        found = with_few_arrays(read_scenario(scenario))
    print_warnings(found.source.name, found.warnings)
    if not sets:
        return found
    from walkthrough.transformer.loading.changes import change_scenario, read_change

    with progress():
        changed = change_scenario(found, map(read_change, sets))
    _print_left_out(found, changed)
    return changed


def _print_left_out(found: Any, changed: Any) -> None:
    """What a scenario with other words leaves out, in its warnings."""
    if changed.warnings is not found.warnings:
        print_warnings(changed.source.name, changed.warnings)


def print_warnings(source: str, warnings: Sequence[Problem]) -> None:
    """Prints each warning as a line on standard error."""
    from walkthrough.cli.failures import print_error
    from walkthrough.scenario.yaml.problems import warning_lines

    for line in warning_lines(source, warnings):
        print_error(line)


class Request(NamedTuple):
    """What a command asks of a calculation.

    arithmetic: as `read_arithmetic` says; None where the command has no such option
    sets:       other numbers, as they are written
    inspect:    the parts to look inside at, and the position of attribution
    wanted:     selectors of what is shown; None: everything. Of a long training nothing else is kept, and without a
                selector only the table of its run; of a large model nothing else is calculated
    explained:  what that comes from is shown too, and what uses it, so of a long training all is kept
    language:   of what people read; None: the scenario's
    """

    arithmetic: str | None = None
    decimals: int | None = None
    sets: Sequence[str] | None = None
    inspect: Sequence[str] | None = None
    position: str = ""
    wanted: Sequence[str] | None = None
    explained: bool = False
    language: str | None = None


def check_inspection(parts: Sequence[str] | None, position: str) -> None:
    """Raises a usage error for a part to inspect that there is not, or a position that nothing asks for."""
    for name in parts or ():
        if name not in INSPECTED:
            hint = did_you_mean(name, INSPECTED) or f"known: {', '.join(INSPECTED)}"
            raise typer.BadParameter(f"nothing to inspect is called {in_quotes(name)}; {hint}", param_hint="--inspect")
    if position and parts and not {"attribution", "all"} & {*parts}:
        raise typer.BadParameter("only attribution has a position; name it too", param_hint="--position")


def shown_steps(trace: Any, step: Sequence[str] | None, request: Request) -> Sequence[str]:
    """What a command shows of a trace: what is chosen, else what is to be seen inside where the request asks for it."""
    if step or not (request.inspect or request.position):
        return step or ()
    from walkthrough.transformer.loading.inspecting import inspected_in

    return inspected_in(trace)


def calculate(scenario: str, request: Request = Request()) -> Any:  # noqa: B008
    """Loads a scenario and gives its trace; shows progress where that takes long."""
    found = load(scenario)
    if request.inspect or request.position:
        check_inspection(request.inspect, request.position)
        return _inspect(found, request)
    return calculate_loaded(found, request)


def _inspect(found: Any, request: Request) -> Any:
    """The trace of a scenario that is looked into. Raises UserError where a part that is named does not apply."""
    from walkthrough.errors import UserError
    from walkthrough.transformer.loading.inspecting import inspect_scenario, inspected_in

    named = [name for name in request.inspect or () if name != "all"]
    found = inspect_scenario(found, named, request.position)
    parts = [one.name for one in found.spec.inspect or ()]
    trace = calculate_loaded(found, request._replace(wanted=request.wanted or parts))
    applied = inspected_in(trace)
    for name in {*named, *(["attribution"] if request.position else []), *(() if applied else parts)}:
        if name not in applied:
            reason = f"{name} does not apply: what it starts from has other numbers than the model has calculated"
            raise UserError(f"{', '.join(map(in_quotes, request.sets or ()))}: {reason}; leave out one of the two")
    return trace


def calculate_loaded(found: Any, request: Request) -> Any:
    """The trace of a loaded scenario."""
    from walkthrough.library import calculate

    others: Mapping[str, Any] | None = None
    if request.sets:
        from walkthrough.transformer.loading.changes import change_given, read_change

        changed, others = change_given(found, map(read_change, request.sets))
        _print_left_out(found, changed)
        found = changed
    rounding = found.spec.rounding
    if request.arithmetic == "" and rounding is not None and (rounding.has("decimals") or rounding.has("format")):
        print_warnings(found.source.name, [_idle_rounding(rounding)])
    is_long = found.spec.training is not None and found.spec.training.steps > FEW_STEPS
    with progress() as shown:
        trace = calculate(
            found,
            request.arithmetic or "exact",
            request.decimals,
            others or None,
            request.wanted if found.sparing or (is_long and not request.explained) else None,
            explained=request.explained,
            begun=shown.watch,
        )
    trace.language = request.language or trace.language
    return trace


def steps_of(found: Any, request: Request | None = None) -> Any:
    """A trace with all steps of a scenario that has been read; nothing is calculated where its shapes name them.

    They do in one pass through the model; a generation stops at a word, a training has further passes.
    request: what may decide on a step too; None: nothing
    """
    from walkthrough.transformer.loading.load import with_few_arrays
    from walkthrough.transformer.shapes import is_one_pass, shape_trace

    if request is None and is_one_pass(found):
        return shape_trace(found)
    with progress():
        found = with_few_arrays(found)
    return calculate_loaded(found, request or Request())


def print_idle(options: Sequence[str], where: str) -> None:
    """Says of options that they have no effect, in one line; nothing where there are none."""
    from walkthrough.cli.failures import print_error

    if options:
        *others, last = (f"--{name}" for name in options)
        names = f"{', '.join(others)} and {last}" if others else last
        print_error(f"{names} {'has' if len(options) == 1 else 'have'} no effect {where}")


def _idle_rounding(rounding: Any) -> Problem:
    from walkthrough.scenario.yaml.problems import Problem

    return Problem(rounding.line, rounding.column, "rounding has no effect without --by-hand")
