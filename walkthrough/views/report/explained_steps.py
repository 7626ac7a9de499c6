"""The report on steps: what each is for, why there is such a step, who introduced it, where it comes from and goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.explaining.formulas import formula_text, symbols_of
from walkthrough.explaining.steps import ExplainedStep
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.views.data import document
from walkthrough.views.report.blocks import Block, Heading, Items, Paragraph, Report
from walkthrough.views.report.document import formula_block

_FEW, _MOST = 6, 12
"""Of more paths than the most, the first few are named."""


def report(title: str, scenario: str, steps: Sequence[ExplainedStep], words: Catalogue = ENGLISH) -> Report:
    """The report; `title` and `scenario`: of the scenario, and what it is called."""
    return Report(
        words("steps_of", title=title),
        lambda: (block for step in steps for block in _blocks(step, words)),
        lambda: document("explain", {"scenario": scenario, "steps": [_data(step) for step in steps]}),
        brief="",
        words=words,
    )


def _blocks(step: ExplainedStep, words: Catalogue) -> Iterator[Block]:
    value, kind = step.value, step.value.kind
    title = words.title(kind)
    yield Heading(title, value.path)
    yield Paragraph(words.purpose(kind), lead=title)
    if value.operation is not None:
        yield Paragraph(f"{words('why')}: {words.why(kind)}")
        yield Paragraph(f"{words('source')}: {words.source(kind)}")
    yield formula_block(value, words)
    if value.inputs:
        yield Items(_few(_operands(step), words), words("computed_from"))
    if step.users:
        yield Items(_few(step.users, words), words("used_by"))
    if step.like:
        yield Items(_few(step.like, words), words("same_done_in"))


def _operands(step: ExplainedStep) -> list[str]:
    inputs = step.value.inputs
    return [
        f"{symbol}: {given.path}  {shape_text(given.shape)}"
        for symbol, given in zip(symbols_of(inputs), inputs, strict=True)
    ]


def _few(lines: Sequence[str], words: Catalogue) -> tuple[str, ...]:
    if len(lines) <= _MOST:
        return tuple(lines)
    return (*lines[:_FEW], words("and_more", count=words.whole(len(lines) - _FEW)))


def _data(step: ExplainedStep) -> dict[str, Any]:
    value = step.value
    is_given = value.operation is None
    return {
        "path": value.path,
        "like": list(step.like),
        "title": value.kind.title,
        "purpose": ENGLISH.purpose(value.kind),
        "why": None if is_given else ENGLISH.why(value.kind),
        "source": None if is_given else ENGLISH.source(value.kind),
        "op": "given" if value.operation is None else value.operation.name,
        "formula": formula_text(value),
        "shape": list(value.shape),
        "inputs": [
            {"symbol": symbol, "path": given.path, "shape": list(given.shape)}
            for symbol, given in zip(symbols_of(value.inputs), value.inputs, strict=True)
        ],
        "users": list(step.users),
    }
