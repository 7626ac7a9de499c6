"""Reads filled-in workbooks, .xlsx and .ods, by python-calamine: values of cells alone; nothing in them is ever run."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.sheets.read.answer import Answer, answer_of, number_answer
from walkthrough.teaching.sheets.read.filled import Filled
from walkthrough.teaching.sheets.read.unzip import MOST_CELLS, column_number, pack, unpack
from walkthrough.teaching.sheets.sheet import SheetError, Step, sheet_of
from walkthrough.teaching.sheets.write.xlsx import join_pieces
from walkthrough.text import escape_label, whole_number

_XLSX_NAME = re.compile(r"<(?:\w+:)?definedName\b[^>]*?\bname=\"([^\"]*)\"[^>]*>([^<]*)<")
_ODS_NAME = re.compile(r"<table:named-range\b[^>]*>")
_ATTRIBUTE = re.compile(r"table:(name|cell-range-address)=\"([^\"]*)\"")
_AREA = re.compile(
    r"\$?(?P<sheet>'(?:[^']|'')*'|[^'!.:]+)[!.]\$?(?P<left>[A-Z]{1,3})\$?(?P<top>[0-9]{1,7})"
    r"(?::(?:\$?(?:'(?:[^']|'')*'|[^'!.:]*)[!.])?\.?\$?(?P<right>[A-Z]{1,3})\$?(?P<bottom>[0-9]{1,7}))?"
)


class Area(Record):
    """A range of cells, counted from 0, both ends included."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int


def read(name: str, content: bytes) -> list[Filled]:
    """The one sheet that a workbook holds. Raises SheetError where it is none."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise SheetError("reading .xlsx and .ods needs python-calamine: pip install 'walkthrough[xlsx]'") from None
    parts = unpack(name, content)
    names = {key.lower(): area for key, area in _names(name, parts).items()}
    try:
        with CalamineWorkbook.from_filelike(pack(parts)) as book:
            return [_Workbook(name, book, names).read_sheet()]
    except (SheetError, ScenarioError):
        raise
    except (CalamineError, OSError, ValueError) as error:
        raise SheetError(f"{escape_label(name)} cannot be read as a workbook: {escape_label(str(error))}") from None


def _names(name: str, parts: Mapping[str, bytes]) -> dict[str, Area]:
    """The defined names of a workbook and their ranges."""
    if "content.xml" in parts:
        content = parts["content.xml"]
        names = content[content.find(b"<table:named-range") :]  # they are at the end
        return dict(_ods_names(names.decode("utf-8", "replace")))
    if "xl/workbook.xml" in parts:
        found = _XLSX_NAME.findall(parts["xl/workbook.xml"].decode("utf-8", "replace"))
        return {unescape(one): area for one, text in found if (area := _area(unescape(text))) is not None}
    raise SheetError(f"{escape_label(name)} is not a workbook")


def _ods_names(text: str) -> list[tuple[str, Area]]:
    found = []
    for one in _ODS_NAME.findall(text):
        attributes = {key: unescape(held) for key, held in _ATTRIBUTE.findall(one)}
        area = _area(attributes.get("cell-range-address", ""))
        if area is not None and "name" in attributes:
            found.append((attributes["name"], area))
    return found


def _area(text: str) -> Area | None:
    match = _AREA.fullmatch(text.strip().lstrip("="))
    if match is None:
        return None
    sheet = match["sheet"]
    sheet = sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet.lstrip("$")
    top, left = int(match["top"]) - 1, column_number(match["left"]) - 1
    bottom = int(match["bottom"]) - 1 if match["bottom"] else top
    right = column_number(match["right"]) - 1 if match["right"] else left
    if (bottom - top + 1) * (right - left + 1) > MOST_CELLS or bottom < top or right < left:
        return None
    return Area(sheet, top, left, bottom, right)


class _Workbook:
    """An open workbook and its names."""

    def __init__(self, name: str, book: Any, names: Mapping[str, Area]) -> None:
        self.name = name
        self.book = book
        self.names = {one: area for one, area in names.items() if area.sheet in book.sheet_names}
        self._pages: dict[str, list[list[Any]]] = {}

    def read_sheet(self) -> Filled:
        text = join_pieces([str(row[0]) for row in self._block("walkthrough.text")])
        if not text.strip():
            raise SheetError(
                f"{escape_label(self.name)} is not a worksheet: it was not made by `walkthrough worksheet`"
            )
        seed, decimals = self._whole("seed"), self._whole("decimals")
        scenario, student = self._said("scenario"), self._said("student")
        blank = [path for row in self._block("walkthrough.asked") for path in str(row[0]).split()]
        sheet = sheet_of(text, scenario, blank or None, decimals, seed, student)
        answers = {key: answer for step in sheet.blank_steps for key, answer in self._answers(step)}
        given = {value.path: self._read(value.path) for value in sheet.given if value.path.lower() in self.names}
        paths = tuple(step.value.path for step in sheet.blank_steps)
        lost = tuple(path for path in paths if path.lower() not in self.names)
        digest = self._said("digest")
        is_whole = {"walkthrough.digest", "walkthrough.decimals"} <= set(self.names)
        made = sheet if is_whole else None
        return Filled(
            self.name, answers, text, scenario, seed, student, decimals, digest, paths, given, lost, made, is_whole
        )

    def _answers(self, step: Step) -> list[tuple[tuple[str, str, str], Answer]]:
        value = step.value
        path, rows, columns = value.path, value.rows, value.columns
        block = self._read(path)
        places = [(row, column) for _, row, column in step.places if row < len(block) and column < len(block[row])]
        return [((path, rows[row], columns[column]), block[row][column]) for row, column in places]

    def _read(self, path: str) -> list[list[Answer]]:
        return [[_answer(cell) for cell in row] for row in self._block(path)]

    def _said(self, name: str) -> str:
        """The text of a named cell."""
        block = self._block(f"walkthrough.{name}")
        cell = block[0][0] if block else ""
        return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)

    def _whole(self, name: str) -> int | None:
        text = self._said(name)
        if not text:
            return None
        if (number := whole_number(text)) is None:
            raise SheetError(
                f"{escape_label(self.name)}: {name} is {escape_label(text)}, expected a whole number or nothing"
            )
        return number

    def _block(self, name: str) -> list[list[Any]]:
        """The cells of a name; none where there is no such name."""
        area = self.names.get(name.lower())
        if area is None:
            return []
        page = self._page(area.sheet)
        width = area.right + 1 - area.left
        lines = [line[area.left : area.right + 1] for line in page[area.top : area.bottom + 1]]
        lines += [[]] * (area.bottom + 1 - area.top - len(lines))
        return [line + [""] * (width - len(line)) for line in lines]

    def _page(self, name: str) -> list[list[Any]]:
        if name not in self._pages:
            sheet = self.book.get_sheet_by_name(name)
            if (sheet.total_height or 0) * (sheet.total_width or 0) > MOST_CELLS:
                raise SheetError(f"{escape_label(self.name)}: the sheet {escape_label(name)} has too many cells")
            self._pages[name] = sheet.to_python(skip_empty_area=False)
        return self._pages[name]


def _answer(cell: Any) -> Answer:
    """What a cell holds: of a formula its value; a date is what a spreadsheet makes of 1/3."""
    if type(cell) is float:  # nearly all
        return number_answer(cell)
    if isinstance(cell, bool):
        return Answer(str(cell).upper())
    if isinstance(cell, int | float):
        return number_answer(cell)
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return Answer(str(cell), reason="date")
    text = str(cell)
    if text.startswith("=") and answer_of(text).number is None:
        return Answer(text, reason="formula")
    return Answer(text, reason="error") if re.fullmatch(r"#[A-Z0-9/]+[!?]?|Err:\d+", text.strip()) else answer_of(text)
