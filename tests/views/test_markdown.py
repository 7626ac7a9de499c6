"""The Markdown export, read back by the parsers that its readers use."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run, some
from tests.views.page.html_tables import RENDERERS, Table, read
from tests.views.samples import HOSTILE, as_yaml, bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.explaining.shown import Shown
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.text import escape_label
from walkthrough.views.markdown import escape_markdown, render
from walkthrough.views.options import Options
from walkthrough.views.text.cells import cell_text

HEADINGS = {f"h{level}" for level in range(1, 7)}
HARMLESS = {*HEADINGS, "p", "code", "strong", "em", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "span"}
LAYOUT = {"colgroup", "col"}
_LONG = {"transformer-base", "specialise"} | some(
    {"not-on-your-life", "tea-gpt", "tiny-llama", "microgpt", "warmup"}, set()
)
NAMES = [name for name in bundled_scenarios() if name not in _LONG]
"""Not those with hundreds of tables, of which every parser has seen the like."""


def expected(value: wt.Value, decimals: int) -> Table:
    """The table of a value, from its labels and numbers alone."""
    shown = Shown(value, decimals)
    rows, columns = map(kept, value.shape)
    table = [["", *("…" if j is None else escape_label(value.columns[j]) for j in columns)]]
    for i in rows:
        cells = ["…" if i is None or j is None else cell_text(shown, i, j, ENGLISH) for j in columns]
        table.append(["…" if i is None else escape_label(value.rows[i]), *cells])
    return [[" ".join(text.split()) for text in row] for row in table]


def kept(count: int) -> list[int | None]:
    """The rows or columns of a table; None where others are left out."""
    return [*range(8), None, *range(count - 4, count)] if count > 24 else [*range(count)]


def assert_same_tables(tables: list[Table], trace: wt.Trace) -> None:
    """One table a value, each with the right cells; compared one by one, for pytest is slow to compare large things."""
    assert len(tables) == len(trace)
    for table, value in zip(tables, trace, strict=True):
        assert table == expected(value, trace.decimals), value.path


@pytest.mark.parametrize("name", all_in_a_thorough_run(NAMES))
@pytest.mark.parametrize("renderer", RENDERERS.values(), ids=RENDERERS)
def test_every_number_of_a_bundled_scenario_is_in_its_cell(renderer: Callable[[str], str], name: str) -> None:
    trace = bundled_trace(name)
    page = read(renderer(render(trace)))
    assert_same_tables(page.tables, trace)
    assert page.elements <= HARMLESS | LAYOUT
    assert_cells_are_the_numbers(page.tables, trace)


def assert_cells_are_the_numbers(tables: list[Table], trace: wt.Trace) -> None:
    """Without the program's own formatting: each cell, read as a number, is the value to half its last unit."""
    for value, (_, *rows) in zip(trace, tables, strict=True):
        if max(value.shape) > 24:  # rows are left out
            continue
        for numbers, (_, *cells) in zip(value.array.tolist(), rows, strict=True):
            for number, cell in zip(numbers, cells, strict=True):
                if re.fullmatch(r"−?\d+(\.\d+)?", cell):
                    digits = len(cell.partition(".")[2])
                    assert abs(float(cell.replace("−", "-")) - number) <= 0.5000001 * 10.0**-digits, value.path


@pytest.mark.parametrize("renderer", RENDERERS.values(), ids=RENDERERS)
def test_hostile_tokens_stay_text(renderer: Callable[[str], str]) -> None:
    for at in range(0, len(HOSTILE), 20):
        trace = hostile_trace(HOSTILE[at : at + 20])
        page = read(renderer(render(trace)))
        assert_same_tables(page.tables, trace)
        assert page.elements <= (HARMLESS | LAYOUT) - {"em"}
        assert page.headings[0] == "[bold]T[/] | <b>x</b> $x$ \\x1b[31m # `c`"


@pytest.mark.parametrize("token", HOSTILE, ids=ascii)
def test_each_hostile_token_alone(token: str) -> None:
    """Beside another one, so that no neighbour can mend what it breaks."""
    scenario = {"title": "t", "tokens": [token, "plain"], "embeddings": [[1.5], [2.5]]}
    trace = wt.trace(wt.parse_scenario(as_yaml(scenario)))
    page = read(RENDERERS["markdown-it"](render(trace)))
    assert_same_tables(page.tables, trace)


def test_no_control_character_gets_into_the_file() -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", render(hostile_trace()))


def test_the_whole_document(golden: Callable[[str, str], None]) -> None:
    golden("chai.md", render(bundled_trace("chai")))


def test_formulas_stand_alone_between_dollars() -> None:
    """The one way that all of GitHub, VS Code, Jupyter, MkDocs, MyST and pandoc read as display math."""
    text = render(bundled_trace("cooking-training"))
    formulas = re.findall(r"(?<=\n\n)\$\$\n(.+)\n\$\$(?=\n\n)", text)
    assert len(formulas) == text.count("$$") / 2 > 50
    assert not [formula for formula in formulas if re.search(r"[*<>|#&]|\\operatorname|\\[{},;!]|^[-+=]", formula)]


def test_a_section_reads_as_in_a_handout() -> None:
    text = render(bundled_trace("chai"), Options(steps=["scores"]))
    section = text[text.index("###### ") :]
    assert section.startswith(
        "###### 9. Scores\n\n`encoder.1.attention.head.1.scores` — (4×2)·(2×4) → 4×4; Q: 6, K: 8\n\n"
        "$$\nS = Q \\cdot K^{\\top}\n$$\n\nHow well each query (row) matches each key (column): their dot product.\n\n"
        "Why: A dot product is large where two vectors point the same way, and one matrix product gives those of all "
        "pairs at once. Longer keys score higher at the same angle, so a token can also learn to be attended to more "
        "often. Source: Vaswani et al. (2017), §3.2.1.\n\n"
        "|  | The | chai | is | hot |\n| :-- | --: | --: | --: | --: |\n| **The** | 2.000 |"
    )
    assert section.endswith("\n\nS\\[chai, is\\] = 1.0415×(−0.1161) + 1.5403×1.4093 = 2.050\n")


def test_why_there_is_a_kind_of_step_is_said_once() -> None:
    trace = bundled_trace("key-cache")
    said = re.findall("^Why: (.+) Source: .+$", render(trace), re.MULTILINE)
    reasons = dict.fromkeys(ENGLISH.why(value.kind) for value in trace if value.operation is not None)
    assert said == [escape_markdown(reason) for reason in reasons]


def test_unknown_and_hidden_numbers() -> None:
    tables = read(RENDERERS["markdown-it"](render(small_trace(), Options(steps=["masked_scores"])))).tables
    assert tables[-1:] == [[["", "a", "b"], ["a", "2", "?"], ["b", "−∞", "3"]]]


def test_a_large_table_says_what_it_hides() -> None:
    text = render(wide_trace(), Options(steps=["scores"]))
    assert "\n\n… 28 rows and 28 columns not shown.\n\n" in text
    assert [len(row) for row in read(RENDERERS["markdown-it"](text)).tables[0]] == [14] * 14


def test_numbers_need_no_escape() -> None:
    assert escape_markdown("−0.5×10^(−4)") == "−0.5×10&#94;(−4)"
    assert escape_markdown("chai, 3") == "chai, 3"
