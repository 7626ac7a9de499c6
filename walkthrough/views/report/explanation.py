"""The report on one number: where it comes from, as a tree, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.explaining.explanation import Explanation
from walkthrough.explaining.worked import cell_name
from walkthrough.notation import typeset, write_number
from walkthrough.recording.cells import CellAt
from walkthrough.views import data
from walkthrough.views.report.blocks import Block, Formula, Items, Report, Tree


def report(explanation: Explanation, exact: str = "") -> Report:
    """The report; `exact` is the number without rounding, as a text."""
    name, title = _name(explanation.cell), explanation.cell.value.kind.title
    return Report(
        name,
        lambda: _blocks(explanation, exact),
        lambda: data.document("explain", _data(explanation, exact)),
        f"{name}  {title}",
    )


def _blocks(explanation: Explanation, exact: str) -> Iterator[Block]:
    yield Formula(explanation.formula)
    yield _tree(explanation)
    if exact:
        yield Items((), "Exactly", exact)
    if explanation.users:
        users = [f"{_name(user)} = {typeset(write_number(user.number, 3))}" for user in explanation.users]
        more = [f"… and {explanation.more_users} more"] if explanation.more_users else []
        yield Items((*users, *more), "Used by")


def _tree(explanation: Explanation) -> Tree:
    line = str(explanation.line)
    if explanation.cell.value.operation is None:
        line += f"   given: {explanation.path}"
    if explanation.repeated:
        line += "   see above"
    return Tree(line + ("   …" if explanation.cut else ""), tuple(map(_tree, explanation.operands)))


def _name(cell: CellAt) -> str:
    return cell_name(cell.value, cell.row, cell.column, cell.value.path)


def _data(explanation: Explanation, exact: str) -> dict[str, Any]:
    """A tree of objects, numbers in full precision."""
    document = _object(explanation)
    if exact:
        document["exact"] = exact
    document["used_by"] = [{**data.cell(*user), "value": data.number(user.number)} for user in explanation.users]
    document["more_users"] = explanation.more_users
    return document


def _object(explanation: Explanation) -> dict[str, Any]:
    value = explanation.cell.value
    return {
        **data.cell(*explanation.cell),
        "value": data.number(explanation.cell.number),
        "op": value.operation.name if value.operation else "given",
        "formula": explanation.formula,
        "name": explanation.line.name,
        "arithmetic": explanation.line.arithmetic,
        "result": explanation.line.result,
        **({"repeated": True} if explanation.repeated else {}),
        **({"cut": True} if explanation.cut else {}),
        "operands": [_object(operand) for operand in explanation.operands],
    }
