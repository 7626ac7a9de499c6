"""A worked line as MathML, in pieces between which a line may break: MathML itself breaks none."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.explaining.worked import CellName, Worked
from walkthrough.expressions.notations.mathml import (
    break_at_signs,
    mathml_number,
    mathml_symbol,
    mathml_text,
    to_mathml,
)
from walkthrough.expressions.notations.writing import Writer

_EQUALS = '<mo form="infix">=</mo>'


def worked_mathml(line: Worked) -> str:
    """The name of the cell, its arithmetic, its result."""
    return "<wbr>".join(f"<math>{piece}</math>" for piece in _pieces(line))


def _pieces(line: Worked) -> Iterator[str]:
    yield _cell(line.name)
    if line.expression is not None:
        first, *more = break_at_signs(to_mathml(line.expression, _in_mathml(line.writer)))
        yield f"{_EQUALS}{first}"
        yield from more
    elif isinstance(line.arithmetic, CellName):
        yield f"{_EQUALS}{_cell(line.arithmetic)}"
    result = mathml_text(line.result) if line.is_word else mathml_number(line.result)
    yield f"{_EQUALS}{break_at_signs(result)[0]}"


def _in_mathml(writer: Writer) -> Writer:
    """The same numbers and words as elements."""
    return Writer(
        cell=lambda cell: mathml_number(writer.cell(cell)),
        number=lambda constant: mathml_number(writer.number(constant)),
        label=lambda label: mathml_text(writer.label(label)),
        phrase=writer.phrase,
        has_comma=writer.has_comma,
    )


def _cell(name: CellName) -> str:
    """`S[chai, is]`."""
    labels = '<mo separator="true">,</mo>'.join(map(mathml_text, name.labels))
    return f'{mathml_symbol(name.symbol)}<mo stretchy="false">[</mo>{labels}<mo stretchy="false">]</mo>'
