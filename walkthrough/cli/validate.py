"""`walkthrough validate`: checks scenario files without calculating them."""

from __future__ import annotations

import typer

from walkthrough.cli.arguments import Scenarios

NAME = "validate"
EXAMPLES = "Examples: walkthrough validate mine.yaml · walkthrough validate scenarios/*.yaml"


def command(scenarios: Scenarios) -> None:
    """Check scenario files: every fault with its line and column. Status 2 if there is one."""
    from walkthrough.cli.failures import say_failure
    from walkthrough.scenario.problems import ScenarioError
    from walkthrough.scenario.scenario import load_scenario
    from walkthrough.text import printable

    faulty = 0
    for name in scenarios:
        try:
            load_scenario(name)
        except ScenarioError as error:
            faulty += 1
            say_failure(error)
        else:
            print(f"{printable(name)}: fine")
    if faulty:
        raise typer.Exit(2)
