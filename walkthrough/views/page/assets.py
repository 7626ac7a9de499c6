"""The scripts and style sheets of a page, each joined into one text."""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from functools import cache
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path

_FOLDER = Path(__file__).parent
MAIN = "main.js"
"""The module in the folder `js` that imports all others, and starts the page."""
STYLES = (
    *("base.css", "steps.css", "verdicts.css", "map.css", "bar.css", "cells.css", "panel.css"),
    *("pictures.css", "lecture.css", "film.css", "pixels.css", "embed.css", "print.css"),
)
"""Those in the folder `css`; what comes later wins."""
ON_PAPER = ("base.css", "steps.css", "print.css", "handout.css")
"""Those of a hand-out."""
_IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)


@cache
def script(main: str = MAIN, home: Path | None = None) -> str:
    """All modules of a page as one: each after those that it imports, without `import` and `export`.

    So all of them share one scope, and what they declare has names of its own. Raises CycleError for a circle.
    main: the first one; home: a folder with modules that other pages do not have
    """

    def text(name: str) -> str:
        return (home / name).read_text(encoding="utf-8") if home and (home / name).exists() else _text("js", name)

    imports: dict[str, list[str]] = {}
    waiting = [main]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            found = (posixpath.join(posixpath.dirname(name), imported) for imported in _IMPORT.findall(text(name)))
            imports[name] = list(map(posixpath.normpath, found))  # ../writing/text.js is writing/text.js
            waiting += imports[name]
    ordered = TopologicalSorter(imports).static_order()
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text(name))) for name in ordered)


@cache
def style(names: tuple[str, ...] = STYLES) -> str:
    """The style sheets, one after the other."""
    return "".join(_text("css", name) for name in names)


@cache
def policy(script: str = "") -> str:
    """The Content-Security-Policy of a page with that script, or without any: nothing comes from elsewhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'; " if script else ""
    return f"default-src 'none'; {allowed}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def head(language: str, title: str, style: str, script: str = "") -> str:
    """A page up to its body. style: beyond the sheets of its form; script: the text of its one script, if any"""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
    )


def _text(folder: str, name: str) -> str:
    return (_FOLDER / folder / name).read_text(encoding="utf-8")
