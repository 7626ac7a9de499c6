"""Rewrites what README.md and docs/*.md show, by running it: `python -m tests.docs.outputs [--check] [PAGE]…`.

A page is read from top to bottom, in a folder and with Python names of its own:

    <!-- output: COMMAND -->      the block below becomes the command and its output, 80 columns wide, without colour
    <!-- file: NAME -->           the block below is written to that file, for the commands after it
    <!-- table: NAME WORDS -->    the lines up to <!-- end --> become a table of tests/docs/tables.py
    <!-- printed -->              the block below becomes what the Python blocks since the last one have printed
    ```python                     is executed
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from tests.docs import tables

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(
    r"(?P<marker><!-- (?P<kind>output|file|table|printed)(: (?P<what>.+?))? -->\n)"
    r"(?P<body>```\w*\n(?P<text>.*?)```\n|.*?<!-- end -->\n)"
    r"|```python\n(?P<code>.*?)```\n",
    re.DOTALL,
)
_STATUS, _SHELL = '; echo "status $?"', set("|<>;&$`*\\")
_ENVIRONMENT = {"COLUMNS": "80", "TERM": "dumb", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}


class Page:
    """One page while it is rewritten: its folder, its Python names, and what they have printed."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": path.stem}
        self.printed = io.StringIO()

    def rewritten(self) -> str:
        """The page as it should be."""
        (self.folder / "scenarios").symlink_to(ROOT / "scenarios")
        return _BLOCK.sub(self._block, self.path.read_text(encoding="utf-8"))

    def _block(self, match: re.Match[str]) -> str:
        kind, what, marker = match["kind"], match["what"], match["marker"]
        if kind is None:
            with contextlib.redirect_stdout(self.printed):
                exec(compile(match["code"], str(self.path), "exec"), self.names)
            return match[0]
        if kind == "file":
            (self.folder / what).write_text(match["text"], encoding="utf-8")
            return match[0]
        if kind == "table":
            name, *words = what.split()
            return f"{marker}{tables.TABLES[name](*words)}\n<!-- end -->\n"
        if kind == "output":
            return marker + _fenced("console", f"$ {what}\n" + self._run(what))
        text = self.printed.getvalue()
        self.printed.seek(self.printed.truncate(0))
        return marker + _fenced("text", text)

    def _run(self, command: str) -> str:
        """What a command line prints, to either stream; it must succeed."""
        program = command.removesuffix(_STATUS)
        if program.startswith("walkthrough ") and not set(program) & _SHELL and len(self.names) == 1:
            text, status = _forked(shlex.split(program)[1:], self.folder)
            if program != command:
                return f"{text}status {status}\n"
            assert status == 0, f"{self.path.name}: `{command}` ends with status {status}:\n{text}"
            return text
        path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env={**_ENVIRONMENT, "PATH": path, "HOME": str(self.folder), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        text = done.stdout.decode()
        assert done.returncode == 0, f"{self.path.name}: `{command}` ends with status {done.returncode}:\n{text}"
        return text


def _forked(arguments: list[str], folder: Path) -> tuple[str, int]:
    """What the program prints, and its status: in a process of its own, which has all it needs loaded already."""
    import walkthrough.library
    import walkthrough.views.terminal.terminal  # noqa: F401

    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _be_the_program(arguments, folder, writing)
    os.close(writing)
    with open(reading, encoding="utf-8") as output:
        text = output.read()
    return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _be_the_program(arguments: list[str], folder: Path, output: int) -> NoReturn:
    """Runs the program as the shell would start it, and ends the process."""
    status: Any = 1
    try:
        for stream, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, output), (2, output)):
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


def _fenced(language: str, text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    return "\n".join([f"```{language}", *lines, "```", ""])


def rewritten(path: Path) -> str:
    """The page as it should be; only one page a process, for its Python may define operations and formats."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return Page(path, Path(folder)).rewritten()


def main(arguments: list[str]) -> int:
    """Rewrites the pages, or with --check prints what would change; 1 where something did."""
    check = "--check" in arguments
    pages = [Path(name).resolve() for name in arguments if name != "--check"]
    if len(pages) != 1:
        flags = ["--check"] if check else []
        command = [sys.executable, "-m", "tests.docs.outputs", *flags]
        return max(subprocess.run([*command, str(page)], cwd=ROOT).returncode for page in pages or PAGES)
    old, new = pages[0].read_text(encoding="utf-8"), rewritten(pages[0])
    if old != new:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "shown", "program"))
        if not check:
            pages[0].write_text(new, encoding="utf-8")
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
