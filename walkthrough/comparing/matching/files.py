"""Files of an engineer's own intermediates: tensors, a table, or a trace as JSON; and names for what they hold."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from walkthrough.comparing.matching.table import TableError, read_table
from walkthrough.errors import UserError
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value
from walkthrough.scenario.file_checks import check_is_file
from walkthrough.scenario.tensors import files as weights_files
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import escape_label

MOST_BYTES = 200_000_000
"""Of a text file, which takes several times its size while it is read."""
_DEEPEST = 8
"""Lists in each other that are read: as many axes as a tensor may have."""
_FORMAT, _VERSIONS = "walkthrough-trace", (1, 2)
_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""Numbers that JSON has no signs for, as a trace writes them."""


class TensorsError(UserError, ValueError):
    """A file of tensors, or a mapping of their names, that cannot be used."""


class UnlikeShapeError(TensorsError):
    """A tensor that does not have the shape of the steps that its name stands for."""

    def __init__(self, message: str, meant: tuple[Value, ...]) -> None:
        super().__init__(message)
        self.meant = meant


class OwnStepError(TensorsError):
    """What a step of an optimizer does that the scenario lacks.

    own: of a gradient the norm it goes into and its sum of squares, of an update the matrices and what they are then
    """

    def __init__(self, message: str, own: Sequence[tuple[Value, Array]]) -> None:
        super().__init__(message)
        self.own = own


class Unread(NamedTuple):
    """A tensor of a file that cannot be had, and why: it is too large, damaged, or holds no real numbers."""

    reason: str


def read_all(paths: Sequence[Path]) -> dict[str, Any]:
    """The arrays of several files by name. Raises TensorsError where one cannot be used, or a name stands twice."""
    tensors: dict[str, Any] = {}
    home: dict[str, Path] = {}
    for path in paths:
        for name, array in read_tensors(path).items():
            if name in tensors:
                where = f"in {escape_label(str(home[name]))} and in {escape_label(str(path))}"
                raise TensorsError(f"the tensor '{escape_label(name)}' stands {where}: a name means one tensor")
            tensors[name], home[name] = array, path
    return tensors


def read_tensors(path: Path) -> dict[str, Any]:
    """The arrays of a file by name, Unread ones among them: the one of an .npy or a .csv has the name of the file.

    Raises TensorsError where the file as a whole cannot be used.
    """
    ending = path.suffix.lower()
    if ending not in (".npz", ".safetensors", ".json", ".npy", ".csv"):
        hint = weights_files.hint_for(path)
        _give_up(path, "is not a .npz, .safetensors, .json, .npy or .csv file" + (f"; {hint}" if hint else ""))
    if ending == ".json" and not path.name.endswith(".index.json"):
        return _json(path)
    if ending == ".csv":
        return {path.stem: _csv(path)}
    try:
        tensors, others = weights_files.read_tensors(path)
    except WeightsError as error:
        raise TensorsError(str(error)) from None
    return tensors | {name: Unread(reason) for name, reason in others.items()}


def read_names(path: Path) -> dict[str, str]:
    """A mapping of their names to our paths, from a YAML or JSON file. Raises TensorsError."""
    import yaml

    try:
        names = yaml.load(_text(path), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        _give_up(path, f"cannot be read: it is not YAML{where}: {problem or 'it is nested too deeply'}")
    if not isinstance(names, dict) or not all(isinstance(path, str) for path in names.values()):
        _give_up(path, "should be a mapping: their name → our path")
    return {str(theirs): ours for theirs, ours in names.items()}


def _give_up(path: Path, message: str) -> NoReturn:
    raise TensorsError(f"{escape_label(path.name)} {message}") from None


def _text(path: Path) -> str:
    try:
        check_is_file(path)
    except WeightsError as error:
        raise TensorsError(str(error)) from None
    if (size := path.stat().st_size) > MOST_BYTES:
        _give_up(path, f"has {size:,} bytes, at most {MOST_BYTES:,} are read")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        _give_up(path, "cannot be read: it is not UTF-8 text")


def _csv(path: Path) -> Array:
    try:
        return read_table(_text(path))
    except TableError as error:
        _give_up(path, f"cannot be read: {error}")


def _json(path: Path) -> dict[str, Any]:
    text = _text(path)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        _give_up(
            path, f"cannot be read: it is not JSON, line {error.lineno}, column {error.colno}: {error.msg.lower()}"
        )
    except (RecursionError, ValueError):  # an integer of thousands of digits
        _give_up(path, "cannot be read: its JSON is nested too deeply, or a number is too long")
    if not isinstance(document, dict):
        _give_up(path, f"holds {_describe(document)}, {_EXPECTED}")
    _check_version(path, document)
    of_file = escape_label(path.name)
    found = _names_and_numbers(path, document)
    return {name: _numbers(values, f"{of_file}: '{escape_label(name)}'") for name, values in found}


def _check_version(path: Path, document: Mapping[str, Any]) -> None:
    """What calls itself a document of this program is a trace, of the version that is read here."""
    format, version = document.get("format"), document.get("version")
    if not isinstance(format, str) or not format.startswith("walkthrough-"):
        return
    if format != _FORMAT:
        _give_up(path, f"is a {escape_label(format)}, expected a {_FORMAT}")
    if version not in _VERSIONS or isinstance(version, bool):
        found = escape_label(json.dumps(version))
        _give_up(path, f"is a {_FORMAT} of version {found}, and this program reads {_VERSIONS[0]} to {_VERSIONS[-1]}")


_EXPECTED = 'expected a trace, {"steps": [{"path": …, "values": [[…]]}]}, or a mapping name → numbers'


def _names_and_numbers(path: Path, document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names and numbers of a trace, or of a mapping."""
    if "steps" not in document:
        yield from document.items()
        return
    steps = document["steps"]
    if not isinstance(steps, list):
        _give_up(path, f'holds {_describe(steps)} under "steps", {_EXPECTED}')
    for number, step in enumerate(steps, 1):
        if not isinstance(step, dict) or not isinstance(step.get("path"), str) or "values" not in step:
            _give_up(path, f'holds a step {number} without "path" and "values", {_EXPECTED}')
        yield step["path"], step["values"]


def _numbers(values: Any, name: str, depth: int = 0) -> Array:
    """Nested lists as an array; null is an unknown number."""
    if not isinstance(values, list):
        return np.array(_number(values, name))
    if depth == _DEEPEST:
        raise TensorsError(f"{name} is nested more than {_DEEPEST} lists deep")
    if not any(isinstance(value, list) for value in values):
        return np.array([_number(value, name) for value in values], dtype=np.float64)
    parts = [_numbers(value, name, depth + 1) for value in values]
    for number, part in enumerate(parts, 1):
        if part.shape != parts[0].shape:
            sizes = [f"row {at} has {_sized(one)}" for at, one in ((1, parts[0]), (number, part))]
            raise TensorsError(f"{name} is ragged: {', '.join(sizes)}")
    return np.array(parts, dtype=np.float64)


def _sized(part: Array) -> str:
    return "×".join(map(str, part.shape)) + " numbers" if part.shape else "a single number"


def _number(value: Any, name: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    raise TensorsError(f'{name} holds {_describe(value)}, expected a number, "inf", "-inf", "nan" or null')


def _describe(value: Any) -> str:
    """What a value of JSON is, in words."""
    if isinstance(value, str):
        return f"the text '{escape_label(value[:40])}'"
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
