"""Exit statuses, and one message instead of a traceback, whatever goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import run, shell
from tests.examples import all_in_a_thorough_run, slow
from walkthrough.cli.failures import run_cli
from walkthrough.recording.selectors import SelectorError

FAULTY = """title: Faulty
tokens: [a, b]
embedings: {a: [1, 0], b: [0, 1]}
attention:
  heads:
    - {w_q: [[1, 0], [0]], w_k: [[1, 0], [0, 1]]}
"""


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["list"], 0),
        (["--version"], 0),
        (["--help"], 0),
        (["run", "--help"], 0),
        (["rn"], 2),
        (["run"], 2),
        (["run", "chai", "--decimals", "x"], 2),
        (["run", "chai", "--decimals", "-1"], 2),
        (["run", "chai", "--work", "two"], 2),
        (["run", "chai", "--step", "nonsense"], 2),
        (["run", "chai", "--token", "nonsense"], 2),
        (["run", "nonsense"], 2),
        (["run", "/"], 2),
    ],
)
def test_statuses(arguments: list[str], status: int) -> None:
    done = run(*arguments)
    assert done.returncode == status
    assert bool(done.stderr) == bool(status)
    assert not (done.stdout and status)
    assert "Traceback" not in done.stderr


def test_a_faulty_scenario(golden: Callable[[str, str], None], tmp_path: Path) -> None:
    (tmp_path / "faulty.yaml").write_text(FAULTY)
    done = shell(f"cd {tmp_path}; walkthrough run faulty.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    golden("error-faulty.txt", done.stderr)


WRITERS = all_in_a_thorough_run(
    [
        "run chai",
        "export chai -o -",
        "export chai --format json",
        "schema",
        "--help",
        "list",
        "--version",
        "steps chai",
    ],
    ["run chai"],
)
"""Commands that write through rich, as bytes, and through click: processes of their own, each as dear as ten tests."""


@pytest.mark.parametrize("command", WRITERS)
def test_a_closed_pipe_ends_quietly(command: str) -> None:
    """The reader is gone before the first word; then after the first line."""
    for reader in ("true", "head -1 >/dev/null"):
        done = shell(f"walkthrough {command} | (sleep 0.3; {reader}); exit ${{PIPESTATUS[0]}}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("command", WRITERS)
def test_a_full_disk_behind_standard_output(command: str) -> None:
    done = shell(f"walkthrough {command} >/dev/full")
    assert (done.returncode, done.stderr) == (2, "No space left on device\n")


@pytest.mark.parametrize("command", WRITERS)
def test_standard_output_that_is_closed(command: str) -> None:
    done = shell(f"walkthrough {command} >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "end"),
    [("run nonsense", "2>&-"), ("rn", "2>/dev/full"), slow("run nonsense", "2>/dev/full"), slow("rn", "2>&-")],
)
def test_nobody_to_complain_to(command: str, end: str) -> None:
    assert shell(f"walkthrough {command} {end}").returncode == 2


def test_an_interrupt() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    assert run_cli(interrupted) == 130


@pytest.mark.parametrize("module", ["numpy", slow("typer"), slow("rich")])
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)], ids=["SIGINT", "SIGTERM"]
)
def test_a_signal_while_libraries_are_imported(tmp_path: Path, module: str, number: int, status: int) -> None:
    """A library of that name is imported that sends the signal."""
    (tmp_path / f"{module}.py").write_text(f"import os; os.kill(os.getpid(), {int(number)})")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    done = run("run", "chai", PYTHONPATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


def test_the_entry_imports_nothing_heavy_before_it_can_be_interrupted() -> None:
    program = "import sys; before = set(sys.modules); import walkthrough.cli; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    imported = set(done.stdout.split()) - set(sys.builtin_module_names)
    assert imported <= {"__future__", "walkthrough", "walkthrough.cli", "walkthrough.version"}


def test_foreseen_failures_are_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    for failure, message in [
        (SelectorError("no step is called 'x'"), "no step is called 'x'\n"),
        (OSError(28, "No space left on device", "a\x1bb"), "a\\x1bb: No space left on device\n"),
        (MemoryError(), "the numbers of this scenario do not fit into memory\n"),
    ]:

        def application(failure: Exception = failure) -> None:
            raise failure

        assert run_cli(application) == 2
        assert capsys.readouterr().err == message


def test_a_defect_of_ours_is_not_hidden() -> None:
    def defect() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_cli(defect)


def test_messages_speak_every_encoding() -> None:
    done = run("run", "chai", "--token", "日本", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 2
    assert done.stderr == "no token is called '\\u65e5\\u672c'; known: The, chai, is, hot\n"


def test_titles_speak_every_encoding() -> None:
    done = run("list", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert done.stdout.isascii()
