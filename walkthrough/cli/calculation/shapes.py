"""`walkthrough shapes`: how large a model is, component by component."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from walkthrough.cli.arguments import TABLE, NoPager, ReportFormat, print_warnings, scenario_completion

EXAMPLES = (
    "Examples: walkthrough shapes chai · "
    "walkthrough shapes transformer-base --batch 32 --seq 100 · "
    "walkthrough shapes --d-model 512 --d-ff 2048 --heads 8 --layers 6"
)


def _size(help: str, most: int = 1_000_000) -> Any:
    return typer.Option(min=1, max=most, help=help, show_default=False)


def command(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="A scenario; or leave it out, and give the sizes as options.", autocompletion=scenario_completion
        ),
    ] = None,
    d_model: Annotated[int | None, _size("Features of a token's vector.")] = None,
    d_ff: Annotated[int | None, _size("Features inside the feed-forward parts.")] = None,
    heads: Annotated[int | None, _size("Heads of each attention.", 10_000)] = None,
    layers: Annotated[int | None, _size("Layers of the encoder.", 1000)] = None,
    batch: Annotated[int, typer.Option(min=1, max=1_000_000, help="Sequences in a batch.")] = 1,
    seq: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            help="Tokens in a sequence; by default those of the scenario, or 100.",
            show_default=False,
        ),
    ] = None,
    format: ReportFormat = TABLE,
    no_pager: NoPager = False,
) -> None:
    """Show shapes, parameters with their formulas, multiplications and the memory of attention scores."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.scenario.sources import open_source
    from walkthrough.sizes.components import sizes
    from walkthrough.sizes.described import encoder_of
    from walkthrough.transformer.loading.load import walked_scenario
    from walkthrough.views.report.sizes import report

    options = {"--d-model": d_model, "--d-ff": d_ff, "--heads": heads, "--layers": layers}
    if scenario is not None:
        _refuse([name for name, size in options.items() if size is not None])
        model, walked = walked_scenario(open_source(scenario), math.inf)  # nothing is calculated
        print_warnings(model.source.name, model.warnings)
    else:
        missing = [name for name, size in options.items() if size is None]
        if missing:
            raise typer.BadParameter(f"name a scenario, or also give {', '.join(missing)}")
        model, walked = encoder_of(_shareable_width(d_model or 1, heads or 1), d_ff or 1, heads or 1, layers or 1), None
        seq = seq or 100
    print_reports([report(sizes(model, batch, seq, walked))], format, no_pager)


def _refuse(given: list[str]) -> None:
    if given:
        raise typer.BadParameter(f"{given[0]} is for a model without a scenario; leave out one of the two")


def _shareable_width(d_model: int, heads: int) -> int:
    """A d_model that the heads can share evenly."""
    if d_model % heads:
        raise typer.BadParameter(f"a d_model of {d_model} cannot be split evenly into {heads} heads")
    return d_model
