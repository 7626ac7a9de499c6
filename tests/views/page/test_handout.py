"""The hand-out: every chosen step with its one table and formula, given matrices beside their use, no script."""

from __future__ import annotations

import re

import pytest

import walkthrough as wt
from tests.views.samples import HOSTILE, bundled_trace, hostile_trace
from walkthrough.views import formats, selection
from walkthrough.views.options import Options
from walkthrough.views.page.sections import name_html
from walkthrough.views.text.cells import cell_texts


def handout(trace: wt.Trace, *steps: str) -> str:
    return formats.to_bytes(trace, Options(steps), "handout").decode()


def sections(text: str) -> dict[str, str]:
    found = re.findall(r'<section id="([^"]+)".*?</section>', text, re.DOTALL)
    return dict(zip(found, re.split(r'<section id="[^"]+"', text)[1:], strict=True))


@pytest.mark.parametrize("name", ["chai", "cooking-multihead", "fuchs"])
def test_each_step_is_a_section_with_its_one_table_and_formula(name: str) -> None:
    trace = bundled_trace(name)
    found = sections(handout(trace))
    assert list(found) == [value.path for value in trace]
    for path, section in found.items():
        assert section.count("<table") == section.count("<math") == 1
        cells = re.findall(r"<td(?: class=\w+)?>([^<]+)</td>", section)
        assert cells == [text for line in cell_texts(trace, trace[path], None) for text in line]


def test_headings_that_nothing_stands_between_share_a_line_on_paper() -> None:
    def lines(name: str) -> list[str]:
        found = re.findall(r'<h\d(?: data-parts=(?:"([^"]+)"|(\w+)))?>([^<]+)</h\d>', handout(bundled_trace(name)))
        return [" · ".join(filter(None, one)) for one in found][1:]

    assert lines("chai")[:5] == [
        "Encoder",
        "Encoder · Layer 1",
        "Encoder · Layer 1 · Attention",
        "Encoder · Layer 1 · Attention · Head 1",
        "Head 1 · Softmax",
    ]
    assert lines("cooking-multihead")[2:5] == ["Encoder · Layer 1 · Attention", "Head 1", "Head 1 · Softmax"]


def test_a_letter_with_an_index_is_a_symbol_in_a_title_and_another_name_is_as_it_is() -> None:
    title = "Why W_Q and W_out_2 are not my_model & b_"
    assert name_html(title) == "Why W<sub>Q</sub> and W<sub>out_2</sub> are not my_model &amp; b_"


def test_there_is_no_script_no_control_and_no_verdict() -> None:
    text = handout(bundled_trace("chai"))
    assert not re.search(r"<(script|button|input|details|select|a href)|data-v|Printed numbers", text)


def test_how_far_steps_have_drifted_is_said_where_it_is_asked_for() -> None:
    trace = bundled_trace("chai", by_hand=True)
    assert "Drift" not in handout(trace)
    assert "Drift: up to 0.00047" in formats.to_bytes(trace, Options(drift=True), "handout").decode()


def test_a_given_matrix_is_in_a_pair_with_the_step_that_uses_it() -> None:
    text = handout(bundled_trace("chai"), "head.1")
    pairs = [re.findall(r'<section id="[^"]*\.(\w+)"', pair) for pair in text.split("<div class=pair>")[1:]]
    assert [pair[:2] for pair in pairs] == [["w_q", "query"], ["w_k", "key"], ["w_v", "value"]]


def test_heads_stand_side_by_side_and_layers_do_not() -> None:
    assert handout(bundled_trace("cooking-multihead")).count("<div class=abreast>") == 1
    assert "<div class=abreast>" not in handout(bundled_trace("chai"))
    assert handout(bundled_trace("pattern")).count("<div class=abreast>") == 0  # three layers of one head


def test_what_takes_steps_as_given_says_so() -> None:
    section = sections(handout(bundled_trace("chai"), "scores"))["encoder.1.attention.head.1.query"]
    assert "taken as given here" in section
    assert "class=worked" not in section


def test_hostile_words_are_text() -> None:
    text = handout(hostile_trace([*HOSTILE, "</style><script>x</script>", '"', "\\"]))
    assert "<script" not in text
    assert "<h1>[bold]T[/] | &lt;b&gt;x" in text
    assert text.count("</style>") == 1


def test_too_many_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_NUMBERS", 400)
    with pytest.raises(selection.TooLargeError, match="a hand-out of 454 numbers is too large"):
        handout(bundled_trace("chai"))
