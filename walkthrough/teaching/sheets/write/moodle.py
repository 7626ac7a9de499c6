"""A quiz as Moodle XML: a category for each step, in it a cloze question for each variant."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import BinaryIO
from xml.etree import ElementTree as ET

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.tree.aliases import Array
from walkthrough.judging.reach import reach_of
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import Cells, stands_for
from walkthrough.text import escape_label

_SIGNS = str.maketrans({sign: f"&#{ord(sign)};" for sign in "{}[]"})
_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in '\\}#~/"'})
_HIDDEN = ("-inf", "−∞", "-∞")
"""How a hidden score may be written."""
_TINY = 1e-6
"""Of a unit: a number between two may be rounded to either."""


def write(sheets: Sequence[Sheet], out: BinaryIO) -> None:
    """Writes a question for each step to fill in of each sheet."""
    root, words = ET.Element("quiz"), catalogue(sheets[0].language)
    all_titles = [Titles.of(sheet, words) for sheet in sheets]
    for number, variants in enumerate(zip(*(sheet.blank_steps for sheet in sheets), strict=True), 1):
        names = [
            f"{number:02d} {escape_label(titles.title(step.value))}"
            for titles, step in zip(all_titles, variants, strict=True)
        ]
        category = ET.SubElement(root, "question", type="category")
        place = f"$course$/top/{_in_category(sheets[0].hand.title)}/{_in_category(names[0])}"
        ET.SubElement(ET.SubElement(category, "category"), "text").text = place
        for sheet, titles, step, name in zip(sheets, all_titles, variants, names, strict=True):
            who = sheet.student or ("" if sheet.seed is None else f"{words('seed')} {sheet.seed}")
            _add(root, f"{name}, {escape_label(who)}" if who else name, step, titles)
    ET.indent(root)
    out.write(ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _add(root: ET.Element, name: str, step: Step, titles: Titles) -> None:
    element = ET.SubElement(root, "question", type="cloze")
    note = html.escape(titles.words("quiz_note"))  # nothing is carried on from a student's own numbers
    _text(element, "name", name)
    _text(element, "questiontext", "\n".join(_blocks(step, titles)), format="html")
    _text(element, "generalfeedback", f"<p>{note}</p>", format="html")
    for name, text in (("defaultgrade", "1"), ("penalty", "0"), ("hidden", "0")):
        ET.SubElement(element, name).text = text


def _text(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(ET.SubElement(parent, name, attributes), "text").text = text


def _in_category(name: str) -> str:
    """A name within the path of a category."""
    return escape_label(name).replace("/", "//")


def _blocks(step: Step, titles: Titles) -> Iterator[str]:
    """A question as HTML: the formula, the operands, and a table with a field for each answer."""
    value, words = step.value, titles.words
    facts = stands_for(value, words)
    yield f"<h4>{_escape(titles.with_symbol(value))}</h4>"
    yield f"<p>{_escape(formula_text(value, words) + (f' ({facts})' if facts else ''))}</p>"
    for given in dict.fromkeys(value.inputs):
        yield f"<p>{_escape(titles.with_symbol(given))}</p>\n{_table(given, _numbers(given, titles))}"
    yield f"<p>{_escape(words('round_all', digits=words.digits(step.digits)))}</p>"
    fields, (rows, columns) = _fields(step), value.shape
    yield _table(value, [[fields.get((row, column), "") for column in range(columns)] for row in range(rows)])


def _numbers(value: Value, titles: Titles) -> list[list[str]]:
    return [
        [
            _escape(escape_label(text))
            if value.is_word(column)
            else _escape(titles.words.number(text.replace("inf", "∞").replace("-", "−")))
            for column, text in enumerate(row)
        ]
        for row in Cells(value, stand_there=True).rows()
    ]


def _table(value: Value, rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{_escape(escape_label(label))}</th>" for label in value.columns)
    body = "".join(
        f"<tr><th>{_escape(escape_label(label))}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n"
        for label, row in zip(value.rows, rows, strict=True)
    )
    return f"<table>\n<tr><th></th>{head}</tr>\n{body}</table>"


def _escape(words: str) -> str:
    """A text as HTML in which a platform finds no field of its own."""
    return html.escape(words, quote=False).translate(_SIGNS)


def _fields(step: Step) -> dict[tuple[int, int], str]:
    """The field of each cell to fill in, by row and column."""
    value, (low, high) = step.value, intervals(step)
    found = {}
    for _, row, column in step.places:
        number = float(value.array[row, column])
        number = number if not math.isnan(number) and number != math.inf else float(step.right[row, column])
        if value.is_word(column):
            found[row, column] = short_answer(escape_label((value.names or {}).get(int(number), "?")))
        elif math.isinf(number):
            found[row, column] = short_answer(*_HIDDEN)
        else:
            ends = (number, float(low[row, column]), float(high[row, column]))
            found[row, column] = number_field(*(_with_digits(step, end, row, column) for end in ends))
    return found


def short_answer(*texts: str) -> str:
    """A field for one of these texts. Its signs are escaped by a backslash, those of HTML as in HTML."""
    answers = (html.escape(text, quote=False).translate(_ESCAPED) for text in texts)
    return f"{{1:SHORTANSWER:={'~='.join(answers)}}}"


def number_field(by_hand: Decimal, low: Decimal, high: Decimal) -> str:
    """A field for a number between two others, which may be off by half a unit of the digits asked for.

    So more digits are right too.
    """
    half = Decimal(5).scaleb(int(by_hand.as_tuple().exponent) - 1)
    return f"{{1:NUMERICAL:={by_hand:f}:{max(by_hand - low, high - by_hand, half):f}}}"


def _with_digits(step: Step, number: float, row: int, column: int) -> Decimal:
    """A number with exactly the digits that are asked for."""
    return Decimal(repr(number)).quantize(Decimal(1).scaleb(-step.decimals(number, row, column))) + 0


@np.errstate(all="ignore")  # where nothing is known of a number, its bounds are infinite
def intervals(step: Step) -> tuple[Array, Array]:
    """The least and the largest right number of each cell, to the digits asked for.

    Each computed number that goes in may be anywhere within half a unit of its last digit; what people look up may be
    rounded, too. The number by hand and the exact one are always right.
    """
    forms = reach_of(step.value, step.digits, lambda one: one.array).compute(step.value).forms
    low, high = forms.low, forms.high
    play = _TINY * step.digits.unit(np.where(step.value.array == 0, 1.0, step.value.array))
    known = np.isfinite(low) & np.isfinite(high)
    least = np.where(known, step.digits.round(np.where(known, low, 0.0) - play), step.value.array)
    most = np.where(known, step.digits.round(np.where(known, high, 0.0) + play), step.value.array)
    certain = np.stack([step.right, np.where(np.isfinite(step.value.array), step.value.array, step.right)])
    return np.fmin(least, certain.min(axis=0)), np.fmax(most, certain.max(axis=0))
