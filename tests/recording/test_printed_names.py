"""A step or a cell is found by what is printed of it: its symbol or its title."""

from __future__ import annotations

import pytest

import walkthrough as wt
from walkthrough.languages.catalogue import catalogue


@pytest.fixture(scope="module")
def trace() -> wt.Trace:
    return wt.trace(wt.load_scenario("one-head"))


@pytest.mark.parametrize(
    ("printed", "path"),
    [
        ("A[drinks, milk]", "attention.head.1.weights"),
        ("S'[drinks, milk]", "attention.head.1.scaled_scores"),
        ("S\u2032[drinks, milk]", "attention.head.1.scaled_scores"),
        ("W_Q[1, 2]", "attention.head.1.w_q"),
        ("attention weights[drinks, milk]", "attention.head.1.weights"),
        ("Head output[milk, 1]", "attention.head.1.output"),
    ],
)
def test_a_cell_is_accepted_as_it_is_printed(trace: wt.Trace, printed: str, path: str) -> None:
    assert trace.cell(printed).value.path == path


def test_every_symbol_and_title_names_its_step(trace: wt.Trace) -> None:
    for value in trace:
        assert value in trace.select(value.kind.title)
        assert any(one.kind.symbol == value.kind.symbol or one is value for one in trace.select(value.kind.symbol))


def test_so_does_its_title_in_another_language(trace: wt.Trace) -> None:
    """Whatever language the trace is shown in: `--language de` changes the page, and not the trace."""
    german = catalogue("de")
    for value in trace:
        assert value in trace.select(german.title(value.kind))
    assert trace.cell("attention-gewichte[drinks, milk]").value.path == "attention.head.1.weights"


def test_a_path_wins_over_a_symbol_and_several_are_named() -> None:
    heads = wt.trace(wt.load_scenario("cooking-multihead"))
    assert {value.path.rpartition(".")[2] for value in heads.select("q")} == {"query"}
    with pytest.raises(LookupError, match=r"'A' matches 2 steps: .*head\.1\.weights, .*head\.2\.weights$"):
        heads.cell("A[I, I]")
