"""`walkthrough export`: the calculation as a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import Request, calculate, print_idle, read_arithmetic, shown_steps
from walkthrough.views.formats import FORMATS

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace
    from walkthrough.views.options import Options

_READERS = {"people": "To read", "class": "For a class", "programs": "For programs"}
EXAMPLES = "\n\n".join(
    f"{title}:\n\n" + "".join(f"- {name}: {one.purpose}\n" for name, one in FORMATS.items() if one.audience == audience)
    for audience, title in _READERS.items()
) + (
    "\nExamples: walkthrough export chai -o chai.md · walkthrough export chai -o chai.npz · "
    "walkthrough export chai --format json | jq .title"
)
_OF_CHOSEN = ("json", "markdown", "npz", "safetensors")
"""Formats that show nothing but the chosen steps, and of what they are computed from the numbers of worked lines."""


def picture_completion(incomplete: str) -> list[str]:
    """Kinds of pictures."""
    from walkthrough.views.pictures.draw import KINDS

    return [name for name in KINDS if name.startswith(incomplete)]


def command(
    scenario: arguments.Scenario,
    step: arguments.Steps = None,
    token: arguments.Tokens = None,
    inspect: arguments.Inspects = None,
    position: arguments.Position = "",
    decimals: arguments.Decimals = None,
    by_hand: arguments.ByHand = False,
    arithmetic: arguments.Arithmetic = None,
    set: arguments.Sets = None,
    output: Annotated[
        str,
        arguments.written("The file to write; by default, or as -, standard output.", show_default=False),
    ] = "-",
    format: Annotated[
        str | None,
        arguments.output(
            help="A format of those below; by default, the suffix of the file decides.",
            autocompletion=arguments.completion_of(FORMATS),
            metavar="NAME",
        ),
    ] = None,
    work: arguments.WorkedCells = arguments.Work.one,
    full: arguments.Full = False,
    columns: Annotated[
        int | None,
        arguments.output(
            min=1, help="In markdown and latex, split wider tables into bands of this many columns.", metavar="N"
        ),
    ] = None,
    drift: arguments.Drift = False,
    pictures: Annotated[
        bool,
        arguments.output(
            "--pictures", help="In markdown and latex, with pictures of the model, the attention and the loss."
        ),
    ] = False,
    picture: Annotated[
        str,
        arguments.output(
            help="In svg: poster, heat, arcs, curve or equation; by default poster, with --step heat.",
            autocompletion=picture_completion,
            metavar="KIND",
            show_default=False,
        ),
    ] = "",
    fragment: Annotated[
        bool,
        arguments.output(
            "--fragment",
            help="In latex, only the steps, to \\\\input: equations and tables without preamble, numbers and paths.",
        ),
    ] = False,
    language: arguments.Language = None,
) -> None:
    """Calculate a scenario and write it to a file."""
    from walkthrough.recording.selectors import LOSSES
    from walkthrough.views.options import Options

    chosen, calculated = format_of(output, format), read_arithmetic(by_hand, arithmetic)
    folder = f"{PurePath(output).stem}.pictures" if pictures else ""
    options = Options(
        step or (),
        token or (),
        decimals,
        work.value,
        full,
        drift=drift,
        columns=columns or 0,
        picture=picture,
        pictures=folder,
        fragment=fragment,
    )
    if folder and output == "-" and chosen == "markdown":
        raise typer.BadParameter("the pictures are files beside the document: give it a name", param_hint="--output")
    wanted, explained = (
        [*step, *LOSSES] if step and (picture or pictures) else step,
        pictures or chosen not in _OF_CHOSEN,
    )
    request = Request(calculated, decimals, set, inspect, position, wanted, explained, language)
    trace = calculate(scenario, request)
    export_trace(trace, options._replace(steps=shown_steps(trace, step, request)), output, chosen)


def format_of(output: str, named: str | None = None) -> str:
    """The name of the format; a usage error where neither `named` nor the suffix says a known one, or they say two.

    Bytes that no terminal can show are refused where standard output is one.
    """
    from walkthrough.text import did_you_mean, in_quotes
    from walkthrough.views.formats import by_suffix

    known = ", ".join(FORMATS)
    if named is not None and named not in FORMATS:
        hint = did_you_mean(named, FORMATS) or f"known: {known}"
        raise typer.BadParameter(f"no format is called {in_quotes(named)}; {hint}", param_hint="--format")
    by_name = next(iter(FORMATS)) if output == "-" and named is None else by_suffix(output)
    found = named or by_name
    if found is None:
        suffixes = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
        remedy = f"end it in one of {suffixes}, or add --format: {known}"
        message = f"the format is not clear from the name {in_quotes(output)}; {remedy}"
        raise typer.BadParameter(message, param_hint="--output")
    if by_name not in (None, found, FORMATS[found].within):
        message = f"{in_quotes(output)} is a name for {by_name}, not for {found}; rename the file or leave out --format"
        raise typer.BadParameter(message, param_hint="--format")
    if output == "-" and FORMATS[found].is_binary and sys.stdout.isatty():
        message = f"a terminal cannot show {found}; name a file, -o FILE{FORMATS[found].suffixes[0]}"
        raise typer.BadParameter(message, param_hint="--output")
    return found


def export_trace(trace: Trace, options: Options, output: str, format: str) -> None:
    """Writes the trace to a file, or to standard output."""
    from walkthrough.cli.failures import print_error
    from walkthrough.cli.files import stream_files
    from walkthrough.cli.progress import Progress, progress
    from walkthrough.text import escape_label
    from walkthrough.views.formats import with_effect, without_effect
    from walkthrough.views.report.document import select_rows

    if idle := without_effect(options, format):
        print_idle(idle, f"in {format} with --fragment" if options.fragment and format == "latex" else f"in {format}")
        options = with_effect(options, idle)
    select_rows(trace, options)  # no file for a selector or token that names nothing, whatever the format makes of it
    view = FORMATS[format].view
    if hasattr(view, "remark") and (remark := view.remark(trace, options)):
        print_error(remark)

    def write(out: BinaryIO) -> None:
        """Writes the file, and before it takes its place the one that it needs beside it."""
        if output == "-" or not hasattr(view, "write_beside"):
            view.write(trace, options, out)
        elif beside := view.write_beside(trace, options, out, PurePath(output).name):
            out.flush()
            stream_files([(f"{output}.npz", beside)])

    with progress() if output != "-" else nullcontext(Progress()) as shown:  # no line amid the output
        shown.text = f"writing {escape_label(output)} …"
        beside = PurePath(output).parent / options.pictures
        named = picture_files(trace, options) if options.pictures and format == "markdown" else {}
        files = [(f"{beside / name}", write_text(text)) for name, text in named.items()]
        stream_files([(output, write), *files], Path(beside) if files else None)


def picture_files(trace: Trace, options: Options) -> dict[str, str]:
    """The files of a document's pictures, by their names."""
    from walkthrough.views.pictures.svg import svg
    from walkthrough.views.report.document import values_to_show
    from walkthrough.views.report.figures import figures

    return {f"{one.name}.svg": svg(one.draws(None)) for one in figures(trace, values_to_show(trace, options), options)}


def write_text(text: str) -> Callable[[BinaryIO], object]:
    """What writes a text into a file."""
    return lambda out: out.write(text.encode())
