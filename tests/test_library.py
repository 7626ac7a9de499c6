"""The Python interface: a trace explains its numbers, and a notebook shows traces, values and explanations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.errors import ArgumentError, UserError
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


def test_a_value_says_what_it_is_for(trace: wt.Trace) -> None:
    assert trace.only("scores").purpose == "How well each query (row) matches each key (column): their dot product."


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
    trace = wt.trace(wt.load_scenario("chai"), arithmetic="by-hand")
    assert isinstance(trace.exact, wt.Trace)
    assert trace.exact.explain(CELL).line.result == "0.203"


UNUSABLE = [None, 5, 1.5, True, b"x", [1], {1: 2}, (), object(), np.zeros(3), lambda: 1]
USES: dict[str, tuple[Callable[[Any, Any], Any], tuple[type, ...]]] = {
    "load_scenario": (lambda t, x: wt.load_scenario(x), ()),
    "parse_scenario": (lambda t, x: wt.parse_scenario(x), ()),
    "trace": (lambda t, x: wt.trace(x), ()),
    "trace decimals": (lambda t, x: wt.trace(wt.load_scenario("help-me"), decimals=x), (type(None), int)),
    "trace changes": (lambda t, x: wt.trace(wt.load_scenario("help-me"), changes=x), (type(None), tuple)),
    "trace wanted": (lambda t, x: wt.trace(wt.load_scenario("help-me"), wanted=x), (type(None), tuple)),
    "path": (lambda t, x: t[x], ()),
    "select": (lambda t, x: t.select(x), ()),
    "only": (lambda t, x: t.only(x), ()),
    "cell": (lambda t, x: t.cell(x), ()),
    "explain": (lambda t, x: t.explain(x), ()),
    "depth": (lambda t, x: t.explain(CELL, x), (type(None), int)),
    "picture": (lambda t, x: t.picture(x), ()),
    "picture of steps": (lambda t, x: t.picture("", x), (type(None), tuple)),
    "mark": (lambda t, x: wt.mark(x, {}), ()),
    "mark answers": (lambda t, x: wt.mark("help-me", x), ()),
    "mark row": (lambda t, x: wt.mark("help-me", {"weights": x}), (list, tuple)),
    "mark cell": (lambda t, x: wt.mark("help-me", {"weights": {"help": {"help": x}}}), (int, float, type(None))),
    "mark seed": (lambda t, x: wt.mark("help-me", {}, seed=x), (int, type(None))),
    "mark decimals": (lambda t, x: wt.mark("help-me", {}, decimals=x), (int, type(None))),
    "mark blank": (lambda t, x: wt.mark("help-me", {}, blank=x), (type(None), tuple)),
    "mark language": (lambda t, x: wt.mark("help-me", {}, language=x), (type(None),)),
    "compare": (lambda t, x: wt.compare(x, {"a": np.zeros(2)}), ()),
    "compare tensors": (lambda t, x: wt.compare("help-me", x), ()),
    "compare require": (
        lambda t, x: wt.compare("help-me", {"scores": t.only("scores").array}, require=x),
        (type(None), int, tuple),
    ),
    "compare tolerance": (
        lambda t, x: wt.compare("help-me", {"a": np.zeros((2, 2))}, tolerance=x),
        (type(None), int, float),
    ),
    "assert_same": (lambda t, x: wt.assert_same(x, {"a": np.zeros(2)}), ()),
    "compare names": (lambda t, x: wt.compare("help-me", {"a": np.zeros((2, 2))}, x), ()),
}


@pytest.mark.parametrize("name", USES)
def test_an_argument_of_a_wrong_type_is_the_librarys_own_error(name: str, trace: wt.Trace) -> None:
    use, taken = USES[name]
    for thing in UNUSABLE:
        if type(thing) not in taken:
            with pytest.raises(UserError):
                use(trace, thing)


@pytest.mark.parametrize("name", ["trace decimals", "mark decimals", "mark seed", "depth"])
def test_a_number_out_of_range_is_refused_with_what_was_expected(name: str, trace: wt.Trace) -> None:
    for number in (-1, 10**30) if "decimals" in name else (-1,):
        with pytest.raises(ArgumentError, match=rf"expected a whole number from 0 .*found int {number}$") as caught:
            USES[name][0](trace, number)
        assert isinstance(caught.value, TypeError)
        assert isinstance(caught.value, ValueError)


def test_the_name_of_a_scenario_is_no_scenario() -> None:
    with pytest.raises(
        ArgumentError, match=r'expected a Scenario, as load_scenario\("chai"\) gives one, found str \'chai\''
    ):
        wt.trace("chai")  # type: ignore[arg-type]
