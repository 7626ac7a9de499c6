"""`walkthrough mark`: marks filled-in sheets, each number from the student's own numbers before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli import arguments

if TYPE_CHECKING:
    from walkthrough.cli.files import Write
    from walkthrough.languages.catalogue import Catalogue
    from walkthrough.teaching.marking.results import Result

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


class FeedbackKind(StrEnum):
    """Format of the feedback."""

    html = "html"
    markdown = "markdown"


def command(
    sheets: Annotated[list[str], typer.Argument(help="Filled-in sheets: .xlsx, .ods, .yaml or .csv.")],
    scenario: Annotated[
        str | None,
        arguments.names_file("The scenario, sheet or answer key that the answers belong to.", "SCENARIO|SHEET|KEY"),
    ] = None,
    key: Annotated[
        str | None,
        arguments.names_file("Take seed and given numbers from this answer key, by student."),
    ] = None,
    format: Annotated[MarkFormat, arguments.output(help="Format of the marks.")] = MarkFormat.table,
    feedback: Annotated[
        Path | None,
        arguments.names_file(
            "Write a page for each student into this folder.",
            "FOLDER",
            group=arguments.output,
            parser=arguments.file_path,
        ),
    ] = None,
    feedback_format: Annotated[
        FeedbackKind | None, arguments.output(help="Format of the feedback; by default html.")
    ] = None,
    language: arguments.Language = None,
) -> None:
    """Mark filled-in sheets: right, follows, wrong, missing or unreadable. Status 2 if one cannot be read."""
    from walkthrough.cli.failures import print_error
    from walkthrough.cli.progress import progress
    from walkthrough.languages.catalogue import catalogue
    from walkthrough.teaching.marking.assignment import Assignment
    from walkthrough.teaching.marking.handed_in import mark_file
    from walkthrough.teaching.marking.results import Failed

    kind = _feedback_writer(feedback_format, feedback)
    results: list[Result] = []
    with progress() as shown:
        assignment = Assignment.of(scenario, key)
        for at, name in enumerate(sheets, 1):
            shown.text = f"marking … {at} of {len(sheets)}"
            results += mark_file(name, assignment)
    failed = [one for one in results if isinstance(one, Failed)]
    for one in failed:
        print_error(one.full_message)
    words = catalogue(language or _language(results))
    if feedback is not None:
        from walkthrough.teaching.marking.feedback import feedback_files

        _write_feedback(feedback_files(results, kind, language, words), feedback, [*sheets, scenario or "", key or ""])
    _print(results, format, words)
    if failed:
        raise typer.Exit(2)


def _write_feedback(files: Mapping[str, Write], folder: Path, read: Sequence[str]) -> None:
    """Writes the files of a class into a folder, and none over one that was read; no folder where there are none."""
    from walkthrough.cli.files import keep_apart, stream_files

    written = [(str(folder / name), write) for name, write in files.items()]
    keep_apart([name for name in read if name], [name for name, _ in written])
    if written:
        stream_files(written, folder)


def _language(results: Sequence[Result]) -> str:
    """The language of the first sheet that could be read."""
    from walkthrough.teaching.marking.marked import Marked

    return next((one.sheet.language for one in results if isinstance(one, Marked)), "en")


def _print(results: Sequence[Result], format: MarkFormat, words: Catalogue) -> None:
    from walkthrough.cli.arguments import TABLE
    from walkthrough.cli.reports import print_reports
    from walkthrough.teaching.marking.data import class_data, gradebook
    from walkthrough.teaching.marking.report import class_report, reports
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
        print_reports(found, TABLE)


def _feedback_writer(kind: FeedbackKind | None, folder: Path | None) -> str:
    """The module of feedback to write, none without a folder. Raises SheetError where options contradict."""
    from walkthrough.teaching.sheets.sheet import SheetError
    from walkthrough.text import escape_label

    if folder is None:
        if kind is not None:
            raise SheetError(f"--feedback-format {kind} needs a folder for the feedback: --feedback FOLDER")
        return ""
    if folder.exists() and not folder.is_dir():
        raise SheetError(f"{escape_label(str(folder))} is a file; --feedback names a folder")
    return (kind or FeedbackKind.html).value
