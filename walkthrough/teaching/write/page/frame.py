"""What every page around a sheet is: one file, with its style in it, and no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from string import Template

from walkthrough.teaching.write.page.tables import html_text

_FRAME = Path(__file__).with_name("frame.html")


def frame(title: str, language: str, style: Path, body: str, script: str = "") -> str:
    """A whole page. style: the file of its style sheet; script: the text of the one script in its body, if any"""
    allowed = f"script-src {_digest(script)}; " if script else ""
    policy = f"default-src 'none'; {allowed}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    texts = {"language": language, "policy": policy, "title": html_text(title), "style": _read(style)}
    return Template(_read(_FRAME)).substitute(texts, body=body)


@cache
def _digest(script: str) -> str:
    """What a Content-Security-Policy calls a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache
def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
