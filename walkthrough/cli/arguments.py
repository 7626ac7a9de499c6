"""Arguments and options that several commands share, with their completion."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkthrough.cli.progress import progress
from walkthrough.languages import LANGUAGES
from walkthrough.number_formats import FLOAT_NAMES, INT_NAMES, number_format
from walkthrough.records import Record
from walkthrough.text import in_quotes
from walkthrough.views.formats import FORMATS

if TYPE_CHECKING:
    from walkthrough.scenario.yaml.problems import Problem

FEW_STEPS = 3
"""A training of more steps is long: by itself `run` shows it as one table."""


def scenario_completion(incomplete: str) -> list[str]:
    """Bundled names, and the scenario files and folders beside them."""
    from walkthrough.scenario.sources import bundled_scenarios

    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    found = [name for name in bundled_scenarios() if name.startswith(incomplete)]
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            shown = str(path) if not incomplete.startswith("./") else f"./{path}"
            if shown.startswith(incomplete) and (path.is_dir() or path.suffix in (".yaml", ".yml")):
                found.append(f"{shown}/" if path.is_dir() else shown)
    return found


def step_completion(context: typer.Context, incomplete: str) -> list[str]:
    """Words and paths of the scenario that the line names, or the usual words."""
    trace = _named_trace(context)
    if trace is None:
        return [word for word in _USUAL if word.startswith(incomplete)]
    words = {word for value in trace for word in value.path.split(".") if not word.isdigit()}
    return [name for name in [*sorted(words), *trace.values] if name.startswith(incomplete)]


def token_completion(context: typer.Context, incomplete: str) -> list[str]:
    """Tokens of the scenario that the line names, but none that a command line cannot show."""
    from walkthrough.text import escape_label

    trace = _named_trace(context)
    labels = [label for labels in trace.tokens for label in labels] if trace else []
    return [label for label in labels if label.startswith(incomplete) and label == escape_label(label)]


def format_completion(incomplete: str) -> list[str]:
    """Names of formats."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def picture_completion(incomplete: str) -> list[str]:
    """Kinds of pictures."""
    from walkthrough.views.pictures.draw import KINDS

    return [name for name in KINDS if name.startswith(incomplete)]


def arithmetic_completion(incomplete: str) -> list[str]:
    """The names of number formats, and int8 of the whole numbers."""
    return [name for name in (*FLOAT_NAMES, "int8") if name.startswith(incomplete)]


def _named_trace(context: typer.Context) -> Any:
    """The trace of the scenario on the line; None where there is none yet, or a faulty one, or it is standard input."""
    scenario = context.params.get("scenario") or next(iter(context.args), None)  # left over: an option lacks its value
    with contextlib.suppress(Exception):
        if scenario and scenario != "-":
            import walkthrough

            return walkthrough.trace(walkthrough.load_scenario(scenario))
    return None


def file_name(text: str) -> str:
    """The type of an option that names a file, a folder or a scenario. Raises BadParameter for an empty name."""
    if not text:  # as a path it would be the folder one is in
        raise typer.BadParameter("it is empty; expected a name")
    return text


def file_path(text: str) -> Path:
    """The same as a path."""
    return Path(file_name(text))


WHAT, NUMBERS, OUTPUT = "What", "Numbers", "Output"
"""The groups of options in the help of a command."""
_USUAL = (
    "attention",
    "query",
    "key",
    "value",
    "scores",
    "softmax",
    "weights",
    "residual",
    "norm",
    "feed_forward",
    "logits",
)
_SCENARIO_HELP = "A scenario file, the name of a bundled scenario (see `walkthrough list`), or - for standard input."

Scenario = Annotated[str, typer.Argument(help=_SCENARIO_HELP, autocompletion=scenario_completion, show_default=False)]
Scenarios = Annotated[
    list[str], typer.Argument(help=_SCENARIO_HELP, autocompletion=scenario_completion, show_default=False)
]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        "-s",
        help="Only these steps: a path or words of it. Repeatable.",
        autocompletion=step_completion,
        metavar="SELECTOR",
        rich_help_panel=WHAT,
    ),
]
Tokens = Annotated[
    list[str] | None,
    typer.Option(
        "--token",
        "-t",
        help="Only this token's rows. Repeatable.",
        autocompletion=token_completion,
        metavar="LABEL",
        rich_help_panel=WHAT,
    ),
]
Decimals = Annotated[
    int | None,
    typer.Option(
        "--decimals", "-d", min=0, max=15, help="Number of decimals shown.", metavar="N", rich_help_panel=NUMBERS
    ),
]
ByHand = Annotated[
    bool, typer.Option("--by-hand", help="Round each value before the next step uses it.", rich_help_panel=NUMBERS)
]
Arithmetic = Annotated[
    str | None,
    typer.Option(
        "--arithmetic",
        help=f"Round each value, given ones too, to a number format: {', '.join(FLOAT_NAMES)} or {INT_NAMES}.",
        autocompletion=arithmetic_completion,
        metavar="FORMAT",
        rich_help_panel=NUMBERS,
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Calculate with another given number. Repeatable.",
        metavar="CELL=NUMBER",
        rich_help_panel=NUMBERS,
    ),
]
WhatIf = Annotated[
    list[str] | None,
    typer.Option(
        "--what-if",
        help="Give a calculated step other numbers, and see what follows: STEP=0, STEP=mean, STEP=from OTHER.yaml, or "
        "CELL=NUMBER. Repeatable.",
        metavar="STEP=…",
        rich_help_panel=NUMBERS,
    ),
]
NoDrift = Annotated[
    bool,
    typer.Option(
        "--no-drift",
        help="By hand, do not show how far each step has drifted from the exact numbers.",
        rich_help_panel=OUTPUT,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Show large tables in full.", rich_help_panel=OUTPUT)]


class Work(StrEnum):
    """How many cells of a step are worked out."""

    none = "none"
    one = "one"
    all = "all"


WorkedCells = Annotated[
    Work,
    typer.Option(
        "--work", help="How many cells of each step are worked out with their numbers.", rich_help_panel=OUTPUT
    ),
]
TABLE = "table"
"""The format of reports on a terminal."""
if TYPE_CHECKING:
    LanguageName = str
    ReportName = str
else:
    LanguageName = StrEnum("LanguageName", LANGUAGES)
    ReportName = StrEnum("ReportName", [TABLE, *(name for name, format in FORMATS.items() if format.for_reports)])
Language = Annotated[
    LanguageName | None,
    typer.Option(
        "--language", help="Language of what people read; by default the scenario's, else en.", rich_help_panel=OUTPUT
    ),
]
ReportFormat = Annotated[ReportName, typer.Option("--format", help="Format of the report.", rich_help_panel=OUTPUT)]


def asked_arithmetic(by_hand: bool, arithmetic: str | None) -> str:
    """What two options ask for: by-hand or a number format; empty where neither says anything."""
    if arithmetic is not None and number_format(arithmetic) is None:
        message = f"{in_quotes(arithmetic)} is no number format; known: {', '.join(FLOAT_NAMES)}, {INT_NAMES}"
        raise typer.BadParameter(message, param_hint="--arithmetic")
    if by_hand and arithmetic is not None:
        message = "--by-hand and --arithmetic exclude one another: leave out one of the two"
        raise typer.BadParameter(message, param_hint="--arithmetic")
    return "by-hand" if by_hand else arithmetic or ""


def load(scenario: str, sets: Sequence[str] | None = None, sparingly: bool = False) -> Any:
    """Loads a scenario with its weights, and prints its warnings; shows progress where that takes long.

    sets: other given numbers, as CELL=NUMBER; sparingly: of many numbers in files none is read before it is wanted
    """
    from walkthrough.transformer.loading.load import read_scenario

    with progress():
        found = _with_weights(read_scenario(scenario), sparingly and not sets)
    return _finish_loading(found, sets)


def _with_weights(scenario: Any, sparingly: bool) -> Any:
    from walkthrough.transformer.loading.load import with_arrays, with_few_arrays

    return with_few_arrays(scenario) if sparingly else with_arrays(scenario)


def _finish_loading(found: Any, sets: Sequence[str] | None) -> Any:
    """Prints the warnings of a scenario, and gives it with other numbers where there are any."""
    print_warnings(found.source.name, found.warnings)
    if not sets:
        return found
    from walkthrough.transformer.loading.changes import change_scenario, read_change

    with progress():
        return change_scenario(found, map(read_change, sets))


def print_warnings(source: str, warnings: Sequence[Problem]) -> None:
    """Prints each warning as a line on standard error."""
    from walkthrough.cli.failures import print_error
    from walkthrough.scenario.yaml.problems import warning_lines

    for line in warning_lines(source, warnings):
        print_error(line)


class Wanted(Record):
    """What a command shows of a calculation, as selectors; None: everything.

    kept:       of a long training nothing else is kept; without a selector, only the table of its run
    calculated: of a large model whose weights are in files nothing else is calculated
    explained:  what they come from is shown too, and what uses them
    tokens:     of a large model the logits and what follows are shown in the rows of these alone
    taker:      of a large model takes each value as it comes, and none is kept
    what_if:    steps that get other numbers than they have calculated
    """

    kept: Sequence[str] | None = None
    calculated: Sequence[str] | None = None
    explained: bool = False
    tokens: Sequence[str] = ()
    taker: Callable[[Any], None] | None = None
    what_if: Sequence[str] = ()


EVERYTHING = Wanted()


def calculate(
    scenario: str,
    arithmetic: str | None = None,
    decimals: int | None = None,
    sets: Sequence[str] | None = None,
    wanted: Wanted = EVERYTHING,
    language: str | None = None,
) -> Any:
    """Loads a scenario and gives its trace; shows progress where that takes long.

    arithmetic: as `asked_arithmetic` says; None where the command has no such option
    sets:       other given numbers, as CELL=NUMBER
    language:   of what people read of it; None: the scenario's
    """
    return _in_language(calculate_loaded(load(scenario, sets, sparingly=True), arithmetic, decimals, wanted), language)


def _in_language(trace: Any, language: str | None) -> Any:
    """A trace that is shown in a language; None: in its own."""
    trace.language = language or trace.language
    return trace


def calculate_loaded(found: Any, arithmetic: str | None, decimals: int | None, wanted: Wanted) -> Any:
    """The trace of a loaded scenario."""
    import walkthrough

    stated = found.spec.rounding
    if arithmetic == "" and stated is not None and (stated.has("decimals") or stated.has("format")):
        print_warnings(found.source.name, [_idle_rounding(found.spec.rounding)])
    is_long = found.spec.training is not None and found.spec.training.steps > FEW_STEPS
    with progress() as shown:
        return walkthrough.trace(
            found,
            arithmetic=arithmetic or None,
            decimals=decimals,
            keep=wanted.kept if is_long else None,
            wanted=wanted.calculated if found.sparing else None,
            explained=wanted.explained,
            tokens=wanted.tokens,
            taker=wanted.taker,
            what_if=wanted.what_if,
            begun=shown.watch,
        )


def calculate_steps(
    scenario: str,
    arithmetic: str,
    sets: Sequence[str] | None,
    selector: str,
    language: str | None = None,
    what_if: Sequence[str] = (),
) -> Any:
    """A trace for some steps and not for their numbers: nothing is calculated where no number decides on them."""
    from walkthrough.transformer.loading.load import read_scenario
    from walkthrough.transformer.shapes.check import steps_without_numbers

    with progress():
        found = read_scenario(scenario)
        walked = None if sets or what_if else steps_without_numbers(found, [selector])
    if walked is not None:
        print_warnings(found.source.name, found.warnings)
        walked.scenario, walked.language = found.source.name, found.spec.language
        return _in_language(walked, language)
    with progress():
        found = _with_weights(found, sparingly=not sets)
    found = _finish_loading(found, sets)
    wanted = Wanted(calculated=[selector], explained=True, what_if=what_if)
    return _in_language(calculate_loaded(found, arithmetic, None, wanted), language)


def print_idle(options: Sequence[str], where: str) -> None:
    """Says of options that they have no effect, in one line; nothing where there are none."""
    from walkthrough.cli.failures import print_error

    if options:
        *others, last = (f"--{name}" for name in options)
        names = f"{', '.join(others)} and {last}" if others else last
        print_error(f"{names} {'has' if len(options) == 1 else 'have'} no effect {where}")


def _idle_rounding(rounding: Any) -> Problem:
    from walkthrough.scenario.yaml.problems import Problem

    return Problem(rounding.line, rounding.column, "rounding has no effect without --by-hand")
