"""Numbers follow an edit at once where they are seen; elsewhere when one goes there, or pauses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.pages import cell, until

pytestmark = pytest.mark.browser


def text_of(page: Any, path: str) -> str:
    return str(page.text_content(cell(path, 0, 0)))


def test_what_is_not_seen_is_painted_when_one_goes_there(page: Any) -> None:
    path = page.evaluate("walkthrough.paths.at(-1)")
    before = text_of(page, path)
    page.evaluate(
        "path => { walkthrough.set('embeddings', 0, 0, 5);"
        " requestAnimationFrame(() => requestAnimationFrame(() => {"
        " window.away = document.getElementById(path).querySelector('tbody td').textContent;"
        " document.getElementById(path).scrollIntoView(); })); }",
        path,
    )
    until(page, f"document.getElementById('{path}').querySelector('[data-was]') !== null")
    assert page.evaluate("window.away") == before
    now = page.evaluate("path => walkthrough.values(path)[0][0]", path)
    assert text_of(page, path) == f"{now:.3f}".replace("-", "−")
