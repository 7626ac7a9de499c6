"""`walkthrough inspect`: what the model would say after each part, which part pushes which word, what heads do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import (
    TABLE,
    Arithmetic,
    ByHand,
    Decimals,
    Full,
    Language,
    NoDrift,
    ReportFormat,
    Scenario,
    Sets,
    Steps,
    Tokens,
    Wanted,
    WhatIf,
    Work,
    asked_arithmetic,
    calculate_loaded,
    load,
    token_completion,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from walkthrough.recording.trace import Trace

EXAMPLES = (
    "Examples: walkthrough inspect lens · walkthrough inspect tea-gpt attribution --step generate.6.attribution · "
    "walkthrough inspect chai lens"
)
_PARTS = ("lens", "attribution")


def part_completion(incomplete: str) -> list[str]:
    """The names of what can be inspected."""
    return [name for name in _PARTS if name.startswith(incomplete)]


def command(
    scenario: Scenario,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Which of lens and attribution; by default all that apply.",
            autocompletion=part_completion,
            show_default=False,
        ),
    ] = None,
    position: Annotated[
        str,
        typer.Option(
            "--position",
            help="The token whose logits attribution takes apart, by label or number; by default the last.",
            autocompletion=token_completion,
            metavar="LABEL",
            show_default=False,
        ),
    ] = "",
    step: Steps = None,
    token: Tokens = None,
    decimals: Decimals = None,
    work: Annotated[
        Work, typer.Option(help="How many cells of each step are worked out with their numbers.")
    ] = Work.one,
    by_hand: ByHand = False,
    arithmetic: Arithmetic = None,
    set: Sets = None,
    what_if: WhatIf = None,
    full: Full = False,
    no_drift: NoDrift = False,
    format: ReportFormat = TABLE,
    language: Language = None,
) -> None:
    """Look inside a model: the logit lens and direct logit attribution."""
    from rich.console import Console

    from walkthrough.cli.calculation.export import export_trace
    from walkthrough.transformer.loading.inspecting import inspect_scenario
    from walkthrough.views.options import Options
    from walkthrough.views.report.trace.document import select_rows
    from walkthrough.views.terminal.terminal import show

    _check(parts or (), position)
    calculated = asked_arithmetic(by_hand, arithmetic)
    found = inspect_scenario(load(scenario, set, sparingly=True), parts or (), position)
    applied = [one.name for one in found.spec.inspect or ()]
    wanted = Wanted(calculated=step or applied, what_if=what_if or ())
    trace = calculate_loaded(found, calculated, decimals, wanted)
    asked = [*(parts or ()), *(["attribution"] if position else [])]
    left = _left_by(what_if, trace, asked, applied) if what_if else applied
    options = Options(step or left, token or (), decimals, work.value, full, drift=not no_drift)
    trace.language = language or trace.language
    select_rows(trace, options)
    if format != TABLE:
        export_trace(trace, options, "-", format)
        return
    show(trace, options._replace(changes=not full), Console(highlight=False))


def _left_by(what_if: Sequence[str], trace: Trace, asked: Sequence[str], applied: Sequence[str]) -> list[str]:
    """The parts that apply when steps have other numbers. Raises UserError where one asked for does not."""
    from walkthrough.errors import UserError
    from walkthrough.text import in_quotes
    from walkthrough.transformer.loading.inspecting import inspected_in

    left = inspected_in(trace)
    for name in asked or (() if left else applied):
        if name not in left:
            said = f"{name} does not apply: what it starts from has other numbers than the model has calculated"
            raise UserError(f"{', '.join(map(in_quotes, what_if))}: {said}; leave out one of the two")
    return left


def _check(parts: Sequence[str], position: str) -> None:
    """Raises a usage error for a part that there is not, or a position that nothing asks for."""
    from walkthrough.text import did_you_mean, in_quotes

    for name in parts:
        if name not in _PARTS:
            hint = did_you_mean(name, _PARTS) or f"known: {', '.join(_PARTS)}"
            raise typer.BadParameter(f"nothing to inspect is called {in_quotes(name)}; {hint}", param_hint="PARTS")
    if position and parts and "attribution" not in parts:
        raise typer.BadParameter("only attribution has a position; name it too", param_hint="--position")
