"""Arguments and options that several commands share, with their completion."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walkthrough.cli.loading import INSPECTED, steps_of
from walkthrough.languages import LANGUAGES
from walkthrough.number_formats import FLOAT_NAMES, INT_NAMES
from walkthrough.views.formats import FORMATS

what, numbers, output = (partial(typer.Option, rich_help_panel=panel) for panel in ("What", "Numbers", "Output"))
"""Declare an option in one of the groups of the help."""


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


def completion_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """The completion of an option that takes one of these names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def _named_trace(context: typer.Context) -> Any:
    """The steps of the scenario on the line; None where there is none yet, or a faulty one, or it is standard input."""
    scenario = context.params.get("scenario") or next(iter(context.args), None)  # left over: an option lacks its value
    with contextlib.suppress(Exception):
        if scenario and scenario != "-":
            from walkthrough.transformer.loading.load import read_scenario

            return steps_of(read_scenario(scenario))
    return None


def file_name(text: str) -> str:
    """The type of an option that names a file, a folder or a scenario. Raises BadParameter for an empty name."""
    if not text:  # as a path it would be the folder one is in
        raise typer.BadParameter("it is empty; expected a name")
    return text


def file_path(text: str) -> Path:
    """The same as a path."""
    return Path(file_name(text))


def names_file(help: str, metavar: str = "FILE", *names: str, group: Any = what, **more: Any) -> Any:
    """Declares an option that names a file, a folder or a scenario."""
    return group(*names, **{"help": help, "metavar": metavar, "parser": file_name} | more)


def written(help: str, metavar: str = "FILE", **more: Any) -> Any:
    """Declares `--output`, the file that a command writes."""
    return names_file(help, metavar, "--output", "-o", group=output, **more)


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
_SCENARIO = typer.Argument(
    help="A scenario file, the name of a bundled scenario (see `walkthrough list`), or - for standard input.",
    autocompletion=scenario_completion,
    show_default=False,
)

Scenario = Annotated[str, _SCENARIO]
Scenarios = Annotated[list[str], _SCENARIO]
Steps = Annotated[
    list[str] | None,
    what(
        "--step",
        "-s",
        help="Only these steps: a path or words of it; repeatable.",
        autocompletion=step_completion,
        metavar="SELECTOR",
    ),
]
Tokens = Annotated[
    list[str] | None,
    what("--token", "-t", help="Only this token's rows; repeatable.", autocompletion=token_completion, metavar="LABEL"),
]
Inspects = Annotated[
    list[str] | None,
    what(
        "--inspect",
        help="Look inside the model, and show that alone: lens, attribution, or all that applies; repeatable.",
        autocompletion=completion_of(INSPECTED),
        metavar="PART",
    ),
]
Position = Annotated[
    str,
    what(
        help="The token whose logits attribution takes apart, by label or number; by default the last.",
        autocompletion=token_completion,
        metavar="LABEL",
        show_default=False,
    ),
]
Decimals = Annotated[
    int | None, numbers("--decimals", "-d", min=0, max=15, help="Number of decimals shown.", metavar="N")
]
ByHand = Annotated[bool, numbers("--by-hand", help="Round each value before the next step uses it.")]
Arithmetic = Annotated[
    str | None,
    numbers(
        help=f"Round each value, given ones too, to a number format: {', '.join(FLOAT_NAMES)} or {INT_NAMES}.",
        autocompletion=completion_of((*FLOAT_NAMES, "int8")),
        metavar="FORMAT",
    ),
]
Sets = Annotated[
    list[str] | None,
    numbers(
        help="Calculate with another number; also STEP=0, STEP=mean, STEP=from FILE, tokens=WORDS; repeatable.",
        metavar="CELL=NUMBER",
    ),
]
GivenSets = Annotated[
    list[str] | None,
    numbers(help="Calculate with another given number, or tokens=WORDS; repeatable.", metavar="CELL=NUMBER"),
]
VARIED = "A given matrix to draw; by default all but biases; repeatable."
"""What --vary does."""
Varied = Annotated[list[str] | None, numbers("--vary", help=VARIED, metavar="SELECTOR")]
Drift = Annotated[
    bool, output("--drift", help="By hand, also show how far each step has drifted from the exact numbers.")
]
Full = Annotated[bool, output("--full", help="Show large tables in full.")]


class Work(StrEnum):
    """How many cells of a step are worked out."""

    none = "none"
    one = "one"
    all = "all"


WorkedCells = Annotated[Work, output("--work", help="How many cells of each step are worked out with their numbers.")]
TABLE = "table"
"""The format of reports on a terminal."""
if TYPE_CHECKING:
    LanguageName = str
    ReportName = str
else:
    LanguageName = StrEnum("LanguageName", LANGUAGES)
    ReportName = StrEnum("ReportName", [TABLE, *(name for name, format in FORMATS.items() if format.for_reports)])
Language = Annotated[
    LanguageName | None, output(help="Language of what people read; by default the scenario's, else en.")
]
ReportFormat = Annotated[ReportName, output(help="Format of the report.")]
