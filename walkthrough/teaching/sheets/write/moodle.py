"""A quiz as Moodle XML: a category for each step, in it a cloze question for each variant."""

from __future__ import annotations

import html
from collections.abc import Sequence
from decimal import Decimal
from typing import BinaryIO
from xml.etree import ElementTree as ET

from walkthrough.teaching.sheets.sheet import Sheet
from walkthrough.teaching.sheets.write.question import HIDDEN, Accepted, QuizQuestion, questions
from walkthrough.text import escape_label

_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in '\\}#~/"'})


def write(sheets: Sequence[Sheet], out: BinaryIO) -> None:
    """Writes a question for each step to fill in of each sheet."""
    root = ET.Element("quiz")
    top = _in_category(sheets[0].hand.title)
    for variants in questions(sheets):
        category = ET.SubElement(root, "question", type="category")
        place = f"$course$/top/{top}/{_in_category(variants[0].title)}"
        ET.SubElement(ET.SubElement(category, "category"), "text").text = place
        for question in variants:
            _add(root, question)
    ET.indent(root)
    out.write(ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _add(root: ET.Element, question: QuizQuestion) -> None:
    accepted = question.accepted()
    element = ET.SubElement(root, "question", type="cloze")
    _text(element, "name", question.name)
    _text(element, "questiontext", question.html(lambda row, column: field(accepted[row, column])), format="html")
    _text(element, "generalfeedback", f"<p>{html.escape(question.note)}</p>", format="html")
    ET.SubElement(element, "defaultgrade").text = "1"
    ET.SubElement(element, "penalty").text = "0"
    ET.SubElement(element, "hidden").text = "0"


def field(accepted: Accepted) -> str:
    """A field of a cloze question. Its signs are escaped by a backslash, those of HTML as in HTML.

    A number may be off by half a unit of the digits asked for, so that more digits are right too.
    """
    if accepted.word is not None:
        word = html.escape(escape_label(accepted.word), quote=False).translate(_ESCAPED)
        return f"{{1:SHORTANSWER:={word}}}"
    if accepted.by_hand.is_infinite():
        return f"{{1:SHORTANSWER:={'~='.join(HIDDEN)}}}"
    half = Decimal(5).scaleb(int(accepted.by_hand.as_tuple().exponent) - 1)
    tolerance = max(accepted.by_hand - accepted.low, accepted.high - accepted.by_hand, half)
    return f"{{1:NUMERICAL:={accepted.by_hand:f}:{tolerance:f}}}"


def _in_category(name: str) -> str:
    """A name within the path of a category."""
    return escape_label(name).replace("/", "//")


def _text(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(ET.SubElement(parent, name, attributes), "text").text = text
