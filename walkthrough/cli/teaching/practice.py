"""`walkthrough practice`: one number after the other, asked for in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from walkthrough.cli.arguments import Decimals, Language, Scenario, Steps, load
from walkthrough.cli.stopping import cleanup_on_signal

EXAMPLES = (
    "Examples: walkthrough practice help-me · walkthrough practice chai --step scores --decimals 2 · "
    "walkthrough practice cooking --seed 7"
)


def command(
    scenario: Scenario,
    step: Steps = None,
    decimals: Decimals = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Practise with other given numbers.", metavar="N")] = None,
    language: Language = None,
) -> None:
    """Practise: asks for one number after the other, with hints. ? formula, ?? numbers, ! answer, n next, q end."""
    from walkthrough.teaching.make.maker import Maker, SheetOptions
    from walkthrough.teaching.practice.practice import Practice
    from walkthrough.teaching.sheet import SheetError

    if scenario == "-":
        raise SheetError("the answers come from standard input; name a scenario file")
    maker = Maker(load(scenario), Path(scenario).stem, SheetOptions(step, decimals, None, language))
    with cleanup_on_signal(typer.echo):  # Ctrl-C ends the line that was begun
        Practice(maker.sheet(seed), _say, _ask).run()


def _say(line: str) -> None:
    """Writes a line, broken where the terminal ends; lines of tables stay as they are."""
    from rich.console import Console

    from walkthrough.views.text.wrapping import wrap_prose

    width, indent = Console().width, len(line) - len(line.lstrip())
    is_table = indent > 0 and " = " not in line
    is_long = len(line) > width and not is_table
    for part in wrap_prose(line.strip(), width, indent, 4 if indent else 0) if is_long else [line]:
        typer.echo(part)


def _ask(question: str) -> str | None:
    """The line that is typed after a question; None at the end of the input."""
    _say(question)
    typer.echo("> ", nl=False)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        typer.echo()
        return None
    if not sys.stdin.isatty():
        typer.echo(line.rstrip("\r\n"))
    return line
