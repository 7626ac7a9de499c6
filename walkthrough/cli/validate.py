"""`walkthrough validate`: checks scenario files; calculates only those whose names of steps need it."""

from __future__ import annotations

import typer

from walkthrough.cli.arguments import Scenarios, print_warnings

NAME = "validate"
EXAMPLES = "Examples: walkthrough validate mine.yaml · walkthrough validate scenarios/*.yaml"


def command(scenarios: Scenarios) -> None:
    """Check scenario files: every fault with its line and column. Status 2 if there is one."""
    import walkthrough
    from walkthrough.checking.names import check_names
    from walkthrough.cli.failures import print_failure
    from walkthrough.scenario.problems import ScenarioError
    from walkthrough.scenario.scenario import read_scenario
    from walkthrough.text import printable

    faulty = 0
    for name in scenarios:
        try:
            scenario = read_scenario(name)
            print_warnings(scenario.source.name, scenario.warnings)
            check_names(scenario, walkthrough.trace)
        except ScenarioError as error:
            faulty += 1
            print_failure(error)
        else:
            print(f"{printable(name)}: fine")
    if faulty:
        raise typer.Exit(2)
