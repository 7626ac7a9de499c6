"""What takes long of the engine's tests runs with the pages in browsers."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without `--browsers` tests marked `long` are skipped."""
    if not config.getoption("--browsers"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="takes minutes: --browsers"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: runs with --browsers only")
