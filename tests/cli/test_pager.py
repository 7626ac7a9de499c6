"""Long output on a terminal: a pseudo-terminal of 24 lines, and pagers that say what they were given."""

from __future__ import annotations

import os
import re
import select
import struct
import sys
from contextlib import suppress
from pathlib import Path
from shutil import which

import pytest

from tests.cli.program import PROGRAM, run, surroundings

pty = pytest.importorskip("pty")

NEWLINE = "\n"
PRINTS = """
import sys
from walkthrough.cli.failures import run_cli
from walkthrough.cli.pager import pager

def main():
    with pager() as out:
        for line in range(int(sys.argv[1])):
            out.write(f"line {line}\\n")
    sys.exit(5)

sys.exit(run_cli(main))
"""
"""A program that prints as many lines as its argument says, and ends with 5."""


def printing(lines: int, keys: str = "", **environment: str) -> tuple[int, str]:
    """What the terminal shows of a program that prints so many lines."""
    return on_terminal(sys.executable, "-c", PRINTS, str(lines), keys=keys, **environment)


def on_terminal(*command: str, keys: str = "", lines: int = 24, **environment: str) -> tuple[int, str]:
    """The exit status, and what stands on the terminal; each key is pressed when the output pauses."""
    import fcntl
    import termios

    process, terminal = pty.fork()
    if process == 0:  # the child; nothing of the tests may run on here
        os.execve(command[0], command, surroundings(**{"TERM": "xterm", **environment}))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    shown, waiting = b"", list(keys)
    with suppress(OSError):  # what Linux says of a terminal that is closed
        while select.select([terminal], [], [], 20)[0]:
            chunk = os.read(terminal, 65536)
            shown += chunk
            if not chunk:
                break
            while waiting and not select.select([terminal], [], [], 1)[0]:
                os.write(terminal, waiting.pop(0).encode())
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode().replace("\r\n", "\n")


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that marks what it is given, and counts its lines."""
    path = tmp_path / "pager"
    path.write_text(f"#!{sys.executable}\nimport sys\nprint('PAGED', len(sys.stdin.readlines()))\n")
    path.chmod(0o755)
    return str(path)


def test_output_longer_than_the_screen_goes_through_the_pager(pager: str) -> None:
    assert printing(24, PAGER=pager) == (5, "PAGED 24\n")
    assert printing(1000, PAGER=pager) == (5, "PAGED 1000\n")


def test_short_output_does_not(pager: str) -> None:
    status, shown = printing(23, PAGER=pager)
    assert (status, shown) == (5, "".join(f"line {line}\n" for line in range(23)))
    assert printing(23, PAGER=pager, LINES="10") == (5, "PAGED 23\n")


@pytest.mark.parametrize("command", ["", "cat", " "])
def test_no_pager_is_none(command: str) -> None:
    assert printing(100, PAGER=command)[1].count("line") == 100


def test_a_pager_that_is_not_there_is_said() -> None:
    status, shown = printing(100, PAGER="no-such-pager -x")
    assert (status, shown.splitlines()[0]) == (5, "the pager 'no-such-pager' is not found; see PAGER")
    assert shown.count("line") == 100


def test_a_pager_may_be_any_command_of_the_shell() -> None:
    assert printing(100, PAGER="head -2 | tail -1; cat >/dev/null") == (5, "line 1\n")
    assert printing(100, PAGER="X=3 sh -c 'cat >/dev/null; echo $X'") == (5, "3\n")


def test_less_is_told_what_it_needs_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    less = tmp_path / "less"
    less.write_text('#!/bin/sh\necho "LESS is $LESS"\ncat >/dev/null\n')
    less.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert printing(100, PATH=path) == (5, "LESS is FRX\n")
    assert printing(100, PATH=path, LESS="S") == (5, "LESS is S\n")


def test_a_reader_who_leaves_early_has_seen_enough() -> None:
    assert printing(100_000, PAGER="head -1") == (0, "line 0\n")


@pytest.mark.skipif(not which("less"), reason="less is not installed")
def test_interrupting_the_pager_does_not_end_the_program_under_it() -> None:
    """Ctrl-C is the pager's; q leaves it, and all is well."""
    assert printing(1000, keys="\x03q", LESS="R")[0] == 5


def test_run_is_read_page_by_page_in_colour_and_a_pipe_is_not(pager: str) -> None:
    plain = run("run", "chai", PAGER=pager, TERM="xterm").stdout
    assert "PAGED" not in plain
    assert on_terminal(*PROGRAM, "run", "chai", PAGER=pager) == (0, f"PAGED {plain.count(NEWLINE)}\n")
    shown = on_terminal(*PROGRAM, "run", "chai", PAGER="cat; true")[1]
    assert "\x1b[36m" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == plain


def test_shapes_are_read_page_by_page_too(pager: str) -> None:
    assert "PAGED" in on_terminal(*PROGRAM, "shapes", "chai", PAGER=pager)[1]
    assert "PAGED" not in on_terminal(*PROGRAM, "shapes", "chai", "--no-pager", PAGER=pager)[1]


def test_no_pager_is_an_option_and_no_color_holds(pager: str) -> None:
    shown = on_terminal(*PROGRAM, "run", "chai", "--no-pager", PAGER=pager, NO_COLOR="1")[1]
    assert "PAGED" not in shown
    assert "\x1b[36m" not in shown
    assert "Y_2[chai, 3]" in shown
