"""A sheet as YAML, which a program or a person fills in; an answer key is the same with its answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent
from typing import Any, BinaryIO

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.make.scenario_text import Plain, dump
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import Cells, instructions, stands_for

VERSION = 1


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes sheets, one document after the other; `solved`: with their answers."""
    out.write("---\n".join(document(sheet, solved) for sheet in sheets).encode())


def document(sheet: Sheet, solved: bool) -> str:
    """One sheet."""
    pieces = (piece if isinstance(piece, str) else _answers(piece, solved) for piece in pieces_of(sheet))
    return "".join(pieces)


def pieces_of(sheet: Sheet, with_student: bool = True) -> Iterator[str | Step]:
    """The text of a sheet with a step where its answers belong. with_student: False: without the line `student:`"""
    words, titles = catalogue(sheet.language), Titles.of(sheet)
    yield "".join(f"# {line}\n" for line in instructions(sheet, words))
    yield dump(
        {
            "worksheet": Plain(VERSION),
            "scenario": sheet.name,
            "seed": Plain("null" if sheet.seed is None else sheet.seed),
            **({"student": sheet.student} if with_student else {}),
            "decimals": Plain("null" if sheet.decimals is None else sheet.decimals),
            "digest": sheet.digest,
            "given": [_given(value, words, titles) for value in sheet.given],
        }
    )
    yield "steps:\n"
    for step in sheet.steps:
        if not step.is_left_out:
            yield dump([_step(step, words, titles)])
        if step.has_blanks:
            yield step
    yield dump({"text": sheet.text})


def _head(value: Value, words: Catalogue, titles: Titles) -> dict[str, Any]:
    return {
        "path": value.path,
        "title": titles.title(value),
        "formula": formula_text(value, words),
        **({"where": meanings} if (meanings := stands_for(value, words)) else {}),
        "shape": shape_text(value.shape),
    }


def _given(value: Value, words: Catalogue, titles: Titles) -> dict[str, Any]:
    labels = {"rows": list(value.rows), "columns": list(value.columns)}
    return {**_head(value, words, titles), **labels, "values": _values(value)}


def _step(step: Step, words: Catalogue, titles: Titles) -> dict[str, Any]:
    value, digits = step.value, step.digits
    shown_digits: Any = f"{digits.count} significant" if digits.significant else Plain(digits.count)
    labels = {"rows": list(value.rows), "columns": list(value.columns)}
    data = {**_head(value, words, titles), "digits": shown_digits, **labels}
    return data if step.has_blanks else {**data, "values": _values(value)}


def _values(value: Value) -> list[list[Any]]:
    rows = Cells(value, stand_there=True).rows()
    return [[_scalar(value, column, text) for column, text in enumerate(row)] for row in rows]


def _answers(step: Step, solved: bool) -> str:
    """The answers of a step, or a line for each with nothing behind it."""
    value = step.value
    cells = Cells(value)
    answers = {
        label: {
            value.columns[column]: _scalar(value, column, cells.text(row, column)) if solved else None
            for column in range(value.shape[1])
            if step.blank[row, column]
        }
        for row, label in enumerate(value.rows)
        if step.blank[row].any()
    }
    return indent(dump({"answers": answers}), "  ")


def _scalar(value: Value, column: int, text: str) -> Any:
    """A number that YAML 1.1 and 1.2 both read as one; a word; nothing where it is unknown."""
    if value.is_word(column):
        return text
    plain = {"?": "null", "-inf": "-.inf", "inf": ".inf"}.get(text, text)
    mantissa, e, exponent = plain.partition("e")
    return Plain(f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if e else plain)
