"""The same surroundings for every test, and golden outputs: plain files, re-made by `pytest --update-golden`."""

from __future__ import annotations

import contextlib
import difflib
import signal
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests import examples

GOLDEN = Path(__file__).parent / "golden"
_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLORTERM", "GITHUB_ACTIONS", "LINES")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the files of tests/golden anew")
    parser.addoption("--office", action="store_true", help="recalculate many workbooks, in LibreOffice too")
    parser.addoption("--tex", action="store_true", help="also compile what is written as LaTeX: minutes")
    parser.addoption("--programs", action="store_true", help="also run the code of many drawn scenarios: minutes")
    parser.addoption("--random", action="store_true", help="draw other examples in every run, and keep what fails")
    parser.addoption("--thorough", action="store_true", help="all the drawn examples, not the first of them: a minute")
    parser.addoption(
        "--class", action="store_true", help="also hundreds of simulated students, and LibreOffice: minutes"
    )
    parser.addoption("--browsers", action="store_true", help="also what is tested in real browsers: minutes")


def pytest_configure(config: pytest.Config) -> None:
    """The same signals and examples in every run; --random asks for other examples."""
    examples.thorough = bool(config.getoption("--thorough"))
    _heed_signals()
    with contextlib.suppress(ImportError):
        from hypothesis import settings

        few = examples.some(40, 100)
        settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, max_examples=few)
        if not config.getoption("--random"):
            settings.load_profile("repeatable")


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
