"""Cells are named by the labels that are printed."""

from __future__ import annotations

import json

import pytest

import walkthrough as wt
from walkthrough.recording.selectors import SelectorError
from walkthrough.text import escape_label
from walkthrough.views.markdown import render
from walkthrough.views.options import Options
from walkthrough.views.report.document import check_tokens

WORDS = ["a\x1b[31m", " b", "c\u202ed", "e, f", "", "g\\h", "i\nj", "k]", "Mu\u0308de"]
SCENARIO = f"""
title: t
tokens: {json.dumps(WORDS)}
embeddings: {json.dumps([[at, 0.5] for at in range(len(WORDS))])}
attention: {{heads: [{{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}}]}}
"""


@pytest.fixture(scope="module")
def trace() -> wt.Trace:
    return wt.trace(wt.parse_scenario(SCENARIO))


@pytest.mark.parametrize("at", range(len(WORDS)))
def test_a_label_can_be_typed_as_it_is_printed(trace: wt.Trace, at: int) -> None:
    assert trace.cell(f"input[{escape_label(WORDS[at])}, 1]").number == at
    found = trace.cell(f"scores[{escape_label(WORDS[at])}, {escape_label(WORDS[0])}]")
    assert (found.row, found.column) == (at, 0)


def test_labels_that_differ_in_blanks_are_told_apart_where_they_are_written_exactly() -> None:
    words = ["", " ", "b", "b ", *"cdefg"]
    trace = wt.trace(wt.parse_scenario(SCENARIO.replace(json.dumps(WORDS), json.dumps(words))))
    assert [trace.cell(f"input[{word}, 1]").row for word in words] == list(range(len(words)))


@pytest.mark.parametrize("at", [0, 2, 5, 6, 7, 8])
def test_and_as_it_is(trace: wt.Trace, at: int) -> None:
    assert trace.cell(f"input[{WORDS[at]}, 1]").number == at


def test_and_as_unicode_composes_it(trace: wt.Trace) -> None:
    assert trace.cell("input[M\u00fcde, 1]").number == 8


def test_an_unknown_label_is_shown_as_it_would_be_typed(trace: wt.Trace) -> None:
    with pytest.raises(SelectorError, match=r"^token_embedding has no row 'a\\x1b'; known: a\\x1b\[31m, ' b', c"):
        trace.cell("input[a\x1b, 1]")


@pytest.mark.parametrize("at", range(len(WORDS)))
def test_a_token_can_be_typed_as_it_is_printed(trace: wt.Trace, at: int) -> None:
    assert render(trace, Options(steps=("token_embedding",), tokens=(escape_label(WORDS[at]),)))


def test_a_word_that_occurs_twice_is_meant_by_its_printed_form_too() -> None:
    text = SCENARIO.replace(json.dumps(WORDS), json.dumps([*WORDS[:-1], WORDS[0]]))
    trace = wt.trace(wt.parse_scenario(text))
    check_tokens(trace, [r"a\x1b[31m", r"a\x1b[31m@9"])
    assert trace.cell(r"input[a\x1b[31m@9, 1]").number == 8
    with pytest.raises(SelectorError, match=r"it occurs 2 times: a\\x1b\[31m@1, a\\x1b\[31m@9$"):
        trace.cell(r"input[a\x1b[31m, 1]")
