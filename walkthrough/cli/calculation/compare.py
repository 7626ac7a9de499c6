"""`walkthrough compare`: another program's tensors beside a scenario, step by step."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import Request, calculate_loaded, load
from walkthrough.number_formats import FLOAT_NAMES
from walkthrough.text import escape_text, whole_number

EXAMPLES = (
    "Examples: walkthrough compare mine.yaml tensors.npz · "
    "walkthrough compare mine.yaml tensors.safetensors --names names.yaml --require all"
)
_ARITHMETICS = ("exact", *FLOAT_NAMES)


def _known(arithmetic: str | None) -> str | None:
    if arithmetic is not None and arithmetic not in _ARITHMETICS:
        message = f"tensors cannot be compared in {escape_text(arithmetic)}; known: {', '.join(_ARITHMETICS)}"
        raise typer.BadParameter(message)
    return arithmetic


def _demands(require: list[str] | None) -> list[str] | None:
    if any(whole_number(one) == 0 for one in require or ()):
        raise typer.BadParameter("0 steps are no demand: write a number from 1")
    return require


def _finite(number: float | None) -> float | None:
    if number is not None and not isfinite(number):
        raise typer.BadParameter(f"{number} is no finite number")
    return number


def _tell(path: str) -> None:
    typer.echo(f"{path} differs; looking for the cause", err=True)


def command(
    scenario: arguments.Scenario,
    files: Annotated[
        list[Path], typer.Argument(help="Their tensors: .npz, .safetensors, .npy, .csv or a .json trace.")
    ],
    names: Annotated[
        str | None,
        arguments.names_file(
            "What their names mean: transformers, torch, transformer_lens, or a YAML or JSON file of names and "
            "paths; by default recognised.",
            "LAYOUT|FILE",
            show_default=False,
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        arguments.what(
            help="What has to be compared, else the status is 1: all, N steps, or a selector; by default the output.",
            metavar="all|N|SELECTOR",
            callback=_demands,
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        arguments.numbers(
            help="Numbers off by at most T times the largest of their row, or T, are the same.",
            metavar="T",
            min=0,
            callback=_finite,
        ),
    ] = None,
    arithmetic: Annotated[
        str | None,
        arguments.numbers(
            help=f"What theirs were calculated in, which allows for its roundings: {', '.join(_ARITHMETICS)}.",
            autocompletion=arguments.completion_of(_ARITHMETICS),
            metavar="FORMAT",
            callback=_known,
        ),
    ] = None,
    set: arguments.GivenSets = None,
    every: Annotated[bool, arguments.output("--all", help="List every step.")] = False,
    format: arguments.ReportFormat = arguments.TABLE,
) -> None:
    """Compare your program's tensors with a scenario: the first step that differs, and why. Status 1 if one does."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.comparing.matching.files import read_all
    from walkthrough.comparing.matching.match import resolve_names
    from walkthrough.comparing.required import Demands, read_requirements
    from walkthrough.comparison import compare_with
    from walkthrough.views.report.comparison import report

    if arithmetic in FLOAT_NAMES and tolerance is not None:
        raise typer.BadParameter("a number format says how near is near: leave out one", param_hint="--tolerance")
    tensors, demands = read_all(files), Demands(read_requirements(require or []), tolerance)
    layout, renamed = resolve_names(names or "")
    trace = calculate_loaded(load(scenario, set), Request(arithmetic))
    where = ", ".join(file.name for file in files)
    found = compare_with(trace, tensors, layout, renamed, scenario, where, demands, _tell)
    print_reports([report(found, every)], format)
    if not found.ok:
        raise typer.Exit(1)
