"""What CI skips, nobody reads: there a browser, TeX or an Office that is missing is a failure."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.conftest import ENGINES, pytest_runtest_makereport


def outcome(mark: str) -> str:
    """What becomes of the report of a skipped test that has this mark."""
    item = SimpleNamespace(iter_markers=lambda: [SimpleNamespace(name=mark)])
    made = pytest_runtest_makereport(item)  # type: ignore[arg-type]
    next(made)
    with pytest.raises(StopIteration) as end:
        made.send(SimpleNamespace(skipped=True, outcome="skipped"))  # type: ignore[arg-type]
    found: str = end.value.value.outcome
    return found


@pytest.mark.parametrize(("ci", "wanted"), [(True, "failed"), (False, "skipped")])
def test_a_missing_engine_is_a_failure_where_ci_is_set(ci: bool, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if ci:
        monkeypatch.setenv("CI", "true")
    else:
        monkeypatch.delenv("CI", raising=False)
    assert {outcome(mark) for mark in ENGINES} == {wanted}
    assert outcome("torch") == "skipped"
