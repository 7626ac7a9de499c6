"""`walkthrough validate`: checks scenario files; calculates only those whose names of steps need it."""

from __future__ import annotations

from functools import partial

import typer

from walkthrough.cli.arguments import Scenarios, print_warnings

EXAMPLES = "Examples: walkthrough validate mine.yaml · walkthrough validate scenarios/*.yaml"


def command(scenarios: Scenarios) -> None:
    """Check scenario files: every fault with its line and column. Status 2 if there is one."""
    from walkthrough.cli.failures import print_failure
    from walkthrough.scenario.yaml.problems import ScenarioError
    from walkthrough.text import escape_label

    faulty = 0
    for name in scenarios:
        try:
            _validate(name)
        except ScenarioError as error:
            faulty += 1
            print_failure(error)
        else:
            print(f"{escape_label(name)}: fine")
    if faulty:
        raise typer.Exit(2)


def _validate(name: str) -> None:
    """Prints the warnings of a scenario; raises ScenarioError with its faults, and prints no warnings then."""
    import walkthrough
    from walkthrough.judging.names import FEW_STEPS, check_names
    from walkthrough.scenario.yaml.problems import ScenarioError
    from walkthrough.transformer.loading.load import check_files, read_scenario

    scenario = read_scenario(name)
    warnings = scenario.warnings
    try:
        check_files(scenario)
        check_names(scenario, partial(walkthrough.trace, most_steps=FEW_STEPS))
    except ScenarioError as error:
        faults = {(fault.line, fault.column) for fault in error.problems}
        warnings = tuple(one for one in warnings if (one.line, one.column) not in faults)
        raise
    finally:
        print_warnings(scenario.source.name, warnings)
