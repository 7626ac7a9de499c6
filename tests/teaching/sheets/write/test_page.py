"""Tables of a sheet as a page: a field a cell, and no more said than is needed."""

from __future__ import annotations

import io
import re

from tests.teaching.students import handed_out
from walkthrough.teaching.sheets.write import html


def page(name: str) -> str:
    out = io.BytesIO()
    html.write([handed_out(name)], out)
    return out.getvalue().decode()


def test_a_sheet_with_the_most_fields_has_at_most_200_kilobytes() -> None:
    text = page("fuchs")
    assert len(re.findall("<input data-path=", text)) == len(handed_out("fuchs").places)
    assert len(text.encode()) <= 200_000


def test_a_field_says_its_cell_and_a_word_is_told_from_a_number() -> None:
    text = page("cooking")
    assert re.search(r"<td><input data-path=\S+\.query data-row=I data-column=1>", text)
    assert re.search(r"<td class=word><input data-path=\S*prediction data-row=\S+ data-column=token>", text)
