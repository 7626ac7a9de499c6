"""The page without its script: everything is there to read, and text of a scenario stays text."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache, partial
from html import unescape
from html.parser import HTMLParser

import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run
from tests.views.page import html_tables
from tests.views.samples import HOSTILE, bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.explaining.worked import example_cell, work_out
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.library import calculate
from walkthrough.text import escape_label
from walkthrough.views import formats, selection
from walkthrough.views.options import Options
from walkthrough.views.passes import last_pass
from walkthrough.views.text.html import line_html

VOID = {"meta", "br", "p", "li", "input"}


class Page(HTMLParser):
    """Sections by id, each with its rows of texts; all ids, links and elements."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, str]] = []
        self.sections: dict[str, dict[str, list[list[str]]]] = {}
        self.lines: dict[str, str] = {}
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.elements.add(tag)
        self.attributes |= set(found)
        if "id" in found:
            self.ids.append(found["id"])
        if "href" in found:
            self.links.append(found["href"])
        if tag == "section":
            self.section: dict[str, list[list[str]]] = {"thead": [], "tbody": []}
            self.sections[found["id"]] = self.section
            self.name = found["id"]
        elif tag in ("thead", "tbody"):
            self.body = self.section[tag]
        elif tag == "tr":
            self.body.append([])
        elif tag in ("td", "th"):
            self.body[-1].append("")
        elif tag == "p" and found.get("class") == "worked":
            self.lines[self.name] = ""
        self.open.append((tag, found.get("class", "")))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] in ("td", "th"):
            self.body[-1][-1] += data
        elif ("p", "worked") in self.open:
            self.lines[self.name] += data.rstrip("\n")


def written(trace: wt.Trace, options: Options = Options()) -> str:  # noqa: B008 - a tuple
    return formats.to_bytes(trace, options, "html").decode()


SAMPLES = {
    "chai": partial(bundled_trace, "chai"),
    "tea-gpt": partial(bundled_trace, "tea-gpt"),
    "first-step": partial(bundled_trace, "first-step"),
    "cooking by hand": partial(bundled_trace, "cooking", by_hand=True),
    "hostile": hostile_trace,
    "small": small_trace,
    "wide": wide_trace,
}


@cache
def sample(name: str) -> wt.Trace:
    return SAMPLES[name]()


@cache
def text_of(name: str) -> str:
    return written(sample(name))


@cache
def page_of(name: str) -> Page:
    return Page(text_of(name))


@pytest.mark.parametrize("name", all_in_a_thorough_run(SAMPLES, ["chai", "hostile"]))
def test_each_step_is_a_section_with_the_table_that_markdown_has(name: str) -> None:
    trace, page = sample(name), page_of(name)
    assert set(page.sections) == {value.path for value in trace}
    handout = formats.to_bytes(trace, Options(full=True), "markdown").decode()
    tables = html_tables.read(html_tables.RENDERERS["markdown-it"](handout)).tables
    for value, table in zip(trace, tables[-len(trace) :], strict=True):
        section = page.sections[value.path]
        assert [[" ".join(text.split()) for text in line] for line in section["tbody"]] == table[1:]
        assert [line[0] for line in section["tbody"]] == list(map(escape_label, value.rows))
        assert section["thead"] == [["", *map(escape_label, value.columns)]]


@pytest.mark.parametrize("name", all_in_a_thorough_run(SAMPLES, ["chai", "first-step", "hostile", "small"]))
def test_each_step_has_the_line_that_a_run_works_out(name: str) -> None:
    trace, page = sample(name), page_of(name)
    for value in trace:
        if value.operation is not None and (cell := example_cell(value)) and trace.exact is None:
            assert page.lines[value.path] == escape_label(str(work_out(value, *cell, trace.decimals, 8)))


@pytest.mark.parametrize("line", ["σ²_1[The] = ", "D_1, row", "√d_1 = √2", "e^1.4494", "e^(−0.2306)", "2.w_1[a_1] w_2"])
def test_indices_and_powers_of_a_line_are_set_as_such_and_keep_their_signs_but_those_of_a_path(line: str) -> None:
    wanted = re.sub(r"([²Dd])_(1)", r"\1<sub><u>_</u>\2</sub>", re.sub(r"\^(.+)", r"<sup><u>^</u>\1</sup>", line))
    assert line_html(line) == wanted


def test_why_there_is_a_step_is_folded_at_the_first_of_its_kind() -> None:
    """What is inside a softmax or a norm has its reason in that of the whole."""
    trace, text = sample("chai"), text_of("chai")
    folded = re.findall("<details class=why.*?><summary>Why</summary>(.*?)</details>", text)
    inside = ("softmax.", "norm_1.", "norm_2.")
    wholes = [one for one in trace if one.operation and (one.composite or not any(part in one.path for part in inside))]
    assert [unescape(one) for one in folded] == list(
        dict.fromkeys(f"{ENGLISH.why(one.kind)} {ENGLISH.source(one.kind)}." for one in wholes)
    )
    assert "class=why" not in formats.to_bytes(trace, Options(steps=["attention"]), "handout").decode()


@pytest.mark.parametrize("name", SAMPLES)
def test_ids_are_paths_and_aliases_and_every_link_leads_somewhere(name: str) -> None:
    trace, page = sample(name), page_of(name)
    assert len(page.ids) == len(set(page.ids))
    assert {path for path, _ in trace.items()} <= set(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_policy_lets_nothing_in_but_the_page_itself(name: str) -> None:
    text = text_of(name)
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert len(scripts) == text.count("<script") - 1 == 1  # the other one is data
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert policy is not None
    assert policy[1] == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    outside = {"src", "srcset", "action", "data", "poster"} & page_of(name).attributes
    assert not outside
    assert "url(" not in text


def test_text_of_a_scenario_stays_text() -> None:
    """No element, no attribute, no character that turns a line around comes from a token, a title or a description."""
    hostile = page_of("hostile")
    allowed = page_of("chai").elements | {"ul", "ol", "li", "code", "sub"}
    assert hostile.elements <= allowed
    assert not [name for name in hostile.attributes if name.startswith("on")]
    assert not set("\x1b\u202e\u2028\x00") & set(text_of("hostile"))
    tokens = [line[0] for line in hostile.sections["token_embedding"]["tbody"]]
    assert len(tokens) == len(HOSTILE)


def test_wide_tables_break_into_bands_on_paper_only() -> None:
    text = text_of("wide")
    assert len(re.findall("<table", text)) == len(sample("wide"))
    assert re.search(r'<table class="wide b\d+" style="--n:40">', text)
    assert "@media print{.b" in text
    assert "wide b" not in text_of("chai")


def test_too_many_numbers_are_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_NUMBERS", 400)
    with pytest.raises(selection.TooLargeError, match="454 numbers is too large; it holds at most 400: choose steps"):
        written(sample("chai"))
    assert written(sample("chai"), Options(steps=["scores"]))


def test_of_chosen_steps_what_they_are_computed_from_is_given() -> None:
    page = Page(text := written(sample("chai"), Options(steps=["scores"])))
    head = "encoder.1.attention.head.1"
    assert list(page.sections) == [f"{head}.{name}" for name in ("query", "key", "scores")]
    assert text.count("taken as given here") == 2
    assert set(page.lines) == {f"{head}.scores"}


def test_printed_numbers_have_their_verdicts_below_and_the_wrong_ones_their_arithmetic() -> None:
    text = text_of("chai")
    wrong = "".join(re.findall("<ul data-kind=wrong>.*?</ul>", text))
    notes = re.findall("<li .*?>(.*?)</li>", wrong)
    assert notes[0] == "S[chai, hot] = 1.041×(−0.490) + 1.540×0.241 = −0.139, printed 0.258"
    assert re.findall("data-says=(.*?)>", wrong)[0] == '"Printed 0.258, right −0.139: wrong."'
    assert ">[The, chai] printed 2.581, right is 2.582</li>" in text
    assert " data-prints>" in text
    assert "<td data" not in text
    assert " data-prints" not in text_of("tea-gpt").partition("<script")[0]


def map_of_page(text: str) -> str:
    found = re.search(r'<nav .*? id="-map".*?</nav>', text, re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("name", ["chai", "tea-gpt", "hostile"])
def test_the_map_leads_to_each_step_of_the_last_pass_once_and_shows_its_numbers(name: str) -> None:
    drawing = unescape(map_of_page(text_of(name)))
    heats = re.findall(r'data-heat="?([^"> ]*)', drawing)
    assert heats == [value.path for value in last_pass(list(sample(name))).values]
    assert all(re.search(f'<a href="?#{re.escape(path)}[">\\s]', drawing) for path in heats)
    ids = re.findall(r'\bid="([^"]*)"', text_of(name).partition("<script")[0])
    assert len(set(ids)) == len(ids)


def test_a_box_with_room_for_them_shows_digits() -> None:
    drawing = map_of_page(text_of("chai"))
    scores = re.search(r"data-heat=encoder.1.attention.head.1.scores\b.*?</a>", drawing, re.DOTALL)
    assert scores is not None
    wanted = [
        number for row in page_of("chai").sections["encoder.1.attention.head.1.scores"]["tbody"] for number in row[1:]
    ]
    digits = re.search("</svg><pre>(.*?)</pre>", scores[0], re.DOTALL)
    assert digits is not None
    assert digits[1].split() == wanted


def test_words_stand_before_the_first_box_that_reads_them() -> None:
    drawing = map_of_page(text_of("chai"))
    assert re.findall("data-word=(\\w+)", drawing) == ["The", "chai", "is", "hot"]
    assert drawing.index("data-word") < drawing.index("data-heat")
    both = map_of_page(written(bundled_trace("not-on-your-life"), Options(steps=("encoder.output", "decoder.input"))))
    assert re.findall('data-word="?([^"> ]*)', both) == ["Show", "me", "the", "money", "&lt;start&gt;"]


def test_at_the_end_stand_the_five_likeliest_words_of_the_last_row() -> None:
    end = map_of_page(text_of("tea-gpt")).partition("<ol")[2]
    row = bundled_trace("tea-gpt")["generate.5.output_head.probabilities"]
    largest = sorted(zip(row.array[-1], row.columns, strict=True), reverse=True)[:5]
    words = [unescape(word) for word in re.findall("<b .*?>(.*?)</b>", end)]
    assert words == [word for _, word in largest]
    assert re.findall("<span .*?>(.*?)</span>", end) == [f"{share:.3f}" for share, _ in largest]
    widths = [float(one) for one in re.findall("width:(.*?)%", end)]
    assert widths == pytest.approx([100 * share / largest[0][0] for share, _ in largest], abs=0.06)
    assert "<ol class=likeliest" not in text_of("chai")


def test_the_map_says_which_pass_it_shows_and_other_boxes_wait_in_templates() -> None:
    shown = {
        name: re.findall(r"<nav [^>]*?data-pass=(\w+)", text_of(name)) for name in ("tea-gpt", "first-step", "chai")
    }
    assert shown == {"tea-gpt": ["5"], "first-step": ["trained"], "chai": []}
    waiting = re.compile(r"<template data-pass=(\w+)>.*?</template>", re.DOTALL)
    assert waiting.findall(text_of("tea-gpt")) == ["1", "2", "3", "4"]  # each has more words than the one before
    assert waiting.findall(text_of("first-step")) == []  # one map serves all its passes


def test_other_given_numbers_are_said_on_the_first_screen() -> None:
    trace = wt.trace(wt.load_scenario("chai"), changes={"embeddings[The, 1]": 2.0})
    text = formats.to_bytes(trace, Options(), "html").decode()
    assert "<p>With other numbers: embeddings[The, 1]=2.</p>" in text.partition("<main>")[0]


def test_of_a_long_training_what_was_let_go_of_stands_as_given() -> None:
    trace = calculate(wt.load_scenario("specialise"), wanted=["training"], most_steps=3)
    page = Page(written(trace, Options(steps=["training"])))
    assert {"training", "loss.mean"} <= set(page.sections)
