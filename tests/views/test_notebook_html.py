"""What a notebook shows: tables that stand without script and style sheet, and text that is data."""

from __future__ import annotations

import re

import walkthrough as wt
from tests.views.page.html_tables import read
from tests.views.samples import bundled_trace, hostile_trace
from walkthrough.views.text.colours import luminance

ALLOWED = {"div", *(f"h{level}" for level in range(1, 7)), "p", "em", "strong", "code", "table", "thead", "tbody", "tr",
           "th", "td", "ul", "ol", "li", "span", "br", "a"}  # fmt: skip


def html(shown: object) -> str:
    return shown._repr_html_()  # type: ignore[attr-defined,no-any-return]


def test_a_trace_has_every_table_with_its_numbers() -> None:
    trace = bundled_trace("chai")
    page = read(html(trace))
    assert len(page.tables) == len(trace)
    weights = page.tables[12]
    assert weights[0] == ["", "The", "chai", "is", "hot"]
    assert weights[2] == ["chai", "0.295", "0.459", "0.203", "0.043"]
    assert page.tables[8][4][1:] == ["−0.249", "−0.139", "−0.719", "−0.236"]


def test_there_is_nothing_that_a_notebook_takes_away() -> None:
    for shown in (
        bundled_trace("fuchs"),
        bundled_trace("chai")["input"],
        bundled_trace("chai").explain("input[chai, 1]"),
    ):
        page = html(shown)
        assert read(page).elements <= ALLOWED
        assert not re.search(r"<script|<style|\bclass=|\bon\w+=|\bid=|var\(|url\(", page)


def test_every_shade_brings_its_own_colour_of_text() -> None:
    """So it can be read in a dark theme too: 4.5 to 1 at least."""
    found = re.findall(r"background-color:#(\w{6});color:#(\w{6})", html(bundled_trace("chai")))
    assert len(found) > 300
    for pair in set(found):
        backdrop, text = (luminance(*bytes.fromhex(colour)) for colour in pair)
        assert (max(backdrop, text) + 0.05) / (min(backdrop, text) + 0.05) >= 4.5
    assert html(bundled_trace("chai")).count("background-color") == html(bundled_trace("chai")).count(";color:")


def test_shares_are_shaded_from_nought_to_one_and_others_around_nought() -> None:
    trace = bundled_trace("chai")
    assert "background-color:#ffffff" not in html(trace["encoder.1.attention.head.1.weights"])
    scores = html(trace["encoder.1.attention.head.1.scores"])
    assert "background-color:#1452a0" in scores  # the largest
    assert re.search(r"background-color:#(ed|f\w)\w+;color:#000000\">−0.249", scores)


def test_text_of_a_scenario_is_data() -> None:
    page = html(hostile_trace())
    assert read(page).elements <= ALLOWED
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", page)
    outside = re.sub(r"<span>[$\\]</span>", "", page)
    assert not re.search(r"[$\\]", re.sub(r"<[^>]*>", "", outside))


def test_an_explanation_is_a_tree() -> None:
    page = html(bundled_trace("chai").explain("input[chai, 3]"))
    assert "X[chai, 3] = 0.8 + 0.010 = 0.810" in page
    assert page.count("<ul>") >= 2


def test_a_trace_of_very_many_steps_is_its_map() -> None:
    head = {name: [[1], [0]] for name in ("w_q", "w_k", "w_v")}
    encoder = {"norm_order": "none", "residual": False, "layers": [{"attention": {"heads": [head, head]}}] * 40}
    scenario = {"title": "T", "tokens": ["a", "b"], "embeddings": [[1, 2], [2, 1]], "encoder": encoder}
    page = html(wt.trace(wt.parse_scenario(str(scenario).replace("False", "false"))))
    assert "<table" not in page
    assert "Map: 1,001 steps" in page
    assert "Layer 2 to Layer 40: as Layer 1" in page


def test_words_from_right_to_left_turn_no_number_around() -> None:
    html = hostile_trace(["שלום", "עולם"])._repr_html_()
    assert "<p>S[<bdi>עולם</bdi>, <bdi>שלום</bdi>] = " in html or "<p>S[<bdi>עולם</bdi>, <bdi>עולם</bdi>] = " in html
