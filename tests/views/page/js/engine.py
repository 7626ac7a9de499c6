"""Runs the engine of the page in Node, without a browser."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.explaining.worked import line_in, work_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.page import assets
from walkthrough.views.page.data import page_json
from walkthrough.views.report.document import MOST_TERMS
from walkthrough.views.selection import selection_of

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node")
HERE = Path(__file__).parent
ENGINE = (Path(assets.__file__).parent / "js/engine/engine.js").as_uri()


@cache
def _running(script: str) -> subprocess.Popen[str]:
    """One process of each script: to start one for each request takes longer than most of them do."""
    started = subprocess.Popen([str(NODE), HERE / script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(started.kill)
    return started


def asked(script: str, **request: Any) -> Any:
    """What a script of this folder answers."""
    process = _running(script)
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(request), file=process.stdin, flush=True)
    return json.loads(process.stdout.readline())


def called(trace: Trace, *calls: list[Any], decimals: int | None = None, steps: tuple[str, ...] = ()) -> list[Any]:
    """What the engine gives to calls of its functions, one after the other."""
    data = page_json(trace, selection_of(trace, steps), decimals)
    found: list[Any] = asked("engine.mjs", engine=ENGINE, data=data, calls=calls)
    return found


def numbers(listed: list[Any], value: Value) -> Any:
    """Numbers as the engine says them, in the shape of a value."""
    return np.array([float(one) for one in listed]).reshape(value.shape)


def assert_same(found: list[list[Any]], trace: Trace) -> None:
    """All numbers as the trace has them, to the last bit."""
    for listed, value in zip(found, trace, strict=True):
        np.testing.assert_array_equal(numbers(listed, value), value.array, err_msg=value.path)


def assert_near(found: list[list[Any]], trace: Trace) -> None:
    """All numbers within 1e-12 of the trace."""
    for listed, value in zip(found, trace, strict=True):
        np.testing.assert_allclose(numbers(listed, value), value.array, rtol=1e-12, atol=1e-12, err_msg=value.path)


def cells_of(value: Value) -> list[tuple[int, int]]:
    return [(row, column) for row in range(value.shape[0]) for column in range(value.shape[1])]


def lines_of(value: Value, trace: Trace, decimals: int | None = None) -> list[str]:
    """The worked lines of a value, as `run --work all` prints them before wrapping."""
    shown = decimals_of(value, trace, decimals)
    words = catalogue(trace.language)
    return [str(line_in(work_out(value, *cell, shown, MOST_TERMS), words)) for cell in cells_of(value)]


def texts_of(value: Value, trace: Trace, decimals: int | None = None) -> list[str]:
    """The numbers of a value as a page shows them."""
    shown, words = Shown(value, decimals_of(value, trace, decimals)), catalogue(trace.language)

    def text(row: int, column: int) -> str:
        found = shown.text(row, column)
        is_word = value.is_word(column)
        return escape_label(found) if is_word else words.number(found.replace("-", "−").replace("inf", "∞"))

    return [text(*cell) for cell in cells_of(value)]
