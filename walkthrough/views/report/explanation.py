"""The report on one number: where it comes from, as a tree, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.explaining.explanation import Explanation, ShownCell
from walkthrough.explaining.formulas import formula_text
from walkthrough.explaining.remarks import stored
from walkthrough.explaining.worked import cell_name, line_in
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.recording.cells import CellAt
from walkthrough.views import data
from walkthrough.views.report.blocks import Block, Formula, Items, Report, Tree


def report(explanation: Explanation, exact: str = "", words: Catalogue = ENGLISH) -> Report:
    """The report; `exact` is the number without rounding, as a text."""
    name, title = _name(explanation.cell), words.title(explanation.cell.value.kind)
    return Report(
        name,
        lambda: _blocks(explanation, exact, words),
        lambda: data.document("explain", _data(explanation, exact)),
        f"{name}  {title}",
        words=words,
    )


def _blocks(explanation: Explanation, exact: str, words: Catalogue) -> Iterator[Block]:
    value = explanation.cell.value
    yield Formula(formula_text(value, words) or words("matrix_is_given", symbol=value.kind.symbol))
    yield _tree(explanation, words)
    if (before := explanation.before) is not None:
        yield Items((), words("before"), _text(before, words))
    if exact:
        yield Items((), words("exactly"), exact)
    if explanation.users:
        users = [f"{_name(user.cell)} = {_text(user, words)}" for user in explanation.users]
        more = [words("and_more", count=words.whole(explanation.more_users))] if explanation.more_users else []
        yield Items((*users, *more), words("used_by"))
    if line := stored(explanation.cell, explanation.exact, words):
        yield Items((line,))


def _tree(explanation: Explanation, words: Catalogue) -> Tree:
    line = str(line_in(explanation.line, words))
    if explanation.cell.value.operation is None:
        line += f"   {words('given_path', path=explanation.path)}"
    if explanation.repeated:
        line += f"   {words('see_above')}"
    operands = tuple(_tree(operand, words) for operand in explanation.operands)
    return Tree(line + ("   …" if explanation.cut else ""), operands)


def _text(shown: ShownCell, words: Catalogue) -> str:
    return shown.text if shown.cell.value.is_word(shown.cell.column) else words.number(shown.text)


def _name(cell: CellAt) -> str:
    return cell_name(cell.value, cell.row, cell.column, cell.value.path)


def _data(explanation: Explanation, exact: str) -> dict[str, Any]:
    """A tree of objects, numbers in full precision."""
    document = _object(explanation)
    if exact:
        document["exact"] = exact
    if explanation.before is not None:
        document["before"] = _number(explanation.before.cell)
    document["used_by"] = [{**data.cell(*user.cell), "value": _number(user.cell)} for user in explanation.users]
    document["more_users"] = explanation.more_users
    if line := stored(explanation.cell, explanation.exact):
        document["stored"] = line
    return document


def _number(cell: CellAt) -> data.Number:
    return data.number(cell.number, cell.value.unknown)


def _object(explanation: Explanation) -> dict[str, Any]:
    value = explanation.cell.value
    return {
        **data.cell(*explanation.cell),
        "value": _number(explanation.cell),
        "op": value.operation.name if value.operation else "given",
        "formula": explanation.formula,
        "name": explanation.line.name,
        "arithmetic": explanation.line.arithmetic,
        "result": explanation.line.result,
        **({"repeated": True} if explanation.repeated else {}),
        **({"cut": True} if explanation.cut else {}),
        "operands": [_object(operand) for operand in explanation.operands],
    }
