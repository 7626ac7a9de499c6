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
from typing import IO, Any

from tests.cli.program import ask
from tests.cli.server import serve_forks
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
_WORDS = r"""(?:"[^"]*"|'[^']*'|[^"';&])+"""
_LIST = re.compile(rf"(?!for ){_WORDS}(?:(?:;|&&) {_WORDS})*")
_PART = re.compile(rf"(;|&&) ({_WORDS})")
_PROGRAM = re.compile(r"(?:(?P<writer>[^|]+) \| )?walkthrough (?P<program>[^|]+?)(?: \| (?P<reader>.+))?")
"""Pipelines, one after the other; each of them with the sign before it; one with the program in it."""
_SHELL = set("<>;&$`*\\")
_ENVIRONMENT = {"COLUMNS": "80", "TERM": "dumb", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}


class Page:
    """One page: its folder, its Python names, what they have printed, and the program as it was before they ran; only
    one page a process, for its Python may define operations and formats."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": path.stem}
        self.printed = io.StringIO()
        (folder / "scenarios").symlink_to(ROOT / "scenarios")
        self.program = serve_forks(**_ENVIRONMENT, PATH="/usr/bin:/bin", HOME=str(folder))
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

    def _run(self, command: str) -> str:
        """What a command line prints, to either stream; it must succeed."""
        with tempfile.TemporaryFile() as printed:
            status = self._in_bash(command, None, printed) if self.changes_package else self._in_turn(command, printed)
            printed.seek(0)
            text = printed.read().decode()
        assert status == 0, f"{self.path.name}: `{command}` ends with status {status}:\n{text}"
        return text

    def _in_turn(self, command: str, printed: IO[bytes]) -> int:
        """What bash does with a list of pipelines, and the status; where it is no such list, bash does it."""
        if not _LIST.fullmatch(command):
            return self._in_bash(command, None, printed)
        status = 0
        for sign, pipeline in _PART.findall(f"; {command}"):
            if sign == ";" or status == 0:
                status = self._pipeline(pipeline.strip().replace("$?", str(status)), printed)
        return status

    def _pipeline(self, line: str, printed: IO[bytes]) -> int:
        """The program in it is one that is loaded already; bash runs what stands before and after."""
        found = _PROGRAM.fullmatch(line)
        if not found or set(found["program"]) & _SHELL:
            return self._in_bash(line, None, printed)
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as taken:
            output = taken if found["reader"] else printed
            statuses = [self._in_bash(found["writer"], None, given) if found["writer"] else 0]
            given.seek(0)
            words = shlex.split(found["program"])
            statuses += [ask(self.program, words, str(self.folder), given, output, printed)]
            taken.seek(0)
            statuses += [self._in_bash(found["reader"], taken, printed) if found["reader"] else 0]
        return max(statuses)

    def _in_bash(self, line: str, given: IO[bytes] | None, printed: IO[bytes]) -> int:
        environment = {
            **_ENVIRONMENT,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "HOME": str(self.folder),
            "PYTHONPATH": str(self.folder if self.changes_package else ROOT),
        }
        command = ["bash", "-o", "pipefail", "-c", line]
        stdin = given or subprocess.DEVNULL
        return subprocess.run(
            command, cwd=self.folder, env=environment, stdin=stdin, stdout=printed, stderr=subprocess.STDOUT
        ).returncode


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
