"""Shows a comparison with somebody else's intermediates: the first step that differs, and all others."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from walkthrough.checking.against import Compared, Comparison
from walkthrough.explaining.worked import worked
from walkthrough.text import counted, printable
from walkthrough.views.errata import counts_table
from walkthrough.views.markdown import escaped
from walkthrough.views.table import padded

_MEANING = {
    "same": "equal but for the rounding of the float type",
    "follows": "right for the numbers that went in",
    "differs": "not what comes of the numbers that went in",
}
_MOST_UNUSED = 10
_HEADER = ["step", "theirs", "outcome", "cell", "their number", "right"]


def as_text(comparisons: Sequence[Comparison], width: int = 80) -> str:
    """The comparisons, for a terminal."""
    return "\n".join(_text(one, width) for one in comparisons)


def _text(comparison: Comparison, width: int) -> str:
    lines = [f"{printable(comparison.name)}: {_number(comparison)} compared", ""]
    if first := comparison.first:
        lines += textwrap.wrap(f"First step that differs: {_place(first)}", width, subsequent_indent="    ")
        for said in _said(comparison, first):
            lines += textwrap.wrap(said, width, initial_indent="    ", subsequent_indent="        ")
        lines.append("")
    lines += [*_table(comparison, width), ""] if comparison.steps else []
    lines += counts_table(_counts(comparison), width)
    for one in not_compared(comparison.unused):
        lines += textwrap.wrap(one, width, subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def _number(comparison: Comparison) -> str:
    """How many steps, and how many names of theirs where these are more."""
    steps = len({id(step.value) for step in comparison.steps})
    names = "" if steps == len(comparison.steps) else f" under {len(comparison.steps)} names"
    return counted(steps, "step") + names


def not_compared(unused: Sequence[str]) -> list[str]:
    """What is said of tensors that fit no step, of the first ten."""
    said = [f"not compared: {one}" for one in unused[:_MOST_UNUSED]]
    more = len(unused) - _MOST_UNUSED
    return [*said, f"not compared: {more} more"] if more > 0 else said


def _table(comparison: Comparison, width: int) -> list[str]:
    """One line for each name; with what else is to be said below it where the table is too wide."""
    rows = _rows(comparison)
    lines = padded(_HEADER, rows, right=(4, 5))
    if max(map(cell_len, lines)) <= width:
        return lines
    lines, *rest = ([line] for line in padded(["outcome", "step"], [[outcome, path] for path, _, outcome, *_ in rows]))
    indent = " " * (max(cell_len(row[2]) for row in [_HEADER, *rows]) + 2)
    for line, (path, theirs, _, cell, found, right) in zip(rest, rows, strict=True):
        lines += line
        lines += [f"{indent}theirs is called {theirs}"] if theirs != path else []
        lines += [indent + cell + (f": theirs {found}, right {right}" if found else "")] if cell else []
    return lines


def as_markdown(comparisons: Sequence[Comparison]) -> str:
    """The comparisons, as Markdown."""
    return "\n".join(_markdown(one) for one in comparisons)


def _markdown(comparison: Comparison) -> str:
    parts = [f"# {escaped(comparison.trace.title)} and {escaped(comparison.name)}"]
    if first := comparison.first:
        parts.append(f"**First step that differs:** {escaped(_place(first))}")
        parts += [escaped(said) for said in _said(comparison, first)]
    parts.append(_pipe_table(_HEADER, _rows(comparison)))
    parts.append(_pipe_table(["outcome", "steps", "meaning"], _counts(comparison)))
    parts += [f"N{escaped(one)[1:]}" for one in not_compared(comparison.unused)]
    return "\n\n".join(parts) + "\n"


def as_json(comparisons: Sequence[Comparison]) -> str:
    """One object for one comparison, a list of them for several."""
    documents = [_document(one) for one in comparisons]
    return json.dumps(documents[0] if len(documents) == 1 else documents, indent=1, ensure_ascii=False) + "\n"


def _document(comparison: Comparison) -> dict[str, Any]:
    first = comparison.first
    return {
        "scenario": comparison.name,
        "first": first.value.path if first else None,
        "steps": [_step(step) for step in comparison.steps],
        "summary": comparison.summary,
        "not_compared": list(comparison.unused),
    }


def _step(step: Compared) -> dict[str, Any]:
    document: dict[str, Any] = {"path": step.value.path, "theirs": step.theirs.name, "outcome": step.outcome}
    if step.theirs.turned:
        document["transposed"] = True
    if step.shapes:
        return document | {"shapes": {"theirs": list(step.theirs.array.shape), "ours": list(step.value.shape)}}
    if step.outcome != "same":
        document |= {"row": step.value.rows[step.row], "column": step.value.columns[step.column]}
        document |= {"published": _finite(step.found), "computed": _finite(step.right)}
    return document | ({"cause": step.cause} if step.cause else {})


def _finite(number: float) -> float | str | None:
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else "inf" if number > 0 else "-inf"


def _said(comparison: Comparison, first: Compared) -> list[str]:
    if first.shapes:
        return [first.shapes]
    off = abs(first.found - first.right)
    said = [f"theirs is {first.found:.8g}, right is {first.right:.8g}, off by {off:.3g}"]
    if first.value.operation is not None:
        line = worked(first.value, first.row, first.column, max(comparison.trace.decimals, 6), terms=8)
        said.append(f"because {line}")
    if first.cause:
        said.append(f"likely cause: {first.cause}")
    return said


def _rows(comparison: Comparison) -> list[list[str]]:
    return [
        [step.value.path, printable(step.theirs.name), _outcome(step), *_numbers(step)] for step in comparison.steps
    ]


def _outcome(step: Compared) -> str:
    return step.outcome + (", transposed" if step.theirs.turned else "")


def _numbers(step: Compared) -> list[str]:
    if step.outcome == "same":
        return [""] * 3
    if step.shapes:
        return [step.shapes, "", ""]
    return [_labels(step), f"{step.found:.6g}", f"{step.right:.6g}"]


def _counts(comparison: Comparison) -> list[list[str]]:
    return [[outcome, str(count), _MEANING[outcome]] for outcome, count in comparison.summary.items()]


def _place(step: Compared) -> str:
    return step.value.path if step.shapes else f"{step.value.path}{_labels(step)}"


def _labels(step: Compared) -> str:
    return f"[{printable(step.value.rows[step.row])}, {printable(step.value.columns[step.column])}]"


def _pipe_table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, [":--"] * len(header), *([escaped(cell) if cell else "" for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
