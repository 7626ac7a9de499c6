"""`walkthrough view`: the calculation as a live page, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import Request, calculate, read_arithmetic, shown_steps

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = (
    "Examples: walkthrough view chai · walkthrough view cooking --by-hand · walkthrough view chai --step attention · "
    "walkthrough view chai --no-open"
)


def command(
    scenario: arguments.Scenario,
    step: arguments.Steps = None,
    inspect: arguments.Inspects = None,
    position: arguments.Position = "",
    decimals: arguments.Decimals = None,
    by_hand: arguments.ByHand = False,
    arithmetic: arguments.Arithmetic = None,
    set: arguments.Sets = None,
    language: arguments.Language = None,
    no_open: Annotated[bool, arguments.output("--no-open", help="Only write the page, and print where it is.")] = False,
) -> None:
    """Look at a scenario in the browser: point at any number, change it, and watch what follows."""
    from walkthrough.cli.calculation.export import export_trace
    from walkthrough.views.options import Options

    request = Request(read_arithmetic(by_hand, arithmetic), decimals, set, inspect, position, step, True, language)
    trace = calculate(scenario, request)
    page = _place(scenario)
    try:
        export_trace(trace, Options(shown_steps(trace, step, request), decimals=decimals), str(page), "html")
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
