"""One browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.pages import chromium


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Where no browser is asked for, what prepares the pages is not even read."""
    return "not (browser" in config.option.markexpr or None


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found
