"""What every page around a sheet is: one file, with its style in it, and no request to anywhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

from walkthrough.teaching.write.page.tables import html_text
from walkthrough.views.page.assets import policy

_FRAME = Path(__file__).with_name("frame.html")


def frame(title: str, language: str, style: Path, body: str, script: str = "") -> str:
    """A whole page. style: the file of its style sheet; script: the text of the one script in its body, if any"""
    texts = {"language": language, "policy": policy(script), "title": html_text(title), "style": _read(style)}
    return Template(_read(_FRAME)).substitute(texts, body=body)


@cache
def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
