"""The Python interface: a trace explains its numbers, and a notebook shows traces, values and explanations."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.explaining.explanation import explain
from walkthrough.recording import Trace, Value
from walkthrough.transformer.runs import run as model
from walkthrough.views import markdown
from walkthrough.views.report import explanation

CELL = "weights[chai, is]"


@pytest.fixture(scope="module")
def trace() -> wt.Trace:
    return wt.trace(wt.load_scenario("chai"))


def test_the_record_itself_knows_no_view(trace: wt.Trace) -> None:
    record = model.trace(wt.load_scenario("chai"))
    assert type(record) is Trace
    assert not [name for kind in (Trace, Value) for name in vars(kind) if name.startswith("_repr_")]
    assert [value.path for value in record] == [value.path for value in trace]
    assert all(np.array_equal(value.array, trace[value.path].array) for value in record)


def test_a_notebook_shows_a_trace(trace: wt.Trace) -> None:
    assert trace._repr_markdown_() == markdown.render(trace)


def test_a_notebook_shows_a_value_however_it_was_found(trace: wt.Trace) -> None:
    scores = trace["encoder.1.attention.head.1.scores"]
    assert trace.only("scores") is scores
    assert scores._repr_markdown_() == markdown.render_values([scores])
    assert scores._repr_markdown_().startswith("## Scores\n\n`encoder.1.attention.head.1.scores` — ")
    found = [trace.select("scores")[0], trace["encoder.output"], *scores.inputs, trace.cell(CELL).value]
    assert all(isinstance(value, wt.Value) for value in found)
    assert all("## " in value._repr_markdown_() for value in found)  # type: ignore[attr-defined]


def test_a_notebook_shows_an_explanation(trace: wt.Trace) -> None:
    found = trace.explain(CELL, depth=1)
    plain = explain(trace, trace.cell(CELL), 1)
    assert (found.line, found.operands, found.users) == (plain.line, plain.operands, plain.users)
    assert found._repr_markdown_() == markdown.text([explanation.report(plain)])
    assert "\n  - " in found._repr_markdown_()


def test_the_exact_calculation_beside_one_by_hand_explains_itself_too() -> None:
    trace = wt.trace(wt.load_scenario("chai"), by_hand=True)
    assert isinstance(trace.exact, wt.Trace)
    assert trace.exact.explain(CELL).line.result == "0.203"
