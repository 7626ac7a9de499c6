"""What must be quick loads nothing heavy: `--help`, `--version` and `list` do without numpy and the schema."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = (
    "numpy",
    "safetensors",
    "ml_dtypes",
    "orjson",
    "pydantic",
    "walkthrough.scenario.schema.keys",
    "walkthrough.operations",
)
SELDOM = ("decimal", "walkthrough.expressions.notations.latex")
"""What a run wants only for numbers far from 1, or a document."""
PROGRAM = f"""
import sys
from walkthrough.cli import main
try:
    main()
finally:
    print("loaded:", *[name for name in {HEAVY + SELDOM!r} if name in sys.modules], file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """Which of the modules above a command has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["list"]], ids=" ".join)
def test_quick_commands_load_nothing_heavy(arguments: list[str]) -> None:
    assert loaded(*arguments).isdisjoint(HEAVY)


def test_a_run_loads_only_what_it_uses() -> None:
    found = loaded("run", "chai")
    assert found.isdisjoint(SELDOM)
    assert {"numpy", "walkthrough.scenario.schema.keys"} <= found, "the other test would notice"


def test_import_loads_nothing_heavy() -> None:
    program = f"import sys, walkthrough; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == []


def test_import_changes_no_setting_of_the_process() -> None:
    program = (
        "import os; before = dict(os.environ); import walkthrough; walkthrough.load_scenario('help-me');"
        "print(dict(os.environ) == before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize(("own", "used"), [({}, "1"), ({"OMP_NUM_THREADS": "3"}, "3")])
def test_the_command_line_calculates_with_one_thread_unless_told_otherwise(own: dict[str, str], used: str) -> None:
    program = (
        "import atexit, os, sys; from walkthrough.cli import main; sys.argv = ['walkthrough', '--version'];"
        "atexit.register(lambda: print(os.environ['OMP_NUM_THREADS'])); main()"
    )
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", env={**kept, **own})
    assert done.stdout.splitlines()[-1] == used


def test_dir_lists_the_public_names() -> None:
    import walkthrough

    assert dir(walkthrough) == sorted(walkthrough.__all__)
    assert all(hasattr(walkthrough, name) for name in dir(walkthrough))
