"""The scripts and style sheets of a page, each joined into one text."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath

_FOLDER = Path(__file__).parent
MAIN = "main.js"
"""The module in the folder `js` that imports all others, and starts the page."""
FILM = "film/film.js"
PIXELS = "pixels/pixels.js"
EMBED = "face/embed.js"
ERF = "expressions/erf.js"
ROUND = "expressions/round.js"
IDLE = "cells/idle.js"
LEFTWARDS = "face/leftwards.js"
FORMATS = "engine/formats.js"
BROKEN = "bar/broken.js"
SLIDES, BANDS = "slides", "bands"
EXTRAS = (FILM, PIXELS, EMBED, ERF, ROUND, IDLE, FORMATS, BROKEN, LEFTWARDS)
"""Modules that only some pages need, and that nobody imports."""
STYLES = (
    *("base.css", "steps.css", "verdicts.css", "map.css", "bar.css", "cells.css", "panel.css"),
    *("pictures.css", "lecture.css", "print.css"),
)
"""Those in the folder `css`; what comes later wins."""
ON_PAPER = ("base.css", "steps.css", "print.css", "handout.css")
"""Those of a hand-out."""
STYLES_OF = {
    FILM: "film.css",
    PIXELS: "pixels.css",
    EMBED: "embed.css",
    SLIDES: "slides.css",
    BANDS: "bands.css",
    IDLE: "idle.css",
}
"""What only some pages need besides: those in the folder `css/extras`."""
_IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.MULTILINE)
_COMMENT = re.compile(
    r"^[ \t]*/\*.*?\*/[ \t]*\n|/\*\*.*?\*/ ?|^[ \t]*//[^\n]*\n|[ \t]+// [^\n]*", re.MULTILINE | re.DOTALL
)
"""Those for the checker of types among them: a page has no use for them, and they are a quarter of its script."""
_INDENT = re.compile(r"^\s+", re.MULTILINE)
"""Those of scripts and style sheets say nothing: no string of theirs goes on in the next line."""
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)


@cache
def script(main: str = MAIN, home: Path | None = None, extras: tuple[str, ...] = ()) -> str:
    """All modules of a page as one: each after those that it imports, without `import`, `export` and types.

    So all of them share one scope, and what they declare has names of its own. Raises CycleError for a circle.
    main: the first one; home: a folder with modules that other pages do not have; extras: those of EXTRAS that
    the page needs; they add themselves to the PARTS of the face, or to the FUNCTIONS of expressions
    """

    def text(name: str) -> str:
        return (home / name).read_text(encoding="utf-8") if home and (home / name).exists() else _text("js", name)

    imports: dict[str, list[str]] = {}
    waiting = [main]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            imports[name] = [_resolve(name, imported) for imported in _IMPORT.findall(text(name))]
            if name == main:
                imports[name] += extras
            waiting += imports[name]
    ordered = TopologicalSorter(imports).static_order()
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _plain(text(name)))) for name in ordered)


def _resolve(importing: str, imported: str) -> str:
    """`../writing/text.js`, imported by `face/page.js` → `writing/text.js`."""
    parts: list[str] = []
    for part in (PurePosixPath(importing).parent / imported).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


@cache
def style(names: tuple[str, ...] = STYLES, extras: tuple[str, ...] = ()) -> str:
    """The style sheets, one after the other. extras: those of STYLES_OF that the page needs."""
    return "".join(
        _plain(_text("css", name))
        for name in (*names, *(f"extras/{STYLES_OF[one]}" for one in extras if one in STYLES_OF))
    )


@cache
def policy(script: str = "") -> str:
    """The Content-Security-Policy of a page with that script, or without any: nothing comes from elsewhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"script-src 'sha256-{digest}'; " if script else ""
    return f"default-src 'none'; {allowed}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _plain(text: str) -> str:
    """A script or style sheet as a page has it: without comments, types, indentation and empty lines."""
    return _INDENT.sub("", _COMMENT.sub("", text))


def _text(folder: str, name: str) -> str:
    return (_FOLDER / folder / name).read_text(encoding="utf-8")
