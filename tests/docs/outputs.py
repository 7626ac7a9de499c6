"""Rewrites what README.md and docs/*.md show, by running it: `python -m tests.docs.outputs [--check] [PAGE]…`.

A page is read from top to bottom, in a folder and with Python names of its own:

    <!-- output -->               the block below begins with `$ COMMAND`; its output follows, 80 columns wide
    <!-- file: NAME -->           the block below is written to that file, for the commands after it
    <!-- edit: NAME -->           the lines of the diff below are changed in that file
    <!-- table: NAME WORDS -->    the lines up to <!-- end --> become a table of tests/docs/tables.py
    <!-- printed -->              the block below becomes what the Python blocks since the last one have printed
    ```python                     is executed

A page that writes or edits a file of `walkthrough/` has the package in its folder: its commands run with that one.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

from tests.docs import tables

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / ".github/CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/course").glob("*.md")),
]
_BLOCK = re.compile(
    r"(?P<marker><!-- (?P<kind>output|file|edit|table|printed)(: (?P<what>.+?))? -->\n)"
    r"(?P<body>```\w*\n(?P<text>.*?)```\n|.*?<!-- end -->\n)"
    r"|```python\n(?P<code>.*?)```\n",
    re.DOTALL,
)
_CHANGES = re.compile(r"<!-- (file|edit): walkthrough/")
_STATUS, _SHELL = '; echo "status $?"', set("|<>;&$`*\\")
_BASH = ("bash", "-o", "pipefail", "-c")
_ENVIRONMENT = {"COLUMNS": "80", "TERM": "dumb", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}


class Page:
    """One page: its folder, its Python names, and what they have printed; only one page a process, for its Python may
    define operations and formats."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": path.stem}
        self.printed = io.StringIO()
        (folder / "scenarios").symlink_to(ROOT / "scenarios")
        self.changes_package = bool(_CHANGES.search(path.read_text(encoding="utf-8")))
        if self.changes_package:
            for name in ("tests", "pyproject.toml"):
                (folder / name).symlink_to(ROOT / name)
            shutil.copytree(ROOT / "walkthrough", folder / "walkthrough")

    def made(self, block: re.Match[str]) -> str:
        """A block as it should be; those above it come first."""
        kind, what, marker = block["kind"], block["what"], block["marker"]
        if kind is None:
            with contextlib.redirect_stdout(self.printed):
                exec(compile(block["code"], str(self.path), "exec"), self.names)
            return block[0]
        if kind == "file":
            (self.folder / what).write_text(block["text"], encoding="utf-8")
            return block[0]
        if kind == "edit":
            _edit(self.folder / what, block["text"].splitlines(keepends=True))
            return block[0]
        if kind == "table":
            name, *words = what.split()
            return f"{marker}{tables.TABLES[name](*words)}\n<!-- end -->\n"
        if kind == "output":
            command = block["text"].partition("\n")[0]
            return marker + _fenced("console", f"{command}\n{self._run(command.removeprefix('$ '))}")
        text = self.printed.getvalue()
        self.printed.seek(self.printed.truncate(0))
        return marker + _fenced("text", text)

    @property
    def is_special(self) -> bool:
        """Whether the program on this page is no longer the one that is loaded."""
        return self.changes_package or len(self.names) > 1

    def _run(self, command: str) -> str:
        """What a command line prints, to either stream; it must succeed."""
        program, _, reader = command.removesuffix(_STATUS).partition(" | ")
        if program.startswith("walkthrough ") and not set(program) & _SHELL and not self.is_special:
            text, status = _forked(shlex.split(program)[1:], self.folder, reader)
            if command.endswith(_STATUS):
                return f"{text}status {status}\n"
            assert status == 0, f"{self.path.name}: `{command}` ends with status {status}:\n{text}"
            return text
        done = subprocess.run(
            [*_BASH, command],
            cwd=self.folder,
            env={
                **_ENVIRONMENT,
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
                "HOME": str(self.folder),
                "PYTHONPATH": str(self.folder if self.changes_package else ROOT),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        text = done.stdout.decode()
        assert done.returncode == 0, f"{self.path.name}: `{command}` ends with status {done.returncode}:\n{text}"
        return text


def _forked(arguments: list[str], folder: Path, reader: str) -> tuple[str, int]:
    """What the program prints, and its status: in a process of its own, which has all it needs loaded already.

    Where there is a reader, a line for the shell, it is what that prints of the program's standard output.
    """
    sys.stdout.flush()
    reading, writing = os.pipe()
    output = writing
    if reader:
        shell = subprocess.Popen([*_BASH, reader], cwd=folder, stdin=subprocess.PIPE, stdout=writing, stderr=writing)
        assert shell.stdin is not None
        output = shell.stdin.fileno()
    child = os.fork()
    if child == 0:
        _be_the_program(arguments, folder, output, writing)
    os.close(writing)
    if reader:
        shell.stdin.close()
    with open(reading, encoding="utf-8") as printed:
        text = printed.read()
    return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or (shell.wait() if reader else 0)


def _be_the_program(arguments: list[str], folder: Path, output: int, errors: int) -> NoReturn:
    """Runs the program as the shell would start it, and ends the process."""
    status: Any = 1
    try:
        for stream, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, errors)):
            os.dup2(source, stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(_ENVIRONMENT, PATH="/usr/bin:/bin", HOME=str(folder))
        sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8")  # noqa: SIM115
        sys.argv = ["walkthrough", *arguments]
        from walkthrough.cli import main as program

        program()
    except SystemExit as end:
        status = end.code
    finally:
        sys.stdout.flush()
        os._exit(int(status or 0))


def _edit(file: Path, diff: list[str]) -> None:
    """Changes the one place of a file that has the old lines; a line begins with a space, − or + as in a diff."""
    old, new = ("".join(line[1:] for line in diff if line[0] in signs) for signs in (" -", " +"))
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file.name} has these lines {text.count(old)} times:\n{old}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def _fenced(language: str, text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    return "\n".join([f"```{language}", *lines, "```", ""])


def page_made(path: Path) -> str:
    """The page as it should be."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return _BLOCK.sub(Page(path, Path(folder)).made, path.read_text(encoding="utf-8"))


def in_a_process(function: Callable[..., str], *arguments: object) -> str:
    """What the function gives, in a fresh process that has the program loaded already."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.docs.tables", "tests.loaded"])
    with ProcessPoolExecutor(1, processes, max_tasks_per_child=1) as pool:
        return pool.submit(function, *arguments).result()


def main(arguments: list[str]) -> int:
    """Rewrites the pages, or with --check prints what would change; 1 where something did."""
    stale = 0
    for page in [Path(name).resolve() for name in arguments if name != "--check"] or PAGES:
        old, new = page.read_text(encoding="utf-8"), in_a_process(page_made, page)
        if old != new:
            stale = 1
            sys.stdout.writelines(
                difflib.unified_diff(old.splitlines(True), new.splitlines(True), page.name, "program")
            )
            if "--check" not in arguments:
                page.write_text(new, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
