"""`walkthrough run`: the whole calculation, step by step, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from walkthrough.cli import arguments
from walkthrough.cli.loading import FEW_STEPS, Request, calculate, read_arithmetic, shown_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from walkthrough.languages.catalogue import Catalogue
    from walkthrough.recording.trace import Trace
    from walkthrough.recording.values import Value
    from walkthrough.views.options import Options
    from walkthrough.views.report.blocks import Block, Items

EXAMPLES = (
    "Examples: walkthrough run chai · walkthrough run chai --step scores --step softmax · "
    "walkthrough run chai --token hot --work all · walkthrough run cooking --by-hand · "
    "walkthrough run lens --inspect all"
)

_SINGLE_STEPS = "--step train.1, --step train.2.scores, --step gradient …"
MOST_TABLES = 1000
"""Of more tables nothing but the map is shown, unless some are chosen, or all."""


def command(
    scenario: arguments.Scenario,
    step: arguments.Steps = None,
    token: arguments.Tokens = None,
    inspect: arguments.Inspects = None,
    position: arguments.Position = "",
    every: Annotated[bool, arguments.what("--all", help="Print all tables, however many.")] = False,
    decimals: arguments.Decimals = None,
    by_hand: arguments.ByHand = False,
    arithmetic: arguments.Arithmetic = None,
    set: arguments.Sets = None,
    work: arguments.WorkedCells = arguments.Work.one,
    full: arguments.Full = False,
    drift: arguments.Drift = False,
    language: arguments.Language = None,
) -> None:
    """Calculate a scenario and show every step: formula, matrix, and a number worked out."""
    from rich.console import Console

    from walkthrough.views.options import Options

    wanted, calculated = step or (None if every else ()), read_arithmetic(by_hand, arithmetic)
    request = Request(calculated, decimals, set, inspect, position, wanted, language=language)
    trace = calculate(scenario, request)
    steps = shown_steps(trace, step, request)
    options = Options(steps, token or (), decimals, work.value, full, drift=drift, changes=not full)
    _tables(trace, options, Console(highlight=False), scenario, every)


def _tables(trace: Trace, options: Options, console: Console, scenario: str, every: bool) -> None:
    """The tables; those of a long calculation that nobody has chosen from are not all printed."""
    from walkthrough.languages.catalogue import catalogue
    from walkthrough.text import command_line
    from walkthrough.views.report.blocks import Report
    from walkthrough.views.report.document import values_to_show
    from walkthrough.views.report.head import about
    from walkthrough.views.report.outline import outline
    from walkthrough.views.terminal.terminal import show, show_reports

    words = catalogue(trace.language)
    is_free = not options.steps and not every
    if is_free and "training" in trace and trace["training"].shape[0] > FEW_STEPS:
        show(trace, options._replace(steps=("training",)), console)
        command = f"{command_line('walkthrough', 'run', scenario)} {_SINGLE_STEPS}"
        console.file.write(f"{words('single_steps', command=command)}\n")
        return
    values = values_to_show(trace, options)
    if is_free and len(values) > MOST_TABLES:
        blocks: list[Block] = [outline(trace, values), _choice(values, scenario, words)]
        show_reports([Report(trace.title, lambda: blocks, about=about(trace, words), words=words)], console)
    else:
        show(trace, options, console)


def _choice(values: Sequence[Value], scenario: str, words: Catalogue) -> Items:
    """How to choose among many tables: the innermost part of the first one that is in any serves as an example."""
    from walkthrough.recording.parts import parts_of
    from walkthrough.text import command_line
    from walkthrough.views.report.blocks import Items

    names = next(filter(None, (parts_of(value.path) for value in values)), ())
    example = names[-1].path if names else values[0].path
    lines = (
        command_line("walkthrough", "run", scenario, "--step", example),
        command_line("walkthrough", "run", scenario, "--all"),
        command_line("walkthrough", "steps", scenario),
    )
    return Items(lines, words("many_tables", count=words.whole(len(values))), words("many_tables_help"))
