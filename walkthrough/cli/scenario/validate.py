"""`walkthrough validate`: checks scenario files; calculates only those whose names of steps need it."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkthrough.cli.arguments import Scenarios, output
from walkthrough.cli.loading import print_warnings
from walkthrough.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from walkthrough.scenario.yaml.problems import Problem, ScenarioError

EXAMPLES = (
    "Examples: walkthrough validate mine.yaml · walkthrough validate scenarios/*.yaml · "
    "walkthrough validate mine.yaml --format json"
)


class ValidateFormat(StrEnum):
    """Format of what was found."""

    table = "table"
    json = "json"


def command(
    scenarios: Scenarios, format: Annotated[ValidateFormat, output(help="Format of the report.")] = ValidateFormat.table
) -> None:
    """Check scenario files: every fault with its line and column. Status 2 if there is one."""
    checked = map(_validate, scenarios)
    faulty = _print_json(list(checked)) if format is ValidateFormat.json else _print_lines(checked)
    if faulty:
        raise typer.Exit(2)


class _Checked(Record):
    """A file, what is wrong with it, and what it is warned of."""

    name: str
    source: str
    error: ScenarioError | None
    warnings: Sequence[Problem]


def _validate(name: str) -> _Checked:
    """Checks a file; what is a fault is no warning too."""
    from walkthrough.judging.names import check_names, few_steps
    from walkthrough.library import calculate
    from walkthrough.scenario.yaml.problems import ScenarioError
    from walkthrough.transformer.loading.load import check_files, read_scenario

    warnings: Sequence[Problem] = ()
    try:
        scenario = read_scenario(name)
        warnings = scenario.warnings
        check_files(scenario)
        check_names(scenario, partial(calculate, most_steps=few_steps(scenario)))
    except ScenarioError as error:
        faults = {(fault.line, fault.column) for fault in error.problems}
        return _Checked(name, error.source, error, [one for one in warnings if (one.line, one.column) not in faults])
    return _Checked(name, scenario.source.name, None, warnings)


def _print_lines(checked: Any) -> bool:
    """Prints each file as it is checked; whether any is faulty."""
    from walkthrough.cli.failures import print_failure
    from walkthrough.text import escape_label

    faulty = False
    for one in checked:
        print_warnings(one.source, one.warnings)
        if one.error is not None:
            faulty = True
            print_failure(one.error)
        else:
            print(f"{escape_label(one.name)}: fine")
    return faulty


def _print_json(checked: Sequence[_Checked]) -> bool:
    """Prints all files as one document; whether any is faulty."""
    from walkthrough.views.data import document, safe_json

    files = [{"scenario": one.name, "valid": one.error is None, "problems": _problems(one)} for one in checked]
    typer.echo(safe_json(document("validate", {"files": files}), indent=1))
    return not all(file["valid"] for file in files)


def _problems(one: _Checked) -> list[dict[str, Any]]:
    """Errors and warnings in the order of the file."""
    errors = one.error.problems if one.error is not None else ()
    found = [*(("error", problem) for problem in errors), *(("warning", problem) for problem in one.warnings)]
    found.sort(key=lambda severity_and_problem: severity_and_problem[1][:2])
    return [
        {
            "severity": severity,
            "line": problem.line or None,
            "column": problem.column or None,
            "key": problem.key or None,
            "message": problem.message,
            "help": problem.help or None,
        }
        for severity, problem in found
    ]
