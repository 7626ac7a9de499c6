"""Pictures in LaTeX, which TeX draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import slow
from tests.views.latex.test_document import CHARACTERS, compiled
from tests.views.samples import bundled_trace, hostile_trace
from walkthrough.views import formats
from walkthrough.views.latex.tikz import tikz
from walkthrough.views.options import Options
from walkthrough.views.pictures.draw import draw

HOSTILE = [*CHARACTERS, "</script>", "[x]", r"\pause", "%", "a" * 70]


def test_a_document_loads_tikz_only_for_its_pictures() -> None:
    trace = bundled_trace("cooking-training")
    plain = formats.to_bytes(trace, Options(), "latex").decode()
    drawn = formats.to_bytes(trace, Options(pictures="x"), "latex").decode()
    assert "tikz" not in plain
    assert ", tikz}" in drawn
    assert drawn.count(r"\begin{tikzpicture}") == 4  # the model, the loss, the weights before and after


def test_tikz_has_the_numbers_of_the_svg_and_no_text_of_the_scenario_is_a_command() -> None:
    text = tikz(draw(hostile_trace(HOSTILE[-10:]), Options(["weights"])), (400, 400))
    assert r"{\textbackslash{}pause}" in text
    assert r"\pause" not in text
    assert text.count(r"\node[") == text.count(r"\selectfont")


@pytest.mark.tex
@pytest.mark.parametrize("engine", ["pdflatex", slow("lualatex")])
@pytest.mark.parametrize("name", [slow("cooking-multihead"), "hostile", slow("not-on-your-life")])
def test_pictures_compile(name: str, engine: str, tmp_path: Path) -> None:
    trace = hostile_trace(HOSTILE[:20]) if name == "hostile" else bundled_trace(name)
    steps = ["cross_attention"] if name == "not-on-your-life" else ()
    compiled(tmp_path, engine, formats.to_bytes(trace, Options(steps, pictures="x", operands=False), "latex").decode())
