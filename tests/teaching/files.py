"""Answers handed in as files: what a simulated student writes, as CSV, as YAML, or in a workbook."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import yaml

from walkthrough.teaching.sheets.read import csv as csv_filled
from walkthrough.teaching.sheets.read import xlsx as xlsx_filled
from walkthrough.teaching.sheets.read import yaml as yaml_filled
from walkthrough.teaching.sheets.read.answer import Answer
from walkthrough.teaching.sheets.read.filled import Filled
from walkthrough.teaching.sheets.sheet import Place, Sheet
from walkthrough.teaching.sheets.write import xlsx as xlsx_sheet
from walkthrough.teaching.sheets.write import yaml as yaml_sheet

Answers = Mapping[Place, Answer]


def as_csv(sheet: Sheet, answers: Answers, separator: str = ",") -> Filled:
    """The answers in CSV; with a semicolon numbers have a decimal comma."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(["path", "row", "column", "answer"])
    for step in sheet.blank_steps:
        for place in step.places:
            text = answers[place].text if place in answers else ""
            said = text.replace(".", ",") if separator == ";" and answers_a_number(answers, place) else text
            writer.writerow([place[0], step.value.rows[place[1]], step.value.columns[place[2]], said])
    return csv_filled.read("a.csv", out.getvalue().encode())[0]


def answers_a_number(answers: Answers, place: Place) -> bool:
    """Whether there is a number, and no word that may hold a point."""
    return place in answers and answers[place].number is not None


def as_yaml(sheet: Sheet, answers: Answers) -> Filled:
    """The sheet in YAML, filled in."""
    out = io.BytesIO()
    yaml_sheet.write([sheet], out)
    data = yaml.load(out.getvalue(), yaml.BaseLoader)
    asked = {step.value.path: step for step in sheet.blank_steps}
    for step in data["steps"]:
        places = iter(asked[step["path"]].places if step["path"] in asked else ())
        for row in step.get("answers", {}).values():
            for column in row:
                place = next(places)
                row[column] = answers[place].text if place in answers else ""
    return yaml_filled.read("a.yaml", yaml.safe_dump(data, allow_unicode=True, sort_keys=False).encode())[0]


def workbook_of(sheet: Sheet, held: Mapping[Place, object]) -> bytes:
    """The sheet as a workbook, of which these cells were filled in."""
    import openpyxl

    out = io.BytesIO()
    xlsx_sheet.write([sheet], out)
    book = openpyxl.load_workbook(out)
    for step in sheet.blank_steps:
        ((page, area),) = book.defined_names[step.value.path].destinations
        corner = book[page][area.partition(":")[0].replace("$", "")]
        for place in step.places:
            if place in held:
                book[page].cell(corner.row + place[1], corner.column + place[2]).value = held[place]
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def as_workbook(sheet: Sheet, answers: Answers) -> Filled:
    """The sheet as a workbook, filled in with numbers and words."""
    held = {
        place: one.text if one.number is None or abs(one.number) == float("inf") else one.number
        for place, one in answers.items()
        if not one.is_missing
    }
    return xlsx_filled.read("a.xlsx", workbook_of(sheet, held))[0]


KINDS = {
    "csv": as_csv,
    "csv;": lambda sheet, answers: as_csv(sheet, answers, ";"),
    "yaml": as_yaml,
    "xlsx": as_workbook,
}
