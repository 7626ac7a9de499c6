"""Worksheets as workbooks: what stands in the file, what a student's spreadsheet makes of it, and what is refused."""

from __future__ import annotations

import datetime
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.teaching.files import workbook_of
from tests.teaching.marking.test_assignment import said
from tests.teaching.marking.test_mark import CHAI, only
from tests.teaching.sheets.make.test_maker import HEAD, made, parts
from tests.teaching.students import handed_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.handed_in import mark_filled
from walkthrough.teaching.marking.marked import Marked
from walkthrough.teaching.marking.sentences import line_of
from walkthrough.teaching.sheets.kinds import reader_of, writer_of
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.answer import Answer
from walkthrough.teaching.sheets.read.files import read_file
from walkthrough.teaching.sheets.read.unzip import unpack
from walkthrough.teaching.sheets.read.xlsx import read
from walkthrough.teaching.sheets.sheet import Place, Sheet, SheetError
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.teaching.sheets.write.xlsx import join_pieces, split_line, write
from walkthrough.transformer.loading.load import parse_scenario

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")
pytest.importorskip("python_calamine")

COLUMNS = re.compile(r"'?([^'!]+)'?!\$([A-Z]+)\$(\d+)(?::\$([A-Z]+)\$(\d+))?")

SMALL = made().sheet()


def workbook(sheet: Sheet, solved: bool = False) -> bytes:
    out = io.BytesIO()
    write([sheet], out, solved)
    return out.getvalue()


def filled_in(sheet: Sheet, as_text: bool = False, **changes: object) -> bytes:
    """A workbook with all answers, as a student's spreadsheet saves it; changes: of the first cell of a step."""
    held: dict[Place, object] = {}
    for step, place in sheet.places:
        text, name = Cells(step.value).text(*place[1:]), place[0].rpartition(".")[2]
        typed = text.replace(".", ",").replace("-", "−")
        held[place] = text if step.value.is_word(place[2]) else typed if as_text else float(text)
        if place[1:] == (0, 0) and name in changes:
            held[place] = changes[name]
    return workbook_of(sheet, held)


def marks(content: bytes, name: str = "ada.xlsx") -> Marked:
    return mark_filled(read(name, content)[0], Assignment())


def test_blocks_have_their_paths_as_names_and_only_empty_cells_are_open() -> None:
    sheet = made().sheet(4, "Ada")
    book = openpyxl.load_workbook(io.BytesIO(workbook(sheet)))
    for name, held in (("scenario", "two"), ("seed", 4), ("student", "Ada"), ("digest", sheet.digest)):
        page, column, row, *_ = COLUMNS.fullmatch(book.defined_names[f"walkthrough.{name}"].attr_text).groups()
        assert page == book.sheetnames[0]
        assert book[page][f"{column}{row}"].value == held
    blocks = {value.path: value for value in (*sheet.given, *(step.value for step in sheet.steps))}
    asked = {step.value.path for step in sheet.blank_steps}
    for path, value in blocks.items():
        page, left, top, right, bottom = COLUMNS.fullmatch(book.defined_names[path].attr_text).groups()
        cells = book[page][f"{left}{top}:{right or left}{bottom or top}"]
        cells = ((cells,),) if not isinstance(cells, tuple) else cells
        assert (len(cells), len(cells[0])) == value.shape
        for line in cells:
            for cell in line:
                assert cell.protection.locked is (path not in asked)
                assert (cell.value is None) is (path in asked)
        assert book[page].protection.sheet


def test_a_sheet_has_no_formula_and_nothing_hidden() -> None:
    blank = parts(workbook(CHAI))
    assert "<f>" not in blank
    assert 'state="hidden"' not in blank


@pytest.mark.parametrize(("name", "language"), [("chai", "en"), ("fuchs", "de")])
def test_no_table_breaks_across_pages_of_paper(name: str, language: str) -> None:
    """Where LibreOffice prints it there are no breaks but these."""
    maker = Maker(
        parse_scenario(bundled_scenarios()[name].read_text(encoding="utf-8")), name, SheetOptions(language=language)
    )
    book = openpyxl.load_workbook(io.BytesIO(workbook(maker.sheet())))
    for page in book.worksheets[1:3]:
        breaks = [0, *(one.id for one in page.row_breaks.brk), page.max_row]
        assert max(later - first for first, later in pairwise(breaks)) <= 47 * 100 / (page.page_setup.scale or 100)
        assert not page.sheet_properties.pageSetUpPr.fitToPage  # a page fitted to paper keeps no breaks
        areas = [area for one in book.defined_names.values() for title, area in one.destinations if title == page.title]
        for area in areas:
            first, last = (int(re.sub(r"[^0-9]", "", end)) for end in area.split(":"))
            assert not [one for one in breaks if first - 3 <= one < last], area


@pytest.mark.parametrize("as_text", [False, True])
def test_a_filled_in_workbook_is_right(as_text: bool) -> None:
    for sheet in (made(decimals=2).sheet(2, "Ada"), made(HEAD, language="de").sheet()):
        found = marks(filled_in(sheet, as_text))
        assert found.counts["right"] == len(found.cells)
        assert found.altered == ()
        assert found.student == sheet.student


@pytest.mark.parametrize(
    ("held", "verdict", "reason"),
    [
        (datetime.date(2026, 3, 1), "unreadable", "a date"),
        ("#DIV/0!", "unreadable", "an error of the spreadsheet"),
        ("later", "unreadable", "neither a number"),
        ("=SUM(A1:A2)", "unreadable", "a formula without a value"),
        (None, "missing", ""),
        (True, "unreadable", "neither a number"),
    ],
)
def test_what_is_no_number(held: object, verdict: str, reason: str) -> None:
    found = marks(filled_in(SMALL, query=held))
    cell = only(found, verdict)
    assert cell.value.path.endswith("query")
    assert reason in (line_of(cell, found.own, catalogue("en")) or "")


def test_a_fraction_that_nobody_has_calculated_is_read() -> None:
    content = filled_in(handed_out("help-me"), scaled_scores="=3/2")
    cells = {cell.place: cell for cell in marks(content).cells}
    assert cells["attention.head.1.scaled_scores", 0, 0].verdict == "right"


def test_altered_given_numbers_are_said() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(SMALL)))
    page, left, top, *_ = COLUMNS.fullmatch(book.defined_names["embeddings"].attr_text).groups()
    book[page][f"{left}{top}"].value = 7
    out = io.BytesIO()
    book.save(out)
    assert said(marks(out.getvalue())) == ("embeddings[tea, 1]: found 7, but 0.37 was given",)


@pytest.mark.parametrize("kind", ["xlsx", "yaml"])
def test_given_numbers_that_are_infinite_or_unknown_are_not_called_altered(kind: str) -> None:
    text = "title: t\ntokens: [a, b]\nattention: {heads: [{scores: [[1.5, -.inf], [0.25, null]], d_k: 4}]}\n"
    out = io.BytesIO()
    writer_of(kind).write([made(text).sheet()], out, True)
    content = out.getvalue()
    (filled,) = reader_of(f"a.{kind}").read(f"a.{kind}", content)
    found = mark_filled(filled, Assignment())
    assert found.altered == ()


@pytest.mark.parametrize("text", ["a: 1\n  b:  'x   y'\n", "   ", "x" * 70_000 + "\n  y  ", "", "␠ and \\u2420"])
def test_a_scenario_survives_in_cells(text: str) -> None:
    lines = [line if line.strip() else "" for line in text.replace("␠", "\\u2420").split("\n")]
    assert join_pieces([part for line in text.split("\n") for part in split_line(line)]) == "\n".join(lines)


def zipped(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


def changed(content: bytes, part: str, old: bytes, new: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    assert old in entries[part]
    return zipped(entries | {part: entries[part].replace(old, new, 1)})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda: b"no zip at all", "is not a workbook"),
        (lambda: zipped({"a": b"b"}), "is not a workbook"),
        (lambda: zipped({"xl/workbook.xml": b" " * (65 * 2**20)}), "is too large for a worksheet when unpacked"),
        (lambda: zipped({f"{at}": b"" for at in range(2001)}), "is too large for a worksheet when unpacked"),
        (lambda: zipped({"xl/workbook.xml": b'<!DOCTYPE x [<!ENTITY a "b">]>'}), "declarations"),
        (lambda: zipped({"xl/workbook.xml": b"<workbook/>"}), "ada.xlsx"),
        (lambda: changed(workbook(SMALL), "xl/worksheets/sheet3.xml", b'r="A1"', b'r="XFD1048576"'), "too far apart"),
    ],
)
def test_what_is_no_worksheet_is_refused(content: Callable[[], bytes], message: str) -> None:
    with pytest.raises(SheetError, match=message):
        read("ada.xlsx", content())


@pytest.mark.parametrize(
    "cell",
    [
        b"<c r='XFD1048576'>",
        b'<c r = "XFD1048576">',
        b'<c r="xfd1048576">',
        b'<c x=">" r="XFD1048576">',
        b'<c r="XFD000001048576">',
        b'</row><row r="1048576">' + b"<c/>" * 500 + b"<c>",
        b'<c r="XFD' + b"9" * 5000 + b'">',
    ],
)
def test_cells_far_apart_are_refused_however_they_are_written(cell: bytes) -> None:
    rows = b'<row r="1"><c r="A1"/></row><row>' + cell + b"<v>1</v></c></row>"
    page = b"<worksheet><sheetData>" + rows + b"</sheetData></worksheet>"
    with pytest.raises(SheetError, match="too far apart"):
        read("ada.xlsx", zipped({"xl/workbook.xml": b"<workbook/>", "xl/worksheets/sheet1.xml": page}))


def test_rows_repeated_in_ods_are_counted() -> None:
    row = b'<table:table-row table:number-rows-repeated="1000000"><table:table-cell office:value-type="float" '
    cells = row + b'table:number-columns-repeated="9000"/></table:table-row>'
    for content in (cells, cells.replace(b"9000", b"9" * 5000)):
        with pytest.raises(SheetError, match="too many cells"):
            read("ada.ods", zipped({"content.xml": content}))


@pytest.mark.office
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not there")
def test_libreoffice_saves_a_sheet_that_is_read(tmp_path: Path) -> None:
    """As .ods, and back as .xlsx; formulas by the values that it has calculated."""
    (tmp_path / "ada.xlsx").write_bytes(filled_in(CHAI, query="=2/2", value="=3*0.5"))
    for source, kind in (("ada.xlsx", "ods"), ("ada.ods", "xlsx:Calc MS Excel 2007 XML")):
        folder = tmp_path / kind[:3]
        command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", kind]
        subprocess.run(
            [*command, "--outdir", str(folder), source], cwd=tmp_path, check=True, timeout=120, capture_output=True
        )
        (found,) = folder.iterdir()
        (tmp_path / found.name).write_bytes(found.read_bytes())
        (filled,) = read_file(str(found))
        assert mark_filled(filled, Assignment()).counts["right"] == 332
    assert isinstance(next(iter(filled.answers.values())), Answer)


def test_a_step_whose_name_is_gone_from_the_workbook_is_said() -> None:
    book = openpyxl.load_workbook(io.BytesIO(filled_in(made().sheet())))
    del book.defined_names["attention.head.1.query"]
    out = io.BytesIO()
    book.save(out)
    found = mark_filled(read("ada.xlsx", out.getvalue())[0], Assignment())
    assert any("attention.head.1.query: the cells cannot be found" in one for one in said(found))
    assert found.counts["missing"] == found.sheet.hand["attention.head.1.query"].array.size


def test_without_its_first_sheet_only_a_key_says_what_was_asked_for(tmp_path: Path) -> None:
    sheet = made(decimals=1).sheet(3)
    book = openpyxl.load_workbook(io.BytesIO(filled_in(sheet)))
    del book["Worksheet"]
    out = io.BytesIO()
    book.save(out)
    (filled,) = read("ada.xlsx", out.getvalue())
    for assignment in (Assignment(), Assignment(scenario=Assignment.of("chai", None).scenario)):
        with pytest.raises(SheetError, match="its first sheet, with seed and decimals, is gone; mark it with --key"):
            mark_filled(filled, assignment)
    found = mark_filled(filled, Assignment(read("key.xlsx", workbook(sheet, solved=True))))
    assert found.counts["right"] == len(found.cells)
    assert found.altered == ()


def test_an_error_in_an_ods_cell_is_no_empty_cell(tmp_path: Path) -> None:
    cell = b'<table:table-cell office:value-type="string" office:string-value="" calcext:value-type="error">'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("content.xml", cell + b"</table:table-cell>")
    assert b"string-value" not in unpack("a.ods", out.getvalue())["content.xml"]


def test_a_workbook_damaged_on_its_way_is_refused_in_a_sentence() -> None:
    content = bytearray(workbook(made().sheet()))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        begin = archive.getinfo("xl/worksheets/sheet1.xml").header_offset + 60
    content[begin : begin + 40] = bytes(range(200, 240))
    with pytest.raises(SheetError, match=r"ada\.xlsx is not a workbook: Error"):
        unpack("ada.xlsx", bytes(content))
