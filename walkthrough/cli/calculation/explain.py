"""`walkthrough explain`: where one number comes from, and where it goes."""

from __future__ import annotations

from typing import Annotated

import typer

from walkthrough.cli.arguments import (
    TABLE,
    ByHand,
    Decimals,
    NoPager,
    ReportFormat,
    Scenario,
    Sets,
    Wanted,
    calculate,
)

EXAMPLES = (
    "Examples: walkthrough explain chai 'weights[chai, is]' · walkthrough explain chai 'norm_1.mean[hot]' --depth all"
    " · walkthrough explain cooking 'weights[learned, I]' --exact"
)


def _depth(text: str) -> int | None:
    if text == "all":
        return None
    from walkthrough.text import whole_number

    if (steps := whole_number(text)) is None:
        raise typer.BadParameter("give a whole number, or all")
    return steps


def command(
    scenario: Scenario,
    cell: Annotated[str, typer.Argument(help="SELECTOR[row, column], such as 'scores[chai, is]'.", show_default=False)],
    depth: Annotated[
        str, typer.Option(help="How many steps to go back; all: down to the given numbers.", metavar="N")
    ] = "2",
    exact: Annotated[
        bool, typer.Option("--exact", help="Also show it without rounding: as fractions, e^…, √….")
    ] = False,
    decimals: Decimals = None,
    by_hand: ByHand = False,
    set: Sets = None,
    format: ReportFormat = TABLE,
    no_pager: NoPager = False,
) -> None:
    """Explain one number: its formula, its arithmetic, its operands in turn, and what uses it."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.explaining.exact import exact_text
    from walkthrough.views.report.explanation import report

    steps_back = _depth(depth)
    wanted = Wanted(calculated=[cell.partition("[")[0].strip()])
    explanation = calculate(scenario, by_hand, decimals, set, wanted).explain(cell, steps_back)
    print_reports([report(explanation, exact_text(explanation.cell) if exact else "")], format, no_pager)
