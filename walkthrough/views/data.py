"""Numbers and texts for programs: JSON that holds no character which could do harm where it is shown."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_text

Number = float | str | None
_BEYOND_ASCII = re.compile("[^\n -~]")


def safe_json(data: Any, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """JSON with its letters as they are; what moves a cursor or turns a line around is written as `\\uXXXX`."""
    return _BEYOND_ASCII.sub(_harmless, json.dumps(data, indent=indent, separators=separators, ensure_ascii=False))


def _harmless(match: re.Match[str]) -> str:
    character = match[0]
    return character if escape_text(character) == character else json.dumps(character)[1:-1]


VERSIONS = {"trace": 2, "mark": 3}
"""Of the formats that have lost a key, or changed what one means."""


def document(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """A document for programs, which says first what it is."""
    return {"format": f"walkthrough-{name}", "version": VERSIONS.get(name, 1), **content}


def about_trace(trace: Trace) -> dict[str, Any]:
    """What a trace for programs says first: what it is, its title, and how its numbers were calculated."""
    return document("trace", {"title": trace.title, "arithmetic": trace.arithmetic})


def number(value: float, unknown: bool) -> Number:
    """A number in full precision; `inf`, `-inf`; a nan is null where it is an unknown number."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return None if unknown else "nan"
    return "inf" if value > 0 else "-inf"


def cell(value: Value, row: int, column: int) -> dict[str, str]:
    """The keys by which a cell is found."""
    return {"path": value.path, "row": value.rows[row], "column": value.columns[column]}
