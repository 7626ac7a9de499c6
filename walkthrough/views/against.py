"""The report on somebody else's intermediates: the first step that differs, and all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.checking.against import Compared, Comparison
from walkthrough.explaining.worked import cell_name, worked
from walkthrough.text import counted, printable
from walkthrough.views import data
from walkthrough.views.blocks import Block, Code, Items, Report, Table

_MEANING = {
    "same": "equal except for floating-point rounding",
    "follows": "right, given the numbers that went in",
    "differs": "not what the numbers that went in give",
}
_MOST_UNUSED = 10
_HEADER = ("outcome", "step", "theirs", "cell", "their number", "right")


def report(comparison: Comparison) -> Report:
    """The report."""
    title = f"{comparison.trace.title} and {comparison.name}"
    brief = f"{comparison.name}: {_number(comparison)} compared"
    return Report(title, lambda: _blocks(comparison), lambda: _data(comparison), brief)


def _number(comparison: Comparison) -> str:
    """How many steps, and how many names of theirs where these are more."""
    steps = len({step.value for step in comparison.steps})
    names = "" if steps == len(comparison.steps) else f" under {len(comparison.steps)} names"
    return counted(steps, "step") + names


def _blocks(comparison: Comparison) -> Iterator[Block]:
    if first := comparison.first:
        yield Items(tuple(_remarks(comparison, first)), "First step that differs", _cell(first))
    if comparison.steps:
        yield Table(_HEADER, tuple(map(_row, comparison.steps)), right=(4, 5))
    counts = tuple((outcome, str(count), _MEANING[outcome]) for outcome, count in comparison.summary.items())
    yield Table(("outcome", "steps", "meaning"), counts, right=(1,), headless=True)
    if comparison.unused:
        yield Items(tuple(not_compared(comparison.unused)), "Not compared")


def not_compared(unused: Sequence[str]) -> list[str]:
    """Tensors that fit no step, each with the reason: the first ten, and how many more."""
    more = len(unused) - _MOST_UNUSED
    return [*unused[:_MOST_UNUSED], *([f"{more} more"] if more > 0 else [])]


def _remarks(comparison: Comparison, first: Compared) -> Iterator[str]:
    """By how much it differs, and why."""
    if first.shapes:
        yield first.shapes
        return
    off = abs(first.found - first.right)
    yield f"theirs is {first.found:.8g}, right is {first.right:.8g}, off by {off:.3g}"
    if first.value.operation is not None:
        line = worked(first.value, first.row, first.column, max(comparison.trace.decimals, 6), terms=8)
        yield f"because {line}"
    if first.cause:
        yield f"likely cause: {first.cause}"


def _row(step: Compared) -> tuple[str, ...]:
    path, theirs = step.value.path, step.theirs.name
    outcome = step.outcome + (", transposed" if step.theirs.turned else "")
    name = "" if theirs == path else printable(theirs)
    if step.outcome == "same":
        return outcome, Code(path), name, "", "", ""
    if step.shapes:
        return outcome, Code(path), name, step.shapes, "", ""
    return outcome, Code(path), name, _cell(step).removeprefix(path), f"{step.found:.6g}", f"{step.right:.6g}"


def _cell(step: Compared) -> str:
    path = step.value.path
    return path if step.shapes else cell_name(step.value, step.row, step.column, path)


def _data(comparison: Comparison) -> dict[str, Any]:
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
        document |= data.cell(step.value, step.row, step.column)
        document |= {"published": data.number(step.found), "computed": data.number(step.right)}
    return document | ({"cause": step.cause} if step.cause else {})
