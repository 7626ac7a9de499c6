"""The other forms of the page: slides, and steps to embed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.views.samples import bundled_trace
from walkthrough.cli.app import application
from walkthrough.views import formats
from walkthrough.views.options import Options


def written(name: str, *steps: str) -> str:
    return formats.to_bytes(bundled_trace("chai"), Options(steps=steps), name).decode()


@pytest.mark.parametrize("steps", [(), ("head.1",), ("scores", "weights")])
def test_slides_are_a_title_and_one_for_each_chosen_step_in_order(steps: tuple[str, ...]) -> None:
    text = written("slides", *steps)
    trace = bundled_trace("chai")
    chosen = trace.select(*steps) if steps else list(trace)
    slides = re.findall(r'<header data-slide|<section id="([^"]+)"[^>]* data-slide', text)
    assert slides == ["", *(value.path for value in trace if value in chosen)]
    assert text.index('id="-map"') < text.index("<main>")


def test_what_a_slide_is_computed_from_is_no_slide_of_its_own() -> None:
    text = written("slides", "scores")
    assert re.findall(r'<section id="[^"]+\.(\w+)"', text) == ["query", "key", "scores"]
    assert text.count(" data-slide") == 2 + text[text.index("<style>") : text.index("</style>")].count(" data-slide")


def test_steps_to_embed_have_nothing_around_them() -> None:
    text = written("embed", "scores")
    body = text[text.index("<body") : text.index("<script")]
    assert not re.search(r"<h1|<nav|<header|-bar", body)
    assert body.count("<section") == 3


def test_without_a_step_nothing_is_embedded_and_no_file_is_written(tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    done = CliRunner().invoke(application(), ["export", "chai", "--to", "embed", "-o", str(file)])
    assert done.exit_code == 2 or done.exception is not None
    assert "--step" in (done.output + str(done.exception))
    assert not file.exists()
