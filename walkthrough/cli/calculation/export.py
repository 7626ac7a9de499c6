"""`walkthrough export`: the calculation as a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from walkthrough.cli.arguments import (
    Arithmetic,
    ByHand,
    Decimals,
    Full,
    Language,
    NoDrift,
    Scenario,
    Sets,
    Steps,
    Tokens,
    Wanted,
    WhatIf,
    Work,
    asked_arithmetic,
    calculate,
    calculate_loaded,
    format_completion,
    load,
    picture_completion,
    print_idle,
)
from walkthrough.views.formats import FORMATS

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace
    from walkthrough.recording.values import Value
    from walkthrough.views.options import Options

EXAMPLES = (
    "Formats:\n\n" + "".join(f"- {name}: {format.purpose}\n" for name, format in FORMATS.items()) + "\n"
    "Examples: walkthrough export chai -o chai.md · walkthrough export chai -o chai.npz · "
    "walkthrough export chai --to json -o - | jq .title"
)
_OF_CHOSEN = ("json", "markdown")
"""Formats that show nothing but the chosen steps, and of what they are computed from the numbers of worked lines."""


def command(
    scenario: Scenario,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write; - is standard output.", metavar="FILE")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help=f"{', '.join(FORMATS)}; by default, the suffix of the file decides.",
            autocompletion=format_completion,
            metavar="FORMAT",
        ),
    ] = None,
    step: Steps = None,
    token: Tokens = None,
    decimals: Decimals = None,
    work: Annotated[Work, typer.Option(help="How many cells of each step are worked out.")] = Work.one,
    by_hand: ByHand = False,
    arithmetic: Arithmetic = None,
    set: Sets = None,
    what_if: WhatIf = None,
    full: Full = False,
    columns: Annotated[
        int | None,
        typer.Option(
            min=1, help="In markdown and latex: split wider tables into bands of this many columns.", metavar="N"
        ),
    ] = None,
    no_drift: NoDrift = False,
    picture: Annotated[
        str,
        typer.Option(
            help="In svg: poster, heat, arcs, curve or equation; by default poster, with --step heat.",
            autocompletion=picture_completion,
            metavar="KIND",
            show_default=False,
        ),
    ] = "",
    language: Language = None,
    pictures: Annotated[
        bool,
        typer.Option(
            "--pictures", help="In markdown and latex: with pictures of the model, the attention and the loss."
        ),
    ] = False,
) -> None:
    """Calculate a scenario and write it to a file."""
    from walkthrough.views.options import Options
    from walkthrough.views.pictures.curve import LOSSES

    format, calculated = format_of(output, to), asked_arithmetic(by_hand, arithmetic)
    folder = f"{PurePath(output).stem}.pictures" if pictures else ""
    options = Options(
        step or (),
        token or (),
        decimals,
        work.value,
        full,
        drift=not no_drift,
        columns=columns or 0,
        picture=picture,
        pictures=folder,
    )
    if folder and output == "-" and format == "markdown":
        raise typer.BadParameter("the pictures are files beside the document: give it a name", param_hint="--output")
    kept = [*step, *LOSSES] if step and (picture or pictures) else step
    if format != "npz" or calculated not in ("", "exact") or what_if:
        chosen = step if step and format in _OF_CHOSEN and not pictures else None
        wanted = Wanted(kept, calculated=chosen, what_if=what_if or ())
        export_trace(calculate(scenario, calculated, decimals, set, wanted, language), options, output, format)
        return
    found = load(scenario, set, sparingly=True)
    names = _names_of_large(found, options.steps)
    if names is None:
        export_trace(calculate_loaded(found, calculated, decimals, Wanted(kept)), options, output, format)
    else:
        _stream_arrays(found, names, options, output)


def _names_of_large(found: Any, steps: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
    """The names of all values of a large model that are to be written; None where they are not written as they come."""
    if not found.sparing:
        return None
    from walkthrough.transformer.shapes.check import foresee_names  # wanted for large models only

    return foresee_names(found, steps)


def _stream_arrays(found: Any, names: dict[str, tuple[str, ...]], options: Options, output: str) -> None:
    """Writes the values of a large model as they are calculated; none is kept, and no file stays that is not whole."""
    from walkthrough.cli.files import stream_file
    from walkthrough.views.formats import without_effect
    from walkthrough.views.npz import write_arrays

    print_idle(without_effect(options, "npz"), "in npz")

    def write(out: BinaryIO) -> None:
        with write_arrays(out) as file:

            def take(value: Value) -> None:
                """Writes a value; one that only numbers decide on where all are wanted."""
                for name in names.get(value.path, () if options.steps else (value.path,)):
                    file.add(name, value.array)

            calculate_loaded(found, "", options.decimals, Wanted(calculated=options.steps, taker=take))

    stream_file(output, write)


def format_of(output: str, to: str | None = None, option: str = "--output") -> str:
    """The name of the format; a usage error where neither `to` nor the suffix says a known one, or they say two."""
    from walkthrough.text import did_you_mean, in_quotes
    from walkthrough.views.formats import by_suffix

    known = ", ".join(FORMATS)
    if to is not None:
        if to not in FORMATS:
            hint = did_you_mean(to, FORMATS) or f"known: {known}"
            raise typer.BadParameter(f"no format is called {in_quotes(to)}; {hint}", param_hint="--to")
        if (said := by_suffix(output)) not in (None, to, FORMATS[to].within):
            message = f"{in_quotes(output)} is a name for {said}, not for {to}; rename the file or leave out --to"
            raise typer.BadParameter(message, param_hint="--to")
        return to
    found = next(iter(FORMATS)) if output == "-" else by_suffix(output)
    if found is None:
        suffixes = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
        remedy = f"end it in one of {suffixes}" + (f", or add --to: {known}" if option == "--output" else "")
        message = f"the format is not clear from the name {in_quotes(output)}; {remedy}"
        raise typer.BadParameter(message, param_hint=option)
    return found


def export_trace(trace: Trace, options: Options, output: str, format: str) -> None:
    """Writes the trace to a file, or to standard output."""
    from walkthrough.cli.failures import print_error
    from walkthrough.cli.files import stream_file, stream_files
    from walkthrough.cli.progress import Progress, progress
    from walkthrough.text import escape_label
    from walkthrough.views.formats import RemarkingView, TwoFileView, by_name, with_effect, without_effect
    from walkthrough.views.report.trace.document import select_rows

    if idle := without_effect(options, format):
        print_idle(idle, f"in {format}")
        options = with_effect(options, idle)
    select_rows(trace, options)  # no file for a selector or token that names nothing, whatever the format makes of it
    view = by_name(format)
    if isinstance(view, RemarkingView) and (remark := view.remark(trace, options)):
        print_error(remark)

    def write(out: BinaryIO) -> None:
        """Writes the file, and before it takes its place the one that it needs beside it."""
        if output == "-" or not isinstance(view, TwoFileView):
            view.write(trace, options, out)
        elif beside := view.write_beside(trace, options, out, PurePath(output).name):
            out.flush()
            stream_file(f"{output}.npz", beside)

    with progress() if output != "-" else nullcontext(Progress()) as shown:  # no line amid the output
        shown.text = f"writing {escape_label(output)} …"
        beside = PurePath(output).parent / options.pictures
        named = picture_files(trace, options) if options.pictures and format == "markdown" else {}
        files = [(f"{beside / name}", write_text(text)) for name, text in named.items()]
        stream_files([(output, write), *files], Path(beside) if files else None)


def picture_files(trace: Trace, options: Options) -> dict[str, str]:
    """The files of a document's pictures, by their names."""
    from walkthrough.views.pictures.illustrations import illustrations
    from walkthrough.views.pictures.svg import svg
    from walkthrough.views.report.trace.document import values_to_show

    found = illustrations(trace, values_to_show(trace, options), options).values()
    return {f"{one.name}.svg": svg(one.draws(None)) for one in found}


def write_text(text: str) -> Callable[[BinaryIO], object]:
    """What writes a text into a file."""
    return lambda out: out.write(text.encode())
