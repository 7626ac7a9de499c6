"""`walkthrough worksheet`: a sheet to fill in, or one for each student of a class, and the answer key."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import load, name_of

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from walkthrough.cli.files import Write


EXAMPLES = (
    "Examples: walkthrough worksheet chai -o chai.html · "
    "walkthrough worksheet cooking -o sheet.xlsx --decimals 2 --seed 7 · "
    "walkthrough worksheet cooking --students class.txt -o sheets --key key.yaml"
)
_LONGEST_NAME = 60
_MOST_VARIANTS, _MOST_STUDENTS = 500, 5000
"""More would be gigabytes and hours, and more likely a slip or another file."""
_KINDS = "html, xlsx, markdown, yaml, csv or moodle"


def command(
    scenario: arguments.Scenario,
    *,
    blank: Annotated[
        list[str] | None,
        arguments.what(help="A step to fill in; by default nearly every computed one; repeatable.", metavar="SELECTOR"),
    ] = None,
    decimals: arguments.Decimals = None,
    seed: Annotated[
        int | None, arguments.numbers(min=0, help="Draw other given numbers, fit to work with by hand.", metavar="N")
    ] = None,
    vary: arguments.Varied = None,
    output: Annotated[str, arguments.written("The file to write, - for standard output; of a class, the folder.")],
    format: Annotated[
        str | None, arguments.output(help=f"{_KINDS}; by default, the suffix of the file decides.", metavar="NAME")
    ] = None,
    key: Annotated[
        str | None,
        arguments.names_file("Write the answer key too, one for the whole class.", group=arguments.output),
    ] = None,
    full: Annotated[
        bool, arguments.output("--full", help="As the key, write solved sheets instead of a line per step.")
    ] = False,
    students: Annotated[
        Path | None,
        arguments.names_file("A text file with one name per line: makes a sheet for each.", parser=arguments.file_path),
    ] = None,
    variants: Annotated[
        int | None,
        arguments.what(min=1, max=_MOST_VARIANTS, help="Of a quiz, this many variants of each question.", metavar="K"),
    ] = None,
    language: arguments.Language = None,
) -> None:
    """Write a worksheet: given numbers, empty cells to fill in, and no answer anywhere."""
    from walkthrough.cli.files import keep_apart, stream_files
    from walkthrough.teaching.sheets.kinds import KINDS, writer_of
    from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
    from walkthrough.teaching.sheets.sheet import SheetError

    is_class = students is not None
    kind, key_kind = _kinds(output, format, key, is_class, full)
    is_quiz = KINDS[kind].is_quiz
    _check_variants(variants, is_quiz, is_class)
    if key_kind and (is_class or variants) and not KINDS[key_kind].holds_class:
        raise SheetError("the answer key of a class is a single .yaml, .md or .html file")
    writer, key_writer = writer_of(kind), writer_of(key_kind) if key_kind else None
    names = _read_names(students) if students is not None else [""] * (variants or 0)
    first_seed = 1 if seed is None else seed
    maker = Maker(load(scenario), name_of(scenario), SheetOptions(blank, decimals, vary, language))
    files, folder = [output], Path(output) if students is not None and not is_quiz else None
    if folder is not None:
        files = [str(folder / name) for name in _file_names(names, KINDS[kind].suffixes[0])]
    keep_apart([scenario, *([str(students)] if students is not None else [])], [*files, *([key] if key else [])])
    sheets = [maker.sheet(number, name) for number, name in enumerate(names, first_seed)]
    sheets = sheets or [maker.sheet(first_seed if vary else seed)]
    parts = [sheets] if is_quiz else [[sheet] for sheet in sheets]
    written: list[tuple[str, Write]] = [
        (file, partial(writer.write, part)) for file, part in zip(files, parts, strict=True)
    ]
    if key is not None and key_writer is not None:
        in_lines = KINDS[key_kind].key_lines and not full
        write_key = key_writer.write_key if in_lines else partial(key_writer.write, solved=True)
        written.append((key, partial(write_key, sheets)))
    stream_files(written, folder)
    if folder is not None:
        _name_earlier(folder, {Path(name).name for name, _ in written})
    if is_quiz:
        typer.echo("In a quiz nothing is marked from a student's own earlier numbers; each question says so.", err=True)


def _check_variants(variants: int | None, is_quiz: bool, is_class: bool) -> None:
    """Raises SheetError where variants are asked for that there cannot be."""
    from walkthrough.teaching.sheets.sheet import SheetError

    if variants is not None and not is_quiz:
        raise SheetError("--variants is for a quiz; write it to a file that ends in .xml")
    if variants is not None and is_class:
        raise SheetError("--variants and --students cannot be combined: each student has a variant")


def _kinds(output: str, format: str | None, key: str | None, is_class: bool, full: bool) -> tuple[str, str]:
    """The kinds of the sheets and of the answer key, which may be none. Raises SheetError where options contradict."""
    from walkthrough.teaching.sheets.kinds import KINDS, find_kind, kind_of
    from walkthrough.teaching.sheets.sheet import SheetError
    from walkthrough.text import escape_label

    named = [name for name, one in KINDS.items() if Path(output).suffix.lower() in one.suffixes]
    names_quiz = any(KINDS[name].is_quiz for name in named)
    kind = find_kind(format) if format is not None else "html" if is_class and not names_quiz else kind_of(output)
    has_folder = is_class and not KINDS[kind].is_quiz
    if format is not None and not has_folder and set(named) - {kind}:
        raise SheetError(
            f"--format {kind} contradicts the name {escape_label(output)}; leave out --format, or name another file"
        )
    if has_folder and output != "-" and (named or Path(output).exists()) and not Path(output).is_dir():
        raise SheetError(f"{escape_label(output)} is a file's name; with --students, -o names a folder for the sheets")
    if full and key is None:
        raise SheetError("--full is for the answer key; name its file with --key")
    key_kind = kind_of(key) if key is not None else ""
    if key_kind and KINDS[key_kind].is_quiz:
        raise SheetError("a quiz is no answer key; end its name in .yaml, .md or .html")
    return kind, key_kind


def _name_earlier(folder: Path, written: Container[str]) -> None:
    """Says which sheets in the folder are not of this run."""
    from walkthrough.cli.failures import print_error
    from walkthrough.teaching.sheets.kinds import KINDS
    from walkthrough.text import escape_label

    suffixes = {suffix for kind in KINDS.values() for suffix in kind.suffixes}
    sheets = (path for path in sorted(folder.iterdir()) if path.suffix.lower() in suffixes)
    earlier = [path.name for path in sheets if path.name not in written and re.match(r"\d+-", path.name)]
    if earlier:
        print_error(f"not of this run, but in {escape_label(str(folder))}: {', '.join(map(escape_label, earlier))}")


def _read_names(file: Path) -> list[str]:
    """The students of a class, in order; empty lines are none."""
    from walkthrough.teaching.sheets.sheet import SheetError
    from walkthrough.text import escape_label

    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SheetError(f"{escape_label(str(file))} is not UTF-8: save the list as UTF-8 text") from None
    if "\0" in text:
        raise SheetError(f"{escape_label(str(file))} is not a text file; expected one with one name per line")
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if not names:
        raise SheetError(f"{escape_label(str(file))} holds no names; expected a text file with one name per line")
    if len(names) > _MOST_STUDENTS:
        raise SheetError(
            f"{escape_label(str(file))} holds {len(names):,} names; a class has at most {_MOST_STUDENTS:,}"
        )
    return names


def _file_names(names: Sequence[str], suffix: str) -> list[str]:
    """A file's name for each student: its number in the list, and what of the name is harmless in a file's name."""
    width = len(str(len(names)))
    return [f"{at:0{width}d}-{_harmless(name)}{suffix}" for at, name in enumerate(names, 1)]


def _harmless(name: str) -> str:
    kept = re.sub(r"[^\w .'’-]+", "_", unicodedata.normalize("NFC", name)).strip(" .")
    return kept[:_LONGEST_NAME].strip(" .") or "student"
