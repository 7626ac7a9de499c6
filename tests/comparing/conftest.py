"""What tests of comparisons share."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cause is searched, which takes long, where a test asks for none."""
    monkeypatch.setattr("walkthrough.comparing.cause.SEARCHED", -1.0)
