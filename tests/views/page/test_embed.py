"""Steps of the page to embed in another."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.program import invoke
from tests.views.samples import bundled_trace
from walkthrough.views import formats
from walkthrough.views.options import Options


def test_steps_to_embed_have_nothing_around_them() -> None:
    text = formats.to_bytes(bundled_trace("chai"), Options(steps=["scores"]), "embed").decode()
    body = text[text.index("<body") : text.index("<script")]
    assert not re.search(r"<h1|<nav|<header|-bar", body)
    assert body.count("<section") == 3


def test_without_a_step_nothing_is_embedded_and_no_file_is_written(tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    done = invoke("export", "chai", "--format", "embed", "-o", str(file))
    assert done.exit_code == 2 or done.exception is not None
    assert "--step" in (done.output + str(done.exception))
    assert not file.exists()
