"""The same surroundings for every test, and golden outputs: plain files, re-made by `pytest --update-golden`."""

from __future__ import annotations

import difflib
import gc
import os
import signal
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from tests import draws, examples

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does: threads that wait take time from other tests

ENGINES = {"browser", "office", "tex"}
"""Marks of the tests that need a program that pip does not install."""
GOLDEN = Path(__file__).parent / "golden"
_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLORTERM", "GITHUB_ACTIONS", "LINES")

REPEATABLE = {"derandomize": True, "database": None, "deadline": None}
settings.register_profile("few", max_examples=10, **REPEATABLE)
settings.register_profile("thorough", max_examples=100, **REPEATABLE)
settings.register_profile("random", deadline=None)  # other examples in every run; what fails is kept
settings.load_profile("few")  # `--hypothesis-profile NAME` takes another


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the files of tests/golden anew")


def pytest_configure(config: pytest.Config) -> None:
    """The same signals in every run; while tests are collected nothing is garbage."""
    gc.disable()
    examples.thorough = config.getoption("--hypothesis-profile") == "thorough"
    _heed_signals()


def pytest_collection_finish() -> None:
    """Ten thousand collected tests stay; looking through them for garbage, again and again, is a tenth of the time."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI is set, a browser, TeX or an Office that is missing is a failure: nobody reads what is skipped."""
    report = yield
    if report.skipped and "CI" in os.environ and ENGINES & {mark.name for mark in item.iter_markers()}:
        report.outcome = "failed"
    return report


def _heed_signals() -> None:
    """A run in the background, or by nohup, ignores these signals, and would hand that on to the programs it starts."""
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _surroundings() -> Iterator[None]:
    """A terminal of 80 columns that knows no colour, wherever the tests run."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _TERMINAL:
            patch.delenv(name, raising=False)
        patch.setenv("COLUMNS", "80")
        patch.setenv("TERM", "dumb")
        yield


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    draws.begin_again()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: the text is, whole, what tests/golden/NAME holds."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8", newline="")
        assert path.exists(), f"{path} is not there yet: pytest --update-golden"
        kept = path.read_bytes().decode()
        if text != kept:
            changes = difflib.unified_diff(kept.splitlines(), text.splitlines(), name, "now", n=1, lineterm="")
            pytest.fail("\n".join([*islice(changes, 60), "pytest --update-golden, if that is meant"]), pytrace=False)

    return check
