"""`walkthrough new`: a starter that runs."""

from __future__ import annotations

from pathlib import Path

from tests.cli.program import invoke, run


def test_the_starter_runs_as_it_says(tmp_path: Path) -> None:
    target = str(tmp_path / "mine.yaml")
    done = run("new", target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"wrote {target}; try: walkthrough run {target}\n")
    assert invoke("validate", target).stdout == f"{target}: fine\n"
    assert invoke("run", target).exit_code == 0


def test_the_starter_through_a_pipe() -> None:
    starter = invoke("new", "-").stdout
    assert starter.count("#") > 5, "a starter is commented"
    assert run("run", "-", stdin=starter).returncode == 0


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    target.write_text("old")
    result = invoke("new", str(target))
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert target.read_text() == "old"


def test_a_place_that_is_none(tmp_path: Path) -> None:
    target = str(tmp_path / "none" / "mine.yaml")
    done = run("new", target)
    assert (done.returncode, done.stderr) == (2, f"{target}: No such file or directory\n")
