"""Finds the text of a scenario: a file, the name of a bundled one, or standard input."""

from __future__ import annotations

import re
import stat
import sys
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from walkthrough.errors import reason_of
from walkthrough.scenario.yaml.problems import Problem, ScenarioError
from walkthrough.text import did_you_mean, escape_label

MAX_BYTES = 32 * 2**20

_PACKAGE = Path(__file__).resolve().parents[1]
_WIDE_MARKS = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_LIST = "`walkthrough list` shows the bundled scenarios"
_SAVE = "save it as UTF-8"
_WEIGHTS = (".npz", ".npy", ".safetensors")


_SHEET, _BEGINNING = re.compile(r"^worksheet\s*:", re.MULTILINE), 4000


class ScenarioSource(NamedTuple):
    """A scenario's text, its name for messages, and the folder from which its relative paths start.

    words: those that take the place of its own, with blanks between them; empty: its own
    """

    name: str
    text: str
    folder: Path
    words: str = ""


def line_of_sheet(text: str) -> int | None:
    """The line with which a text begins to be a worksheet or an answer key, and no scenario; None where it is none."""
    found = _SHEET.search(text, 0, _BEGINNING)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def open_source(name: str) -> ScenarioSource:
    """Read a scenario: `-` is standard input, a file comes before a bundled scenario of the same name.

    Raises a ScenarioError that says what is wrong when there is no such text.
    """
    if name == "-":
        return ScenarioSource("<stdin>", _text("<stdin>", _standard_input()), Path())
    path = _find(name)
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        if regular and path.stat().st_size > MAX_BYTES:  # before reading a byte of it
            _refuse_size(name)
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        _refuse(name, f"cannot be read: {reason_of(error)}")
    return ScenarioSource(name, _text(name, content), path.parent if regular else Path())


def bundled_scenarios() -> dict[str, Path]:
    """The scenarios that come with walkthrough, by name."""
    installed = _PACKAGE / "scenarios"
    root = installed if installed.is_dir() else _PACKAGE.parent / "scenarios"
    return {path.stem: path for path in sorted(root.glob("*.yaml"))}


def _find(name: str) -> Path:
    """The path that a name stands for."""
    if not name:
        _refuse(name, "no scenario is named", _LIST)
    shipped = bundled_scenarios().get(name.removesuffix(".yaml"))
    path = Path(name)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the name
        return shipped or _refuse_missing(name)
    except OSError as error:
        _refuse(name, f"cannot be read: {reason_of(error)}")
    if not is_folder:
        return path
    if shipped and name in bundled_scenarios():  # a folder that happens to be called `chai` cannot be meant
        return shipped
    _refuse(name, "a folder, not a scenario file")


def _refuse_missing(name: str) -> NoReturn:
    path = Path(name.replace("\0", "\N{REPLACEMENT CHARACTER}"))
    if path.is_symlink():
        _refuse(name, f"a link to {escape_label(str(path.readlink()))}, which does not exist")
    neighbours = [file.name for file in path.parent.glob("*.yaml")] if path.parent.is_dir() else []
    here = [str(path.parent / file) for file in sorted(neighbours)]
    guess = did_you_mean(name, [*bundled_scenarios(), *here])
    _refuse(name, "no such file or bundled scenario", " ".join(filter(None, [guess, _LIST])))


def _standard_input() -> bytes:
    stream: IO[Any] | None = sys.stdin
    if stream is None:
        _refuse("<stdin>", "not available: the program was started without standard input")
    try:
        content = getattr(stream, "buffer", stream).read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: it is closed
        _refuse("<stdin>", f"cannot be read: {reason_of(error)}")
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content


def _text(name: str, content: bytes) -> str:
    """The content as text, or an error that says what it is instead."""
    if len(content) > MAX_BYTES:
        _refuse_size(name)
    for mark, encoding in _WIDE_MARKS.items():
        if content.startswith(mark):
            _refuse(name, f"saved as {encoding}", _SAVE)
    if (offset := content.find(0)) >= 0:
        _refuse(name, f"not a text file: byte {offset + 1} is NUL", _weights_help(name))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(name, f"not UTF-8: {_bad_byte(content, error.object, error.start)}", _weights_help(name) or _SAVE)


def _bad_byte(content: bytes, decoded: bytes, start: int) -> str:
    offset = len(content) - len(decoded) + start  # utf-8-sig decodes what follows the mark
    line = content.count(b"\n", 0, offset) + 1
    return f"byte {offset + 1}, on line {line}, is 0x{content[offset]:02X}"


def _weights_help(name: str) -> str:
    is_weights = name.lower().endswith(_WEIGHTS)
    return "a scenario names its weights: `{file: FILE, tensor: NAME}`" if is_weights else ""


def _refuse_size(name: str) -> NoReturn:
    limit = f"larger than {MAX_BYTES // 2**20} MB"
    _refuse(name, limit, "keep big matrices in a .npz or .safetensors file: `{file: FILE, tensor: NAME}`")


def _refuse(name: str, message: str, remedy: str = "") -> NoReturn:
    raise ScenarioError(name, [Problem(0, 0, message, help=remedy)])
