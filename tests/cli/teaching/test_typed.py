"""What is typed after a question."""

from __future__ import annotations

import io
import sys

import pytest

from walkthrough.cli.teaching.typed import read_typed


def test_what_is_piped_in_is_shown_and_moves_no_cursor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("0,5 \u202e\x1b[2J\n"))
    assert read_typed() == "0,5 \u202e\x1b[2J\n"
    assert read_typed() is None
    assert capsys.readouterr().out == "> 0,5 \\u202e\\x1b[2J\n> \n"
