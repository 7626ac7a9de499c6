"""`walkthrough steps`: what can be selected."""

from __future__ import annotations

from walkthrough.cli.arguments import Scenario, Steps, traced

NAME = "steps"
EXAMPLES = "Examples: walkthrough steps chai · walkthrough steps cooking --step head.1"


def command(scenario: Scenario, step: Steps = None) -> None:
    """List the steps of a scenario: path, shape and title."""
    from rich.console import Console

    from walkthrough.views.terminal import show_steps

    show_steps(traced(scenario).select(*(step or ())), Console(highlight=False))
