"""Every report in every format: described once, written alike, and what a scenario says is data in all of them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import walkthrough as wt
from tests.views.page.html_tables import RENDERERS, read
from tests.views.samples import as_yaml
from walkthrough.comparing.compare import compare
from walkthrough.comparing.matching.match import match
from walkthrough.judging.check import check
from walkthrough.sizes.components import sizes
from walkthrough.views import formats
from walkthrough.views.options import Options
from walkthrough.views.report import comparison as against
from walkthrough.views.report import document, explanation, steps
from walkthrough.views.report import published as errata
from walkthrough.views.report import sizes as sizes_view
from walkthrough.views.report.blocks import Block, Code, Heading, Items, Note, Paragraph, Report, Table, Tree
from walkthrough.views.terminal import terminal

BAD = "\x1b]8;;http://x\x07T\u202e\x9b31m \u2066<script>*b* \u2028\x7f"
WORDS = [BAD, "a", "<img src=x>", " lead"]


def hostile() -> wt.Scenario:
    head = {name: [[1, 0.5], [0, 1]] for name in ("w_q", "w_k", "w_v")}
    return wt.parse_scenario(
        as_yaml(
            {
                "title": BAD,
                "description": BAD,
                "source": BAD,
                "tokens": WORDS,
                "vocabulary": WORDS,
                "embeddings": [[0, 1], [1, 2], [2, 1], [0.5, 0]],
                "attention": {"heads": [head]},
                "output_head": {"tied": True},
                "published": {"scores": {BAD: [9, 9, 9, 9.5]}, "prediction": {BAD: "a", "a": BAD}},
            }
        )
    )


@cache
def reports() -> dict[str, Report]:
    scenario = hostile()
    trace = wt.trace(scenario)
    tensors = {f"theirs{BAD}": np.ones((4, 2)), "mine": trace.only("scores").array + 1}
    matched = match(tensors, {"mine": "scores", f"gone{BAD}": "weights"}, trace)
    return {
        "trace": document.report(trace, Options()),
        "errata": errata.report(check(scenario, trace, BAD), every=True),
        "against": against.report(compare(trace, *matched, name=BAD)),
        "sizes": sizes_view.report(sizes(scenario)),
        "explanation": explanation.report(trace.explain(f"scores[{BAD}, a]"), "1"),
        "steps": steps.report(trace, list(trace)),
    }


NAMES = ("trace", "errata", "against", "sizes", "explanation", "steps")
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("name", NAMES)
def test_no_report_moves_a_cursor_or_turns_a_line_around(name: str) -> None:
    report = reports()[name]
    for text in (terminal.text([report]), *(formats.FORMATS[one].view.text([report]) for one in ("markdown", "json"))):
        assert not CONTROLS.search(text)
    assert not CONTROLS.search(formats.to_bytes(wt.trace(hostile()), Options(), "json").decode())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("renderer", RENDERERS.values(), ids=RENDERERS)
def test_no_report_has_html_of_a_scenario(renderer: Callable[[str], str], name: str) -> None:
    elements = read(renderer(formats.FORMATS["markdown"].view.text([reports()[name]]))).elements
    assert not elements & {"script", "img"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("trace", "steps")])
def test_json_says_what_the_scenario_says(name: str) -> None:
    text = formats.FORMATS["json"].view.text([reports()[name]])
    assert json.dumps(BAD)[1:-1] in text or name == "sizes"
    assert json.loads(text)
    assert json.loads(formats.FORMATS["json"].view.text([reports()[name]] * 2)) == [json.loads(text)] * 2


def test_a_print_that_is_repeated_is_counted_each_time_and_listed_once_and_this_is_said() -> None:
    scenario = wt.load_scenario("cooking")
    judged = check(scenario, wt.trace(scenario), "cooking")
    said = "A number that is printed several times counts each time and is listed once."
    for every, is_said in ((False, True), (True, False)):
        blocks = list(errata.report(judged, every).blocks())
        listed, summary = (block for block in blocks if isinstance(block, Table))
        counted = sum(int(row[1]) for row in summary.rows if every or row[0] != "exact")
        assert (len(listed.rows) < counted, Paragraph(said) in blocks) == (is_said, is_said)


def test_json_keeps_letters() -> None:
    text = formats.FORMATS["json"].view.text(
        [Report("", list, lambda: {"a": "é 日本語 ×·ᵀ 👩‍👧 \xa0\u061c\x85\U000e0041"})]
    )
    assert text == '{\n "a": "é 日本語 ×·ᵀ 👩‍👧 \xa0\\u061c\\u0085\\udb40\\udc41"\n}\n'


EVERY: list[Block] = [
    Paragraph("Prose of the report.", lead="A lead"),
    Items(("one", "two"), "Label", "subject"),
    Items(("by itself",)),
    Table(("a", "b"), ((Code("x.y"), "1"), (Code("z_z"), "22"), ("across",)), right=(1,)),
    Tree("root", (Tree("left", (Tree("leaf"),)), Tree("right"))),
    Heading("Step", "path.of_it", 3),
    Paragraph("Purpose.", lead="Step"),
    Note("Careful.", warning=True),
]


def test_each_block_in_a_terminal() -> None:
    assert terminal.text([Report("Title", lambda: EVERY, brief="Brief")], width=40) == (
        "Brief\n\n"
        "A lead. Prose of the report.\n\n"
        "Label: subject\n    one\n    two\n\n"
        "by itself\n\n"
        "a     b\nx.y   1\nz_z  22\nacross\n\n"
        "root\n├─ left\n│  └─ leaf\n└─ right\n\n"
        " 3. path.of_it ─────────────────────────\n"
        "    Step. Purpose.\n"
        "    Careful.\n"
    )


def test_each_block_in_markdown() -> None:
    assert formats.FORMATS["markdown"].view.text([Report("Title", lambda: EVERY, brief="Brief")]) == (
        "# Title\n\n"
        "Prose of the report.\n\n"
        "**Label:** subject\n\n- one\n- two\n\n"
        "- by itself\n\n"
        "| a | b |\n| :-- | --: |\n| `x.y` | 1 |\n| `z_z` | 22 |\n| across |\n\n"
        "- root\n  - left\n    - leaf\n  - right\n\n"
        "## 3. Step\n\nPurpose.\n\nCareful.\n"
    )


TABLE = Table(("number", "printed", "meaning"), (("path.a[x, y]", "1", "some words that go on"),), right=(1,))


@pytest.mark.parametrize(
    ("table", "width", "lines"),
    [
        (TABLE, 60, ["number        printed  meaning", "path.a[x, y]        1  some words that go on"]),
        (TABLE, 43, ["number        printed  meaning", "path.a[x, y]        1  some words that go", " " * 23 + "on"]),
        (TABLE, 40, ["path.a[x, y]  printed: 1", " " * 14 + "meaning: some words that", " " * 16 + "go on"]),
        (
            TABLE._replace(groups=("path.a",)),
            40,
            ["number    printed  meaning", "path.a", "  [x, y]        1  some words that go on"],
        ),
    ],
)
def test_a_narrow_table_loses_nothing(table: Table, width: int, lines: list[str]) -> None:
    assert terminal.text([Report("", lambda: [table], brief="")], width).splitlines() == lines


def test_a_list_to_be_searched_is_whole_in_a_pipe_and_fits_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    rows = ("9", "head.1.scores", "4×4", "Scores"), ("10", "head.1.softmax.sum", "4×1", "Row sum")
    table = Table(("", "step", "shape", "title"), rows, right=(0, 2), headless=True, whole=True)

    def lines(**console: Any) -> list[str]:
        file = io.StringIO()
        terminal.show_reports([Report("", lambda: [table], brief="")], Console(file=file, width=30, **console))
        return file.getvalue().splitlines()

    assert lines() == [" 9  head.1.scores       4×4  Scores", "10  head.1.softmax.sum  4×1  Row sum"]
    assert lines(force_terminal=True, color_system=None) == [
        "9   head.1.scores  4×4  Scores",
        "10  head.1.softmax.sum  4×1",
        "    Row sum",
    ]


def test_a_terminal_without_our_letters_draws_trees_too() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    terminal.show_reports([Report("", lambda: [EVERY[4]], brief="")], Console(file=file, width=40))
    file.flush()
    assert file.buffer.getvalue() == b"root\n|- left\n|  `- leaf\n`- right\n"  # type: ignore[attr-defined]
