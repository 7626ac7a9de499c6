"""One browser of each kind for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.firefox import Marionette, started
from tests.browser.pages import chromium, opened, written
from tests.views.samples import bundled_trace


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Where no browser is asked for, what prepares the pages is not even read."""
    return "not (browser" in config.option.markexpr or None


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def firefox() -> Iterator[Marionette]:
    with started() as found:
        yield found


@pytest.fixture(scope="session")
def chai(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("chai"), bundled_trace("chai"))


@pytest.fixture
def page(browser: Any, chai: str) -> Iterator[Any]:
    with opened(browser, chai) as found:
        yield found
