"""One browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.pages import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found
