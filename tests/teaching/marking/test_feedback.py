"""The feedback of a class as files: names, and the page of the class."""

from __future__ import annotations

import io
import re
from functools import cache

import pytest

from tests.teaching.faults import forgetful
from tests.teaching.marking.test_mark import ENGLISH, filled_in
from tests.teaching.sheets.make.test_maker import made
from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.marking.feedback import INDEX, feedback_files, write_markdown
from walkthrough.teaching.marking.mark import mark
from walkthrough.teaching.marking.results import Failed, Result
from walkthrough.teaching.sheets.read.filled import Ignored, UnplacedError


@cache
def results() -> list[Result]:
    sheet = made().sheet(student="A. & B.")
    wrong = mark(sheet, filled_in(sheet, query_0_0="3", value_0_0="4"), "in/ada.yaml")
    copied = mark(sheet, filled_in(sheet, query_0_0="3"), "again/Ada.yaml")
    return [mark(sheet, filled_in(sheet), "index.csv"), wrong, copied, Failed("no.xlsx", "no workbook\nat all")]


@cache
def page() -> str:
    out = io.BytesIO()
    feedback_files(results(), "html", None, ENGLISH)["index.html"](out)
    return out.getvalue().decode()


def test_a_name_that_stands_twice_gets_a_number_and_none_is_that_of_the_class() -> None:
    found = feedback_files(results(), "markdown", None, ENGLISH)
    assert list(found) == ["index-2.md", "ada.md", "Ada-2.md", "index.html"]
    assert list(feedback_files(results()[:1], "html", None, ENGLISH)) == ["index.html"]
    assert feedback_files(results()[3:], "html", None, ENGLISH) == {}


def test_names_that_one_disk_takes_for_the_same_are_not_given_twice() -> None:
    sheet = made().sheet()
    stems = ("Zo\u00eb", "zoe\u0308", "ZOË")
    same = [mark(sheet, filled_in(sheet), f"{stem}.csv") for stem in stems]
    assert list(feedback_files(same, "html", None, ENGLISH)) == [
        "Zo\u00eb.html",
        "zoe\u0308-2.html",
        "ZOË-3.html",
        INDEX,
    ]


def test_the_class_links_every_sheet_and_says_what_could_not_be_read() -> None:
    table = page().partition('<table class="class">')[2].partition("</table>")[0]
    rows = re.findall(r'<tr data-sheet="([^"]*)"><th scope=row>(.*)', table)
    assert [sheet for sheet, _ in rows] == ["index.csv", "in/ada.yaml", "again/Ada.yaml", "no.xlsx"]
    assert [re.findall('href="(.*?)"', row) for _, row in rows] == [["index-2.html"], ["ada.html"], ["Ada-2.html"], []]
    assert re.sub("<.*?>", "|", rows[1][1]).split("|")[1:] == [
        *("A. &amp; B.", "", "13.5 of 14", "2", "0"),
        "one of 3 sheets of this student (ada.yaml)",
    ]
    assert "could not be read: no workbook" in rows[3][1]


def forgetful_class() -> str:
    """The page of two who forget √d_k in both heads, and of one who hands in nothing."""
    found = forgetful("cat-sat")
    of = found.sheet.replace
    sheets = [mark(of(student=name), found.answers, f"{name}.yaml") for name in ("Ada", "Bo")]
    out = io.BytesIO()
    files = feedback_files([*sheets, mark(of(student="Cem"), {}, "Cem.yaml")], "html", None, ENGLISH)
    files["index.html"](out)
    return re.sub("<.*?>", "|", out.getvalue().decode().partition("<header>")[2].replace("\n", "\n\n"))


def test_the_class_says_its_middle_how_many_reached_how_much_and_each_mistake_once_with_names() -> None:
    parts = ([part for part in line.split("|") if part] for line in forgetful_class().splitlines())
    lines = [line for line in parts if line]
    assert lines[1][0] == "mean 23.33, median 35, of 36"
    assert [line for line in lines if line[:1] in (["0–10 %"], ["90–100 %"])] == [
        ["0–10 %", "█ 1"],
        ["90–100 %", "██ 2"],
    ]
    (mistake,) = [line for line in lines if line[-1] == "Ada, Bo"]
    assert "Probably not divided by" in "".join(mistake)
    assert mistake[-3:] == ["2", "2", "Ada, Bo"]
    assert [line[1:] for line in lines if line[0] in ("Ada", "Cem")] == [
        ["35 of 36", "9", "0"],
        ["0 of 36", "0", "300"],
    ]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "2 unreadable, 1 unknown line"), ("de", "2 unlesbar, 1 unbekannte Zeile")]
)
def test_the_class_counts_the_answers_and_the_lines_that_could_not_be_read(language: str, said: str) -> None:
    sheet = made().sheet(student="Ada")
    unread = mark(sheet, filled_in(sheet, query_0_0="03.01.2026", query_0_1="e^2"), "ada.csv")
    unread = unread.replace(ignored=(Ignored(3, UnplacedError("unplaced_cell")),))
    out = io.BytesIO()
    other = mark(sheet.replace(student="Bo"), filled_in(sheet), "bo.csv")
    feedback_files([unread, other], "html", None, catalogue(language))[INDEX](out)
    first, second = re.findall(r"<tr data-sheet=.*<td>(.*)", out.getvalue().decode())
    assert first == said
    assert second == ""


def test_what_cannot_be_read_stands_below_its_step() -> None:
    sheet, out = made().sheet(), io.BytesIO()
    write_markdown(mark(sheet, filled_in(sheet, query_0_0="see above", query_0_1="e^2")), ENGLISH, out)
    label = sheet.hand["attention.head.1.query"].rows[0]
    assert [line.replace("\\", "") for line in out.getvalue().decode().splitlines()[2:6]] == [
        "**Queries Q:** 2 cells unreadable",
        "",
        f"- Q[{label}, 1]: “see above” is neither a number nor a fraction.",
        f"- Q[{label}, 2]: “e&#94;2” is a calculation that is not worked out.",
    ]


def test_the_hardest_step_comes_first_with_its_share_of_the_points() -> None:
    table = page().partition('<table class="steps">')[2]
    rows = re.findall(r"<tr data-path=\"([^\"]*)\"><th scope=row>(.*?)<td>(\d+) %", table)
    shares = [int(share) for _, _, share in rows]
    assert (shares, rows[0][:2]) == (sorted(shares), ("attention.head.1.query", "Queries Q"))
    assert shares[0] < shares[1] < 100
    assert len(rows) == len(made().sheet().blank_steps)
