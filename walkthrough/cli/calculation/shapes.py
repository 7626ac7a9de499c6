"""`walkthrough shapes`: how large a model is, component by component."""

from __future__ import annotations

import math
from typing import Annotated

from walkthrough.cli import arguments
from walkthrough.cli.loading import print_warnings

EXAMPLES = "Examples: walkthrough shapes chai · walkthrough shapes transformer-base --batch 32 --seq 100"


def command(
    scenario: arguments.Scenario,
    batch: Annotated[int, arguments.what(min=1, max=1_000_000, help="Sequences in a batch.")] = 1,
    seq: Annotated[
        int | None,
        arguments.what(
            min=1, max=100_000, help="Tokens in a sequence; by default those of the scenario.", show_default=False
        ),
    ] = None,
    format: arguments.ReportFormat = arguments.TABLE,
) -> None:
    """Show shapes, parameters with their formulas, multiplications and the memory of attention scores."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.scenario.sources import open_source
    from walkthrough.sizes.components import sizes
    from walkthrough.transformer.loading.load import walked_scenario
    from walkthrough.views.report.sizes import report

    model, walked = walked_scenario(open_source(scenario), math.inf)  # nothing is calculated
    print_warnings(model.source.name, model.warnings)
    print_reports([report(sizes(model, batch, seq, walked))], format)
