"""Carries out commands in the playground: the program as it is, in a folder and with streams of its own.

It runs in Pyodide, and nowhere else; standard library only. The program is imported once and stays.
"""

from __future__ import annotations

import gc
import io
import os
import shlex
import shutil
import sys
import tempfile
import traceback
import types
from pathlib import Path

HOME = Path("/home/pyodide/files")
SCENARIO = "scenario.yaml"
_NEEDS_A_TERMINAL = {
    "learn": "learn asks in a terminal, and this is none; the course is also on this site",
    "practice": "practice asks in a terminal, and this is none; it can be a page: -o practice.html",
}
_WITHOUT_ONE = {"learn": "--list", "practice": "-o"}
_HELP = {"-h", "--help"}


def prepare() -> None:
    """A folder to work in, the width of a pipe's output, and no browser to open; imports what every command needs."""
    HOME.mkdir(parents=True, exist_ok=True)
    os.chdir(HOME)
    os.environ["COLUMNS"] = "80"
    browser = types.ModuleType("webbrowser")
    browser.open = lambda address: True  # type: ignore[attr-defined]  # the page is shown by the playground
    sys.modules["webbrowser"] = browser
    import numpy  # noqa: F401

    import walkthrough.cli  # noqa: F401


def keep(files: dict[str, bytes]) -> None:
    """Puts files beside the scenario."""
    for name, content in files.items():
        file = HOME / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def carry_out(command: str | list[str], scenario: str) -> tuple[int, bytes, bytes, dict[str, bytes]]:
    """Runs a command: its status, standard output and error, and the files that it wrote, by their names.

    command:  a typed line, with or without the program's name; or its words
    scenario: the text that stands in scenario.yaml
    """
    _write_scenario(scenario)
    before, temporary = _state(), _temporary()
    out, error = _stream(), _stream()
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = _stream(), out, error
    try:
        status = _run(command)
        out.flush()
        error.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    files = {name: (HOME / name).read_bytes() for name, kept in _state().items() if before.get(name) != kept}
    for folder in _temporary() - temporary:
        files |= {file.name: file.read_bytes() for file in folder.iterdir()}
        shutil.rmtree(folder)
    return status, out.buffer.getvalue(), error.buffer.getvalue(), files


def tidy() -> None:
    """Frees what a command has left: the program itself keeps everything, as its process ends with it."""
    gc.unfreeze()
    gc.collect()


def _run(command: str | list[str]) -> int:
    """The program's own status; 1 and a traceback for a defect of ours, as Python has it."""
    try:
        arguments = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        print(f"{command}: {str(error).lower()}", file=sys.stderr)
        return 2
    if isinstance(command, str) and arguments[:1] == ["walkthrough"]:
        arguments = arguments[1:]
    name = arguments[0] if arguments else ""
    if name in _NEEDS_A_TERMINAL and not any(
        word in _HELP or word.startswith(_WITHOUT_ONE[name]) for word in arguments
    ):
        print(_NEEDS_A_TERMINAL[name], file=sys.stderr)
        return 2
    from walkthrough.cli import main

    sys.argv = ["walkthrough", *arguments]
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _stream() -> io.TextIOWrapper:
    """Text that goes into bytes as it would into a pipe."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")


def _write_scenario(text: str) -> None:
    file, content = Path(SCENARIO), text.encode("utf-8", "surrogatepass")
    if not file.is_file() or file.read_bytes() != content:
        file.write_bytes(content)


def _state() -> dict[str, tuple[int, int, int]]:
    """What tells whether a file has been written, for each file in the folder."""
    found = ((path, path.stat()) for path in sorted(HOME.rglob("*")) if path.is_file())
    return {path.relative_to(HOME).as_posix(): (at.st_ino, at.st_mtime_ns, at.st_size) for path, at in found}


def _temporary() -> set[Path]:
    """The folders that `view` writes its page into."""
    return set(Path(tempfile.gettempdir()).glob("walkthrough-*/"))
