"""`walkthrough view`: the calculation as a live page, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import (
    OUTPUT,
    Arithmetic,
    Asked,
    ByHand,
    Decimals,
    Inspects,
    Language,
    Position,
    Scenario,
    Sets,
    Steps,
    asked_arithmetic,
    calculate,
    shown_steps,
)

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = (
    "Examples: walkthrough view chai · walkthrough view cooking --by-hand · walkthrough view chai --step attention · "
    "walkthrough view chai --no-open"
)


def command(
    scenario: Scenario,
    step: Steps = None,
    inspect: Inspects = None,
    position: Position = "",
    decimals: Decimals = None,
    by_hand: ByHand = False,
    arithmetic: Arithmetic = None,
    set: Sets = None,
    language: Language = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Only write the page, and print where it is.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Look at a scenario in the browser: point at any number, change it, and watch what follows."""
    from walkthrough.cli.calculation.export import export_trace
    from walkthrough.views.options import Options

    asked = Asked(asked_arithmetic(by_hand, arithmetic), decimals, set, inspect, position, step, True, language)
    trace = calculate(scenario, asked)
    page = _place(scenario)
    try:
        export_trace(trace, Options(shown_steps(trace, step, asked), decimals=decimals), str(page), "html")
    except BaseException:
        page.parent.rmdir()
        raise
    typer.echo(page)
    if not no_open:
        _open(page.as_uri())


def _place(scenario: str) -> Path:
    """A file of its own in the folder for temporary files, named like the scenario."""
    import re
    import tempfile
    from pathlib import Path

    name = re.sub(r"[^\w.-]", "_", Path(scenario).stem).strip("._-")
    return Path(tempfile.mkdtemp(prefix="walkthrough-")) / f"{name or 'page'}.html"


def _open(address: str) -> None:
    import webbrowser

    from walkthrough.cli.failures import print_error

    if not webbrowser.open(address):
        print_error(f"no browser could be started; open {address} in one")
