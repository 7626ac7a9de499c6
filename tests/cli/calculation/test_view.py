"""`walkthrough view`: the page in a temporary place, and in the browser."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.cli.program import invoke
from walkthrough.views import selection


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_without_opening_it_says_where_the_page_is() -> None:
    result = invoke("view", "chai", "--no-open", "--set", "embeddings[The, 1]=2")
    page = Path(result.stdout.strip())
    assert page.name == "chai.html"
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert 'data-run="walkthrough run chai --set &#x27;embeddings[The, 1]=2&#x27;"' in text


def test_the_command_on_a_page_says_what_if() -> None:
    result = invoke("view", "chai", "--no-open", "--step", "head.1.output", "--set", "scores=0")
    text = Path(result.stdout.strip()).read_text(encoding="utf-8")
    assert 'data-run="walkthrough run chai --step head.1.output --set scores=0"' in text


def test_the_page_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    result = invoke("view", "help-me", "--step", "scores")
    assert opened == [Path(result.stdout.strip()).as_uri()]
    assert result.stderr == ""


def test_where_there_is_no_browser_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    result = invoke("view", "help-me")
    assert result.exit_code == 0
    assert result.stderr.startswith("no browser could be started; open file:///")


def test_a_page_of_its_own_for_each_call_and_none_for_a_step_that_is_not_there(tmp_path: Path) -> None:
    assert invoke("view", "help-me", "--no-open").stdout != invoke("view", "help-me", "--no-open").stdout
    before = list(tmp_path.rglob("*"))
    result = invoke("view", "help-me", "--no-open", "--step", "scroes")
    assert "did you mean 'scores'" in str(result.exception)
    assert list(tmp_path.rglob("*")) == before


def test_a_page_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(selection, "MOST_NUMBERS", 10)
    result = invoke("view", "help-me", "--no-open")
    assert "choose steps with --step" in str(result.exception)
    assert not list(tmp_path.rglob("*.html"))
