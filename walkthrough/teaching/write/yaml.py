"""A sheet as YAML, which a program or a person fills in; an answer key is the same with its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.recording.values import Value
from walkthrough.teaching.catalogue import Catalogue, catalogue
from walkthrough.teaching.make.scenario_text import Plain, dump
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.teaching.write.cells import Cells, is_word
from walkthrough.teaching.write.formula import formula, stands_for
from walkthrough.teaching.write.instructions import instructions

VERSION = 1


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes sheets, one document after the other; `solved`: with their answers."""
    out.write("---\n".join(document(sheet, solved) for sheet in sheets).encode())


def document(sheet: Sheet, solved: bool) -> str:
    """One sheet."""
    words = catalogue(sheet.language)
    comments = "".join(f"# {line}\n" for line in instructions(sheet, words))
    data = {
        "worksheet": Plain(VERSION),
        "scenario": sheet.name,
        "seed": Plain("null" if sheet.seed is None else sheet.seed),
        "student": sheet.student,
        "decimals": Plain("null" if sheet.decimals is None else sheet.decimals),
        "digest": sheet.digest,
        "given": [_given(value, words) for value in sheet.given],
        "steps": [_step(step, words, solved) for step in sheet.steps if not step.is_left_out],
        "text": sheet.text,
    }
    return comments + dump(data)


def _head(value: Value, words: Catalogue) -> dict[str, Any]:
    return {
        "path": value.path,
        "title": words.title(value),
        "formula": formula(value, words),
        **({"where": meanings} if (meanings := stands_for(value, words)) else {}),
        "shape": shape_text(value.shape),
    }


def _given(value: Value, words: Catalogue) -> dict[str, Any]:
    labels = {"rows": list(value.rows), "columns": list(value.columns)}
    return {**_head(value, words), **labels, "values": _values(value)}


def _step(step: Step, words: Catalogue, solved: bool) -> dict[str, Any]:
    value, digits = step.value, step.digits
    shown_digits: Any = f"{digits.count} significant" if digits.significant else Plain(digits.count)
    data = {**_head(value, words), "digits": shown_digits, "rows": list(value.rows), "columns": list(value.columns)}
    return {**data, **({"answers": _answers(step, solved)} if step.is_asked else {"values": _values(value)})}


def _values(value: Value) -> list[list[Any]]:
    return [[_scalar(value, column, text) for column, text in enumerate(row)] for row in Cells(value).rows()]


def _answers(step: Step, solved: bool) -> dict[str, dict[str, Any]]:
    value = step.value
    cells = Cells(value)
    return {
        label: {
            value.columns[column]: _scalar(value, column, cells.text(row, column)) if solved else None
            for column in range(value.shape[1])
            if step.to_fill[row, column]
        }
        for row, label in enumerate(value.rows)
        if step.to_fill[row].any()
    }


def _scalar(value: Value, column: int, text: str) -> Any:
    """A number that YAML 1.1 and 1.2 both read as one; a word; nothing where it is unknown."""
    if is_word(value, column):
        return text
    plain = {"?": "null", "-inf": "-.inf", "inf": ".inf"}.get(text, text)
    mantissa, e, exponent = plain.partition("e")
    return Plain(f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if e else plain)
