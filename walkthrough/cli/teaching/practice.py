"""`walkthrough practice`: one number after the other, asked for in the terminal."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import load, name_of
from walkthrough.cli.stopping import cleanup_on_signal
from walkthrough.cli.teaching.typed import read_typed

EXAMPLES = (
    "Examples: walkthrough practice help-me · walkthrough practice chai --step scores --decimals 2 · "
    "walkthrough practice cooking --seed 7 -o practice.html"
)


def command(
    scenario: arguments.Scenario,
    step: arguments.Steps = None,
    decimals: arguments.Decimals = None,
    seed: Annotated[
        int | None, arguments.numbers(min=0, help="Practise with other given numbers.", metavar="N")
    ] = None,
    output: Annotated[
        str | None,
        arguments.written("Write the practice as a page, instead of asking here.", "FILE.html"),
    ] = None,
    format: Annotated[str | None, arguments.output(help="Format of the page: html.", metavar="NAME")] = None,
    language: arguments.Language = None,
) -> None:
    """Practise: asks for one number after the other, with hints. ? formula, ?? numbers, ! answer, n next, q end."""
    from walkthrough.teaching.lessons.practice import Practice
    from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
    from walkthrough.teaching.sheets.sheet import SheetError

    _check_output(format, output)
    if scenario == "-" and output is None:
        raise SheetError("the answers come from standard input; name a scenario file")
    maker = Maker(load(scenario), name_of(scenario), SheetOptions(step, decimals, None, language))
    if output is not None:
        from walkthrough.cli.files import keep_apart, stream_files
        from walkthrough.teaching.lessons.practice import write_page

        keep_apart([scenario], [output])
        stream_files([(output, partial(write_page, maker.sheet(seed)))])
        return
    with cleanup_on_signal(typer.echo):  # Ctrl-C ends the line that was begun
        Practice(maker.sheet(seed), _say, _ask).run()


def _check_output(format: str | None, output: str | None) -> None:
    """Raises SheetError where the options do not say that, and where, a page is to be written."""
    from walkthrough.teaching.sheets.sheet import SheetError
    from walkthrough.text import escape_label, in_quotes

    if format not in (None, "html"):
        raise SheetError(f"practice can be written as html, not as {in_quotes(format or '')}")
    if format is not None and output is None:
        raise SheetError("--format html needs a file to write: -o FILE.html")
    if output is not None and output != "-" and not output.lower().endswith((".html", ".htm")):
        raise SheetError(f"practice is written as html: end the name {escape_label(output)} in .html")
    if output == "-" and format is None:
        raise SheetError("-o - needs --format html")


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
    return read_typed()
