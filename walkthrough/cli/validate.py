"""`walkthrough validate`: checks scenario files; calculates only those whose names of steps need it."""

from __future__ import annotations

import typer

from walkthrough.cli.arguments import Scenarios

NAME = "validate"
EXAMPLES = "Examples: walkthrough validate mine.yaml · walkthrough validate scenarios/*.yaml"


def command(scenarios: Scenarios) -> None:
    """Check scenario files: every fault with its line and column. Status 2 if there is one."""
    import walkthrough
    from walkthrough.checking.names import check_names
    from walkthrough.cli.failures import say_failure
    from walkthrough.scenario.problems import ScenarioError
    from walkthrough.text import printable
    from walkthrough.transformer.loading import read_scenario

    faulty = 0
    for name in scenarios:
        try:
            check_names(read_scenario(name), walkthrough.trace)
        except ScenarioError as error:
            faulty += 1
            say_failure(error)
        else:
            print(f"{printable(name)}: fine")
    if faulty:
        raise typer.Exit(2)
