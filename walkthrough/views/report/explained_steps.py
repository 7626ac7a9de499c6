"""The report on steps: what each is for, why there is such a step, who introduced it, where it comes from and goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from walkthrough.explaining.formulas import formula_latex, formula_text
from walkthrough.explaining.steps import ExplainedStep
from walkthrough.explaining.symbols import symbols_of
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.text import escape_label
from walkthrough.views.data import document
from walkthrough.views.report.blocks import Block, Formula, Heading, Items, Paragraph, Report
from walkthrough.views.report.trace.document import shapes_text

_FEW, _MOST = 6, 12
"""Of more paths than the most, the first few are named."""


def report(title: str, scenario: str, steps: Sequence[ExplainedStep]) -> Report:
    """The report; `title` and `scenario`: of the scenario, and what it is called."""
    return Report(
        f"Steps of {title}",
        lambda: (block for step in steps for block in _blocks(step)),
        lambda: document("explain", {"scenario": scenario, "steps": [_data(step) for step in steps]}),
        brief="",
    )


def _blocks(step: ExplainedStep) -> Iterator[Block]:
    value, kind = step.value, step.value.kind
    yield Heading(kind.title, value.path)
    yield Paragraph(kind.purpose, lead=kind.title)
    if value.operation is not None:
        yield Paragraph(f"Why: {kind.why}")
        yield Paragraph(f"Source: {kind.source}")
    formula = formula_text(value)
    origin = "" if formula else escape_label(value.origin) if value.origin else "given"
    yield Formula(formula or kind.symbol, partial(formula_latex, value), value.path, shapes_text(value), origin)
    if value.inputs:
        yield Items(tuple(_operands(step)), "Computed from")
    if step.users:
        yield Items(_few(step.users), "Used by")
    if step.like:
        yield Items(_few(step.like), "The same is done in")


def _operands(step: ExplainedStep) -> Iterator[str]:
    inputs = step.value.inputs
    lines = [
        f"{symbol}: {given.path}  {shape_text(given.shape)}"
        for symbol, given in zip(symbols_of(inputs), inputs, strict=True)
    ]
    yield from _few(lines)


def _few(lines: Sequence[str]) -> tuple[str, ...]:
    if len(lines) <= _MOST:
        return tuple(lines)
    return (*lines[:_FEW], f"… and {len(lines) - _FEW:,} more")


def _data(step: ExplainedStep) -> dict[str, Any]:
    value = step.value
    is_given = value.operation is None
    return {
        "path": value.path,
        "like": list(step.like),
        "title": value.kind.title,
        "purpose": value.kind.purpose,
        "why": None if is_given else value.kind.why,
        "source": None if is_given else value.kind.source,
        "op": "given" if value.operation is None else value.operation.name,
        "formula": formula_text(value),
        "shape": list(value.shape),
        "inputs": [
            {"symbol": symbol, "path": given.path, "shape": list(given.shape)}
            for symbol, given in zip(symbols_of(value.inputs), value.inputs, strict=True)
        ],
        "users": list(step.users),
    }
