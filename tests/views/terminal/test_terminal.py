"""The terminal report: whole outputs, widths, colour that carries nothing alone, and hostile text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

import walkthrough as wt
from tests.examples import all_in_a_thorough_run
from tests.views.samples import HOSTILE, bundled_trace, hostile_trace, small_trace, wide_trace
from walkthrough.recording.selectors import SelectorError
from walkthrough.views.options import Options
from walkthrough.views.report.steps import report as steps_report
from walkthrough.views.terminal.terminal import _shade, show
from walkthrough.views.terminal.terminal import text as terminal_text
from walkthrough.views.text.colours import luminance


def shown(trace: wt.Trace, options: Options | None = None, width: int = 80, encoding: str = "utf-8") -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    show(trace, options or Options(), Console(file=file, width=width, color_system=None))
    file.flush()
    return file.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [60, 80])
def test_chai(golden: Callable[[str, str], None], width: int) -> None:
    golden(f"run-chai-{width}.txt", shown(bundled_trace("chai"), width=width))


def test_cooking_by_hand(golden: Callable[[str, str], None]) -> None:
    golden("run-cooking-by-hand.txt", shown(bundled_trace("cooking", by_hand=True)))


def test_what_is_only_looked_up_or_hidden_is_worked_once_a_step() -> None:
    lines = shown(bundled_trace("masked-scores"), Options(work="all")).splitlines()
    assert sum(line.endswith("= −∞") for line in lines) == 2  # masked, and scaled
    lines = shown(bundled_trace("one-head"), Options(work="all")).splitlines()
    assert [line.strip() for line in lines if " = W_E[" in line] == ["E[the, 1] = W_E[the, 1] = 1"]
    assert sum("] = e^" in line for line in lines) == 16


def test_colours(golden: Callable[[str, str], None]) -> None:
    file = io.StringIO()
    console = Console(file=file, width=80, color_system="truecolor", force_terminal=True, legacy_windows=False)
    show(bundled_trace("chai"), Options(steps=["weights"]), console)
    coloured = file.getvalue()
    golden("run-chai-weights-colour.txt", coloured)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == shown(bundled_trace("chai"), Options(steps=["weights"]))


@pytest.mark.parametrize("share", [at / 50 for at in range(51)])
def test_every_shade_can_be_read(share: float) -> None:
    """Black or white on the shade: a contrast of 4.5 to 1 at least, as WCAG asks."""
    style = _shade(share)
    assert style is not None
    assert style.bgcolor is not None
    assert style.color is not None
    backdrop, text = (luminance(*color.get_truecolor()) for color in (style.bgcolor, style.color))
    assert (max(backdrop, text) + 0.05) / (min(backdrop, text) + 0.05) >= 4.5


def test_what_is_no_share_has_no_shade() -> None:
    assert [_shade(share) for share in (-0.1, 1.1, float("nan"))] == [None] * 3


@pytest.mark.parametrize("name", all_in_a_thorough_run(["chai", "fuchs", "help-me", "tea-gpt", "show-me-the-money"]))
@pytest.mark.parametrize("width", [40, 60, 120])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = shown(bundled_trace(name), width=width).splitlines()
    wide = [line for line in lines if cell_len(line) > width]
    assert not [line for line in wide if not re.match(r" \d+\. \S+$", line)], wide  # a path is not broken


@pytest.mark.parametrize("width", [1, 2, 7, 13])
def test_absurd_widths_lose_no_number(width: int) -> None:
    options = Options(steps=["scores"], work="none")
    text = shown(bundled_trace("chai"), options, width).replace("−", "-")
    numbers = re.findall(r"-?\d+\.\d{3}\b", text)
    scores = bundled_trace("chai")["encoder.1.attention.head.1.scores"].array
    assert sorted(map(float, numbers)) == pytest.approx(sorted(scores.ravel()), abs=0.0005001)


def test_every_cell_worked_out() -> None:
    text = shown(bundled_trace("chai"), Options(steps=["weights"], work="all"))
    assert text.count("A[") == 16
    assert shown(bundled_trace("chai"), Options(steps=["weights"], work="none")).count("A[") == 0
    assert shown(bundled_trace("chai"), Options(steps=["weights"])).count("A[") == 1


def test_one_token() -> None:
    text = shown(bundled_trace("chai"), Options(steps=["weights"], tokens=["hot"]))
    assert text.endswith(
        "           The   chai     is    hot\n"
        "    hot  0.263  0.284  0.188  0.265\n\n"
        "    A[hot, is] = 0.6016 / 3.1928 = 0.188\n\n"
    )


def test_a_token_that_stands_twice_keeps_both_rows() -> None:
    tokens = ["the", "cat", "the"]
    text = shown(hostile_trace(tokens), Options(steps=["query"], tokens=["the"], work="none"))
    assert re.findall(r"^ +(\S+)  −?\d+\.", text, re.MULTILINE) == ["the@1", "the@3"]
    text = shown(hostile_trace(tokens), Options(steps=["query"], tokens=["the@3"], work="none"))
    assert re.findall(r"^ +(\S+)  −?\d+\.", text, re.MULTILINE) == ["the@3"]


def test_at_1_may_follow_a_label_that_stands_once() -> None:
    """As in a program's own list of tokens, where every label has a number."""
    once, plain = (
        shown(bundled_trace("chai"), Options(steps=["query"], tokens=[token], work="none"))
        for token in ("chai@1", "chai")
    )
    assert once == plain
    with pytest.raises(SelectorError, match="no token is called 'chai@2'"):
        shown(bundled_trace("chai"), Options(steps=["query"], tokens=["chai@2"]))


def test_a_token_of_another_pass_is_an_error_that_names_the_rows() -> None:
    with pytest.raises(SelectorError, match=r"has a row for 'cold': their rows are hot, tea, is$"):
        shown(bundled_trace("tea-gpt"), Options(steps=["generate.2.query"], tokens=["cold"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(steps=["scroes"]), "no step is called 'scroes'; did you mean 'scores'?"),
        (Options(tokens=["chay"]), "no token is called 'chay'; did you mean 'chai'?"),
        (Options(tokens=["xyzzy"]), "no token is called 'xyzzy'; known: The, chai, is, hot"),
        (
            Options(steps=["w_q"], tokens=["chai"]),
            "none of the selected steps has a row for 'chai': their rows are not tokens",
        ),
    ],
)
def test_what_names_nothing_is_an_error_before_anything_is_printed(options: Options, message: str) -> None:
    file = io.StringIO()
    with pytest.raises(SelectorError) as caught:
        show(bundled_trace("chai"), options, Console(file=file))
    assert str(caught.value) == message
    assert file.getvalue() == ""


def test_unknown_and_hidden_numbers() -> None:
    text = shown(small_trace(), Options(steps=["masked_scores"], work="none"))
    assert text.endswith("\n\n        a  b\n    a   2  ?\n    b  −∞  3\n\n")


def test_large_tables_say_what_they_hide() -> None:
    text = shown(wide_trace(), Options(steps=["scores"], work="none"))
    assert "    … 28 rows and 28 columns not shown; --full shows all\n" in text
    assert re.findall(r"columns \S+ to \S+", text) == ["columns word1 to word8", "columns word37 to word40"]
    text = shown(wide_trace(), Options(steps=["scores"], work="none", full=True))
    assert "not shown" not in text
    assert len(re.findall(r"−?\d+\.\d{3}\b", text)) == 1600


def test_hostile_tokens_move_no_cursor() -> None:
    text = shown(hostile_trace(), Options(full=True))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", text)
    for label in ("[bold]", "[/]", "\\x1b[31mred", "a\\nb", "\\u202eright", "' lead'", "''", "<start>", "a  b"):
        assert re.search(rf"^ +{re.escape(label)}  ", text, re.MULTILINE), label


def test_hostile_tables_stay_aligned() -> None:
    text = shown(hostile_trace(HOSTILE[:20]), Options(steps=["query"], work="none"), width=200)
    table = text.split("\n\n")[1].splitlines()
    assert len({cell_len(line) for line in table}) == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437"])
def test_encodings_that_lack_our_signs(encoding: str) -> None:
    """Nothing fails, tables stay aligned, and each sign has a substitute that can be read."""
    text = shown(hostile_trace(), Options(steps=["scaled_scores"], full=True), 200, encoding)
    assert "sqrt d_k" in text or "√d_k" in text
    assert "?" not in text
    tables = [part.splitlines() for part in text.split("\n\n")[3:-2]]
    assert all(len({len(line) for line in table[-30:]}) == 1 for table in tables)


def test_ascii(golden: Callable[[str, str], None]) -> None:
    options = Options(steps=["scores", "scaled_scores", "variance", "std"])
    golden("run-chai-ascii.txt", shown(bundled_trace("chai"), options, encoding="ascii"))


def test_steps(golden: Callable[[str, str], None]) -> None:
    trace = bundled_trace("chai")
    golden("steps-chai.txt", terminal_text([steps_report(trace, list(trace))]))
