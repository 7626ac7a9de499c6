"""Answers in CSV, as people and spreadsheets write it."""

from __future__ import annotations

import io

import pytest

import walkthrough as wt
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.csv import read
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.teaching.sheets.write.csv import write


@pytest.mark.parametrize(
    "text",
    [
        "path,row,column,answer\nscores,a,b,1.5\n",
        "path,row,column,answer\rscores,a,b,1.5\r",
        "path,row,column,answer\nscores,a,b,1,5\n",
        'path,row,column,answer\nscores,a,b,"1,5"\n',
        "\ufeffPfad;Zeile;Spalte;Antwort\r\nscores;a;b;1,5\r\n",
        "title,Answer,Column,Row,Path\nScores,1.5,b,a,scores\n",
        "title,Answer,Column,Row,Path\nScores,1,5,b,a,scores\n",
        "path,row,column,answer,title\nscores,a,b,1.5,Scores\n",
        "path,row,column,answer,title,\nscores,a,b,1,5,Scores,\n",
        "path\trow\tcolumn\tanswer\tpoints\nscores\ta\tb\t1,5\t7\n",
    ],
)
def test_columns_are_found_by_their_names_and_a_comma_may_be_decimal(text: str) -> None:
    (filled,) = read("a.csv", text.encode())
    (place,) = filled.answers
    assert (place, filled.answers[place].number) == (("scores", "a", "b"), 1.5)


def test_a_comma_before_something_else_is_no_decimal_comma() -> None:
    (filled,) = read("a.csv", b"path,row,column,answer\nscores,a,b,1,five\nscores,a,c,-1,25\n")
    assert [answer.text for answer in filled.answers.values()] == ["1", "-1,25"]


def test_a_header_without_a_column_is_refused() -> None:
    with pytest.raises(SheetError, match="the first line must be path,row,column,answer"):
        read("a.csv", b"path,row,answer\n")


def _read(text: str) -> dict[str, str]:
    """The answers by their columns."""
    (filled,) = read("a.csv", f"path,row,column,answer,title\n{text}".encode())
    return {place[2]: answer.text for place, answer in filled.answers.items()}


@pytest.mark.parametrize("open_cell", ['"0.5', '0.5"', '"0,5', '"""0.5'])
@pytest.mark.parametrize("end", ["", 's,a,e,"0,75",T\n', 's,a,e,"0.75,T\n'])
def test_a_quote_that_is_not_closed_swallows_no_other_line(open_cell: str, end: str) -> None:
    found = _read(f"s,a,b,1,T\ns,a,c,{open_cell},T\ns,a,d,2,T\n{end}")
    assert found.pop("e", "0.75").replace(",", ".") == "0.75"
    assert found.pop("c").replace(",", ".") == "0.5"
    assert found == {"b": "1", "d": "2"}


def test_a_cell_in_quotes_may_have_several_lines() -> None:
    assert _read('s,a,b,"1.5\n\n(about)",T\ns,a,c,2,T\n') == {"b": "1.5\n\n(about)", "c": "2"}


def test_a_cell_without_end_stops_nothing() -> None:
    found = _read(f's,a,b,"{"9" * 200_000}\ns,a,c,2,T\n')
    assert found["b"].startswith("999")
    assert found["c"] == "2"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_every_encoding_of_spreadsheets_is_read(encoding: str) -> None:
    (filled,) = read("a.csv", "\r\npath;row;column;answer\r\nscores;für;b;1,5\r\n".encode(encoding))
    assert list(filled.answers) == [("scores", "für", "b")]


def test_the_line_of_excel_that_names_the_separator_is_no_header() -> None:
    (filled,) = read("a.csv", b"sep=;\npath;row;column;answer\ns;a;b;1,5\n")
    assert (list(filled.answers), filled.lines) == ([("s", "a", "b")], {("s", "a", "b"): 3})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"path,row,column,answer\ns,a,b,\x001\n", "^a.csv is not a text file: line 2 holds a NUL character$"),
        (b" \n", "^a.csv: the first line must be path,row,column,answer; found an empty file$"),
        (b"path,row,column,answer" + b"\n" * 500_000, "^a.csv has more than 500,000 lines: this is not a worksheet$"),
    ],
)
def test_what_is_no_csv_is_refused_in_a_sentence(content: bytes, message: str) -> None:
    with pytest.raises(SheetError, match=message):
        read("a.csv", content)


def test_a_german_template_is_one_for_a_german_spreadsheet_and_is_read() -> None:
    sheet = Maker(wt.load_scenario("help-me"), "help-me", SheetOptions(language="de")).sheet()
    out = io.BytesIO()
    write([sheet], out, solved=True)
    lines = out.getvalue().decode("utf-8-sig").splitlines()
    assert out.getvalue().startswith(b"\xef\xbb\xbf")
    assert lines[0] == "Pfad;Zeile;Spalte;Antwort;Titel"
    assert lines[1].startswith("attention.head.1.scaled_scores;help;help;1,500;")
    (filled,) = read("a.csv", out.getvalue())
    assert filled.answers["attention.head.1.scaled_scores", "help", "help"].number == 1.5
    assert not filled.ignored
