"""One browser of each kind for all tests of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser.firefox import Marionette, started
from tests.browser.pages import chromium, opened, written
from tests.views.samples import bundled_trace
from walkthrough.recording import Trace
from walkthrough.views.options import Options


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
def addressed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The address of the page of a bundled scenario, which is written once."""
    return cache(lambda name: written(tmp_path_factory.mktemp("page"), bundled_trace(name)))


@pytest.fixture
def show(browser: Any, addressed: Callable[[str], str], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`show(what, at="#…", …)` opens the page of a scenario, of a trace or at an address, until the test ends."""
    with ExitStack() as shown:

        def show(what: str | Trace, at: str = "", options: Options | None = None, **window: Any) -> Any:
            if isinstance(what, Trace) or options is not None:
                address = written(tmp_path, what if isinstance(what, Trace) else bundled_trace(what), options)
            else:
                address = what if what.startswith("file:") else addressed(what)
            return shown.enter_context(opened(browser, address + at, **window))

        yield show


@pytest.fixture(scope="session")
def chai(addressed: Callable[[str], str]) -> str:
    return addressed("chai")


@pytest.fixture
def page(show: Callable[..., Any]) -> Any:
    return show("chai")
