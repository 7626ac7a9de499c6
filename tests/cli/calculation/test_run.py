"""`walkthrough run`: options, errors, and what it does on the streams it is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import invoke, run, shell
from tests.examples import all_in_a_thorough_run
from tests.views.samples import SMALL


def test_the_program_prints_what_the_view_shows(golden: Callable[[str, str], None]) -> None:
    """Whole, in a process of its own: the same text as tests/views/terminal/test_terminal.py sees."""
    for columns in ("60", "80"):
        done = run("run", "chai", COLUMNS=columns)
        assert (done.returncode, done.stderr) == (0, "")
        golden(f"run-chai-{columns}.txt", done.stdout)


def test_a_file_a_name_and_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    from_file = run("run", str(path))
    from_stdin = run("run", "-", stdin=SMALL)
    assert from_file.returncode == from_stdin.returncode == 0
    assert from_file.stdout == from_stdin.stdout
    assert "Two words\n" in from_file.stdout


def test_selected_steps_keep_their_numbers_and_order() -> None:
    result = invoke("run", "chai", "--step", "weights", "-s", "scores", "--work", "none")
    headings = [line.split(" ─")[0] for line in result.stdout.splitlines() if "─" in line]
    assert headings == [" 9. encoder.1.attention.head.1.scores", " 13. encoder.1.attention.head.1.weights"]


def test_decimals() -> None:
    assert "2.05\n" in invoke("run", "chai", "-s", "scores", "--decimals", "2").stdout
    assert "2.049781\n" in invoke("run", "chai", "-s", "scores", "-d", "6").stdout
    assert "= 2\n" in invoke("run", "chai", "-s", "scores", "-d", "0").stdout


def test_token_and_work() -> None:
    result = invoke("run", "chai", "-s", "scores", "--token", "hot", "-t", "is", "--work", "all")
    assert result.stdout.count("S[hot, ") == result.stdout.count("S[is, ") == 4
    assert "S[chai" not in result.stdout


@pytest.mark.parametrize("option", ["--format", "--export", "--map"])
def test_what_was_an_option_names_the_command_that_does_it(option: str) -> None:
    result = invoke("run", "chai", option, "json")
    assert result.exit_code == 2
    place = {
        "--format": "export SCENARIO --format NAME",
        "--export": "export SCENARIO -o FILE",
        "--map": "steps SCENARIO",
    }
    assert f"{option} is gone; write walkthrough {place[option]}" in " ".join(result.stderr.split())


def test_colour_only_where_it_is_wanted() -> None:
    plain = run("run", "chai", "-s", "weights").stdout
    assert "\x1b" not in plain
    assert (
        "\x1b[38;2;0;0;0;48;2;"
        in run("run", "chai", "-s", "weights", FORCE_COLOR="1", COLORTERM="truecolor", TERM="xterm").stdout
    )
    assert "48;2;" not in run("run", "chai", "-s", "weights", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm").stdout


@pytest.mark.parametrize("encoding", all_in_a_thorough_run(["ascii", "latin-1", "cp1252", "utf-8"], ["cp1252"]))
def test_any_encoding(encoding: str) -> None:
    done = shell("walkthrough run chai -s std -s activation", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "G = max(0, H)" in done.stdout


def test_the_c_locale() -> None:
    done = run("run", "chai", "-s", "scores", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0
    assert "S = Q" in done.stdout
