"""`walkthrough worksheet`: a sheet to fill in, or one for each student of a class, and the answer key."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import Decimals, Language, Scenario, load

if TYPE_CHECKING:
    from collections.abc import Sequence


EXAMPLES = (
    "Examples: walkthrough worksheet chai -o chai.html · "
    "walkthrough worksheet cooking -o sheet.xlsx --decimals 2 --seed 7 · "
    "walkthrough worksheet cooking --students class.txt --to xlsx -o sheets --key key.yaml"
)
_LONGEST_NAME = 60
_KINDS = "xlsx, html, markdown or yaml"


def command(
    scenario: Scenario,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="The file to write: .xlsx, .html, .md or .yaml; with --students, the folder.",
            metavar="FILE",
        ),
    ],
    blank: Annotated[
        list[str] | None,
        typer.Option(help="A step to fill in; by default nearly every computed one. Repeatable.", metavar="SELECTOR"),
    ] = None,
    decimals: Decimals = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Draw other given numbers, fit to work with by hand.", metavar="N")
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="A given matrix to draw; by default all but biases. Repeatable.", metavar="SELECTOR"),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Write the solved sheet too, or those of the class.", metavar="FILE")
    ] = None,
    students: Annotated[
        Path | None, typer.Option(help="A text file with one name per line: makes a sheet for each.", metavar="FILE")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help=f"{_KINDS}; with --students, by default xlsx.", metavar="FORMAT")
    ] = None,
    language: Language = None,
) -> None:
    """Write a worksheet: given numbers, empty cells to fill in, and no answer anywhere."""
    from walkthrough.cli.files import keep_apart, stream_file
    from walkthrough.teaching.kinds import KINDS, find_kind, kind_of, writer_of
    from walkthrough.teaching.make.maker import Maker, SheetOptions
    from walkthrough.teaching.sheet import SheetError

    kind = find_kind(to) if to is not None else "xlsx" if students is not None else kind_of(output)
    key_kind = kind_of(key) if key is not None else ""
    if key_kind and not KINDS[key_kind].holds_class and students is not None:
        raise SheetError("the answer key of a class is a single .yaml, .md or .html file")
    writers = {name: writer_of(name) for name in {kind, key_kind} - {""}}
    names = _read_names(students) if students is not None else []
    first_seed = 1 if seed is None else seed
    maker = Maker(load(scenario), _name_of(scenario), SheetOptions(blank, decimals, vary, language))
    files = [output]
    if students is not None:
        files = [str(Path(output) / name) for name in _file_names(names, KINDS[kind].suffixes[0])]
    keep_apart([scenario, *([str(students)] if students is not None else [])], [*files, *([key] if key else [])])
    if students is None:
        sheets = [maker.sheet(first_seed if vary else seed)]
    else:
        sheets = [maker.sheet(number, name) for number, name in enumerate(names, first_seed)]
        Path(output).mkdir(parents=True, exist_ok=True)
    for file, sheet in zip(files, sheets, strict=True):
        stream_file(file, partial(writers[kind].write, [sheet]))
    if key is not None:
        stream_file(key, partial(writers[key_kind].write, sheets, solved=True))


def _name_of(scenario: str) -> str:
    """The name of a scenario: that of its file."""
    return "stdin" if scenario == "-" else Path(scenario).stem


def _read_names(file: Path) -> list[str]:
    """The students of a class, in order; empty lines are none."""
    from walkthrough.teaching.sheet import SheetError
    from walkthrough.text import escape_label

    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SheetError(f"{escape_label(str(file))} is not UTF-8: save the list as UTF-8 text") from None
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise SheetError(f"{escape_label(str(file))} holds no names; expected a text file with one name per line")
    return names


def _file_names(names: Sequence[str], suffix: str) -> list[str]:
    """A file's name for each student: its number in the list, and what of the name is harmless in a file's name."""
    width = len(str(len(names)))
    return [f"{at:0{width}d}-{_harmless(name)}{suffix}" for at, name in enumerate(names, 1)]


def _harmless(name: str) -> str:
    kept = re.sub(r"[^\w .'’-]+", "_", unicodedata.normalize("NFC", name)).strip(" .")
    return kept[:_LONGEST_NAME].strip(" .") or "student"
