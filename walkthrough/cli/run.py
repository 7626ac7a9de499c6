"""`walkthrough run`: the whole calculation, step by step, in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from walkthrough.cli.arguments import FEW_STEPS, ByHand, Decimals, Full, Scenario, Sets, Steps, Tokens, Work, traced

NAME = "run"
EXAMPLES = (
    "Examples: walkthrough run chai · walkthrough run chai --step scores --step softmax · "
    "walkthrough run chai --token hot --work all · walkthrough run cooking --by-hand"
)


def command(
    scenario: Scenario,
    step: Steps = None,
    token: Tokens = None,
    decimals: Decimals = None,
    work: Annotated[
        Work, typer.Option(help="How many cells of each step are worked out with their numbers.")
    ] = Work.one,
    by_hand: ByHand = False,
    set: Sets = None,
    full: Full = False,
    export: Annotated[
        str | None,
        typer.Option("--export", help="Write the steps to this file too.", metavar="FILE", show_default=False),
    ] = None,
) -> None:
    """Calculate a scenario and show every step: formula, matrix, and a number worked out."""
    from rich.console import Console

    from walkthrough.cli.export import exported, format_of
    from walkthrough.views.document import Options, chosen
    from walkthrough.views.terminal import show

    options = Options(step or (), token or (), decimals, work.value, full)
    format = format_of(export, option="--export") if export is not None else ""
    trace = traced(scenario, by_hand, decimals, step if export is not None else step or (), set)
    chosen(trace, options)  # no file beside a report that cannot be shown
    if export is not None:
        exported(trace, options, export, format)
    is_long = "training" in trace and trace["training"].shape[0] > FEW_STEPS
    if is_long and not step:
        options = options._replace(steps=("training",))
    show(trace, options._replace(changes=not full), Console(highlight=False))
    if is_long and not step:
        typer.echo(f"Single steps: walkthrough run {scenario} --step train.1, --step train.2.scores, --step gradient …")
