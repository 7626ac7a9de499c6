"""Slides in LaTeX: a frame a step, rows that come one by one; and pictures that TeX draws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.views.latex.test_document import CHARACTERS, compiled, missing, numbers_of_tables
from tests.views.samples import bundled_trace, hostile_trace, wide_trace
from walkthrough.views import formats
from walkthrough.views.latex.tikz import tikz
from walkthrough.views.options import Options
from walkthrough.views.pictures.draw import draw

HOSTILE = [*CHARACTERS, "</script>", "[x]", r"\pause", "%", "a" * 70]
RERUN = re.compile(r"Package rerunfilecheck Warning.*")


def slides(trace: object, options: Options = Options()) -> str:  # noqa: B008
    return formats.to_bytes(trace, options, "beamer").decode()  # type: ignore[arg-type]


def test_each_chosen_step_is_a_frame_in_order_after_the_title() -> None:
    trace = bundled_trace("chai")
    frames = slides(trace, Options(["head.1"])).split(r"\begin{frame}")[1:]
    numbers = [int(re.findall(r"\\frametitle\{(\d+)\. ", frame)[0]) for frame in frames[1:]]
    wanted = {value.path for value in trace.select("head.1")}
    assert numbers == [at for at, value in enumerate(trace, 1) if value.path in wanted]


def test_rows_of_computed_steps_come_one_by_one_and_given_ones_at_once() -> None:
    frames = slides(bundled_trace("chai"), Options(["w_q", "query"])).split(r"\begin{frame}")
    assert [frame.count(r"\pause ") for frame in frames[2:]] == [0, 4]
    assert r"\displaystyle Q = X \cdot W_{Q}" in frames[3]


def test_what_there_is_to_say_of_a_step_is_a_note_after_its_frame() -> None:
    trace = bundled_trace("one-head")
    after = slides(trace, Options(["w_q", "scaled_scores"])).split("\\end{frame}")[2:]
    notes = [re.findall(r"^\\note\{(.+)\}$", text, re.MULTILINE)[0] for text in after]
    assert notes[0] == trace["attention.head.1.w_q"].kind.purpose
    assert notes[1].startswith(trace["attention.head.1.scaled_scores"].kind.purpose + " Why: ")
    assert notes[1].endswith("Source: Vaswani et al. (2017), §3.2.1.")


def test_slides_have_every_number_of_the_markdown() -> None:
    for trace in (bundled_trace("cooking-multihead"), wide_trace()):
        wanted = numbers_of_tables(formats.to_bytes(trace, Options(full=True), "markdown").decode())
        assert missing(wanted, slides(trace)) == {}


def test_a_document_loads_tikz_only_for_its_pictures() -> None:
    trace = bundled_trace("cooking-training")
    for name in ("latex", "beamer"):
        plain = formats.to_bytes(trace, Options(), name).decode()
        drawn = formats.to_bytes(trace, Options(pictures="x"), name).decode()
        assert "tikz" not in plain
        assert ", tikz}" in drawn
        assert drawn.count(r"\begin{tikzpicture}") == 4  # the model, the loss, the weights before and after


def test_tikz_has_the_numbers_of_the_svg_and_no_text_of_the_scenario_is_a_command() -> None:
    text = tikz(draw(hostile_trace(HOSTILE[-10:]), Options(["weights"])), (400, 400))
    assert r"{\textbackslash{}pause}" in text
    assert r"\pause" not in text
    assert text.count(r"\node[") == text.count(r"\selectfont")


@pytest.mark.tex
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
@pytest.mark.parametrize("name", ["cooking-multihead", "hostile", "not-on-your-life"])
def test_slides_and_pictures_compile(name: str, engine: str, tmp_path: Path) -> None:
    trace = hostile_trace(HOSTILE[:20]) if name == "hostile" else bundled_trace(name)
    steps = ["cross_attention"] if name == "not-on-your-life" else ()
    options = Options(steps, pictures="x", operands=False)
    wanted = numbers_of_tables(formats.to_bytes(trace, options, "markdown").decode())
    assert missing(wanted, compiled(tmp_path, engine, slides(trace, options), RERUN)) == {}
    compiled(tmp_path, engine, formats.to_bytes(trace, options, "latex").decode())
