"""`walkthrough mark`: marks filled-in sheets, each number from the student's own numbers before it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import Language, NoPager

if TYPE_CHECKING:
    from walkthrough.languages.catalogue import Catalogue
    from walkthrough.teaching.classroom.results import Result

EXAMPLES = (
    "Examples: walkthrough mark ada.xlsx · walkthrough mark sheets/*.xlsx --key key.yaml --format csv > marks.csv · "
    "walkthrough mark ada.csv --scenario cooking --feedback feedback"
)
_FEW, _MOST_SHOWN = 3, 20
"""Of more sheets a terminal shows the table alone; of one sheet, it works out at most this many wrong cells."""


class MarkFormat(StrEnum):
    """Format of the marks."""

    table = "table"
    markdown = "markdown"
    json = "json"
    csv = "csv"


def command(
    sheets: Annotated[list[str], typer.Argument(help="Filled-in sheets: .xlsx, .ods, .yaml or .csv.")],
    scenario: Annotated[
        str | None,
        typer.Option(
            help="The scenario, sheet or answer key that the answers belong to.", metavar="SCENARIO|SHEET|KEY"
        ),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Take seed and given numbers from this answer key, by student.", metavar="FILE")
    ] = None,
    format: Annotated[MarkFormat, typer.Option("--format", help="Format of the marks.")] = MarkFormat.table,
    feedback: Annotated[
        Path | None, typer.Option(help="Write a page for each student into this folder.", metavar="FOLDER")
    ] = None,
    language: Language = None,
    no_pager: NoPager = False,
) -> None:
    """Mark filled-in sheets: right, follows, wrong, missing or unreadable. Status 2 if one cannot be read."""
    from walkthrough.cli.failures import print_error
    from walkthrough.cli.progress import progress
    from walkthrough.languages.catalogue import catalogue
    from walkthrough.teaching.classroom.assignment import Assignment
    from walkthrough.teaching.classroom.fits import find_fits
    from walkthrough.teaching.classroom.handed_in import mark_file
    from walkthrough.teaching.classroom.results import Failed
    from walkthrough.text import escape_label

    words = catalogue(language) if language is not None else None
    results: list[Result] = []
    with progress() as shown:
        assignment = Assignment.of(scenario, key)
        for at, name in enumerate(sheets, 1):
            shown.text = f"marking … {at} of {len(sheets)}"
            results += mark_file(name, assignment, words)
        results = find_fits(results, assignment.solved_sheets)
    failed = [one for one in results if isinstance(one, Failed)]
    for one in failed:
        print_error(one.message if one.name in one.message else f"{escape_label(one.name)}: {one.message}")
    words = words or catalogue(_language(results))
    _print(results, format, words, no_pager)
    if feedback is not None:
        _write_feedback(results, feedback, words if language is not None else None)
    if failed:
        raise typer.Exit(2)


def _language(results: Sequence[Result]) -> str:
    """The language of the first sheet that could be read."""
    from walkthrough.teaching.mark.marked import Marked

    return next((one.sheet.language for one in results if isinstance(one, Marked)), "en")


def _print(results: Sequence[Result], format: MarkFormat, words: Catalogue, no_pager: bool) -> None:
    from walkthrough.cli.arguments import TABLE
    from walkthrough.cli.reports import print_reports
    from walkthrough.teaching.classroom.data import class_data, gradebook
    from walkthrough.teaching.classroom.report import class_report, reports
    from walkthrough.views.data import safe_json

    if format is MarkFormat.json:
        typer.echo(safe_json(class_data(results), indent=1))
    elif format is MarkFormat.csv:
        typer.echo(gradebook(results), nl=False)
    elif format is MarkFormat.markdown:
        print_reports(reports(results, words), "markdown")
    else:
        few = len(results) <= _FEW
        found = reports(results, words, _MOST_SHOWN) if few else [class_report(results, words)]
        print_reports(found, TABLE, no_pager)


def _write_feedback(results: Sequence[Result], folder: Path, words: Catalogue | None) -> None:
    """A page for each sheet that could be read, in Markdown, under the name of the sheet's file."""
    from walkthrough.cli.files import write_file
    from walkthrough.languages.catalogue import catalogue
    from walkthrough.teaching.classroom.report import sheet_report
    from walkthrough.teaching.mark.marked import Marked
    from walkthrough.views.markdown import text

    folder.mkdir(parents=True, exist_ok=True)
    marked = [one for one in results if isinstance(one, Marked)]
    for name, one in zip(_distinguish([Path(one.name).stem for one in marked]), marked, strict=True):
        report = sheet_report(one, words or catalogue(one.sheet.language))
        write_file(str(folder / f"{name}.md"), text([report]).encode())


def _distinguish(stems: Sequence[str]) -> list[str]:
    """Names of files that differ in more than case: a further `ada` is `ada-2`."""
    names: dict[str, str] = {}
    for stem in stems:
        numbered = chain([stem], (f"{stem}-{number}" for number in count(2)))
        name = next(name for name in numbered if name.casefold() not in names)
        names[name.casefold()] = name
    return list(names.values())
