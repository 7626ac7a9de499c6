"""Shows where a number comes from: as a tree for a terminal, as nested lists in Markdown, as JSON."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator
from typing import Any

from walkthrough.explaining.explanation import Explanation
from walkthrough.explaining.worked import cell_name
from walkthrough.notation import typeset, written
from walkthrough.recording.cells import CellAt
from walkthrough.text import printable
from walkthrough.views.markdown import escaped


def as_text(explanation: Explanation, exact: str = "", width: int = 80) -> str:
    """The explanation as a tree."""
    lines = [f"{explanation.path}[{_labels(explanation.cell)}]  {explanation.cell.value.kind.title}", ""]
    lines += _wrapped(explanation.formula, "", "", width)
    lines += _wrapped(_line(explanation), "", "", width)
    lines += list(_tree(explanation, "", width))
    if exact:
        lines += ["", *_wrapped(f"exactly: {exact}", "", "", width)]
    if explanation.users:
        lines += ["", "used by"]
        lines += [f"    {_place(user)} = {_number(user)}" for user in explanation.users]
        if explanation.more_users:
            lines.append(f"    … and {explanation.more_users} more")
    return "\n".join(lines) + "\n"


def _tree(explanation: Explanation, stem: str, width: int) -> Iterator[str]:
    for at, operand in enumerate(explanation.operands, 1):
        last = at == len(explanation.operands)
        branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _wrapped(_line(operand), stem + branch, stem + below, width)
        yield from _tree(operand, stem + below, width)


def _line(explanation: Explanation) -> str:
    line = str(explanation.line)
    if explanation.cell.value.operation is None:
        line += f"   given: {explanation.path}"
    if explanation.repeated:
        line += "   see above"
    return line + ("   …" if explanation.cut else "")


def _wrapped(text: str, first: str, rest: str, width: int) -> list[str]:
    room = max(width, len(first) + 24)
    return textwrap.wrap(
        text,
        room,
        initial_indent=first,
        subsequent_indent=rest + "    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def as_markdown(explanation: Explanation, exact: str = "") -> str:
    """The explanation as nested lists."""
    name = f"{explanation.path}[{_labels(explanation.cell)}]"
    parts = [f"# {escaped(name)}", escaped(explanation.formula), "\n".join(_items(explanation, 0))]
    if exact:
        parts.append(f"Exactly: {escaped(exact)}")
    if explanation.users:
        users = [f"- {escaped(f'{_place(user)} = {_number(user)}')}" for user in explanation.users]
        more = [f"- … and {explanation.more_users} more"] if explanation.more_users else []
        parts += ["Used by:", "\n".join([*users, *more])]
    return "\n\n".join(parts) + "\n"


def _items(explanation: Explanation, depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}- {escaped(_line(explanation))}"
    for operand in explanation.operands:
        yield from _items(operand, depth + 1)


def as_json(explanation: Explanation, exact: str = "") -> str:
    """The explanation as a tree of objects, numbers in full precision."""
    document = _object(explanation)
    if exact:
        document["exact"] = exact
    document["used_by"] = [{**_cell(user), "value": _full(user.number)} for user in explanation.users]
    document["more_users"] = explanation.more_users
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _object(explanation: Explanation) -> dict[str, Any]:
    return {
        **_cell(explanation.cell),
        "value": _full(explanation.cell.number),
        "op": explanation.cell.value.operation.name if explanation.cell.value.operation else "given",
        "formula": explanation.formula,
        "name": explanation.line.name,
        "arithmetic": explanation.line.arithmetic,
        "result": explanation.line.result,
        **({"repeated": True} if explanation.repeated else {}),
        **({"cut": True} if explanation.cut else {}),
        "operands": [_object(operand) for operand in explanation.operands],
    }


def _cell(cell: CellAt) -> dict[str, str]:
    return {"path": cell.value.path, "row": cell.value.rows[cell.row], "column": cell.value.columns[cell.column]}


def _full(number: float) -> float | str | None:
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else "inf" if number > 0 else "-inf"


def _labels(cell: CellAt) -> str:
    return ", ".join(map(printable, (cell.value.rows[cell.row], cell.value.columns[cell.column])))


def _place(cell: CellAt) -> str:
    return f"{cell.value.path}{cell_name(cell.value, cell.row, cell.column)[len(cell.value.kind.symbol) :]}"


def _number(cell: CellAt) -> str:
    return typeset(written(cell.number, 3))
