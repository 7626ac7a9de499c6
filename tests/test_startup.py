"""What must be quick loads nothing heavy: `--help`, `--version` and `list` do without numpy and the schema."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "safetensors", "ml_dtypes", "pydantic", "walkthrough.scenario.schema", "walkthrough.operations")
PROGRAM = f"""
import sys
from walkthrough.cli import main
try:
    main()
finally:
    print("loaded:", *[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""


def loaded(*arguments: str) -> list[str]:
    """The heavy modules that a command has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["list"]], ids=" ".join)
def test_quick_commands_load_nothing_heavy(arguments: list[str]) -> None:
    assert loaded(*arguments) == []


def test_calculating_loads_what_it_needs() -> None:
    """The other test would notice."""
    assert {"numpy", "walkthrough.scenario.schema"} <= set(loaded("steps", "help-me"))


def test_import_loads_nothing_heavy() -> None:
    program = f"import sys, walkthrough; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == []
