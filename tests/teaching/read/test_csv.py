"""Answers in CSV, as people and spreadsheets write it."""

from __future__ import annotations

import pytest

from walkthrough.teaching.read.csv import read
from walkthrough.teaching.sheet import SheetError


@pytest.mark.parametrize(
    "text",
    [
        "path,row,column,answer\nscores,a,b,1.5\n",
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
