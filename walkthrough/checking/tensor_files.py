"""Files of an engineer's own intermediates: .npz, .safetensors, or a trace as JSON; and names for what they hold."""

from __future__ import annotations

import json
import math
import stat
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from zipfile import ZipFile, ZipInfo

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.scenario.weights_files import KINDS, npy_head
from walkthrough.text import printable

MOST_NUMBERS = 100_000_000
"""Numbers that are read from one file: 0.8 GB as float64, against archives that are small only on disk."""
MOST_BYTES = 200_000_000
"""Of a text file, which takes several times its size while it is read."""
_DEEPEST = 8
_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""Numbers that JSON has no signs for, as a trace writes them."""


class TensorsError(ValueError):
    """A file of tensors, or a mapping of their names, that cannot be used."""


def read_tensors(path: Path) -> dict[str, Any]:
    """The arrays of an .npz or .safetensors file, or of a trace as JSON, by name. Raises TensorsError."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise TensorsError(f"{printable(path.name)} is no .npz, .safetensors or .json file")
    _check_file(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, about old heads
        return reader(path)


def read_names(path: Path) -> dict[str, str]:
    """A mapping of their names to our paths, from a YAML or JSON file. Raises TensorsError."""
    import yaml

    try:
        names = yaml.load(_text(path), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        _give_up(path, f"is not YAML{where}: {problem or 'it is nested too deeply'}")
    if not isinstance(names, dict) or not all(isinstance(path, str) for path in names.values()):
        _give_up(path, "should be a mapping: their name → our path")
    return {str(theirs): ours for theirs, ours in names.items()}


def _give_up(path: Path, message: str) -> NoReturn:
    raise TensorsError(f"{printable(path.name)} {message}") from None


def _check_file(path: Path) -> None:
    """Raises a TensorsError for what is no file that can be read, and says what it is."""
    name = f"'{printable(str(path))}'"
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise TensorsError(f"{name} is a folder, expected a file")
        if not stat.S_ISREG(mode):
            raise TensorsError(f"{name} is a pipe or a device, expected a file")
        path.open("rb").close()
    except (FileNotFoundError, NotADirectoryError):
        raise TensorsError(f"there is no file {name}") from None
    except OSError as error:
        raise TensorsError(f"{name} cannot be read: {(error.strerror or 'it cannot be opened').lower()}") from None


class _Budget:
    """Counts the numbers of a file before they are read."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, name: str, shape: Sequence[int]) -> None:
        """Raises a TensorsError where a tensor is too large, or one too many."""
        size = math.prod(shape)
        shown = f"'{printable(name)}' is {'×'.join(map(str, shape)) or '1×1'}"
        if size > MOST_NUMBERS:
            raise TensorsError(f"{shown}: {size:,} numbers, at most {MOST_NUMBERS:,} are read")
        self.taken += size
        if self.taken > MOST_NUMBERS:
            raise TensorsError(
                f"{shown}; with it the file holds {self.taken:,} numbers, at most {MOST_NUMBERS:,} are read"
            )


def _npz(path: Path) -> dict[str, Any]:
    budget = _Budget()
    with _damaged(path), ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist() if not info.is_dir()}
        return {name: _member(archive, name, info, budget) for name, info in members.items()}


def _member(archive: ZipFile, name: str, info: ZipInfo, budget: _Budget) -> Any:
    """One array of an archive, which is exactly as long as its head says."""
    shown = f"'{printable(name)}'"
    with _damaged(shown), archive.open(info) as member:
        shape, is_turned, dtype = npy_head(member)
        if dtype.hasobject:
            raise TensorsError(f"{shown} holds Python objects, expected real numbers")
        budget.take(name, shape)
        expected, found = math.prod(shape) * dtype.itemsize, info.file_size - member.tell()
        if expected != found:
            size = "×".join(map(str, shape)) or "one number"
            raise TensorsError(f"{shown} is damaged: {size} of {dtype} take {expected:,} bytes, {found:,} follow")
        array = np.frombuffer(member.read(), dtype)
    return array.reshape(shape[::-1]).T if is_turned else array.reshape(shape)


@contextmanager
def _damaged(what: Path | str) -> Iterator[None]:
    """Whatever the libraries raise for a damaged file, as one sentence without their words."""
    shown = what if isinstance(what, str) else printable(what.name)
    try:
        yield
    except (TensorsError, MemoryError):
        raise
    except Exception:
        kind = "cannot be read: it is damaged" + ("" if isinstance(what, str) else f", or no {what.suffix} file")
        raise TensorsError(f"{shown} {kind}") from None


def _safetensors(path: Path) -> dict[str, Any]:
    import ml_dtypes  # noqa: F401  (numpy learns bfloat16 by this import)
    from safetensors import safe_open

    budget = _Budget()
    tensors = {}
    with _damaged(path), safe_open(str(path), "np") as opened:
        for name in opened.keys():  # noqa: SIM118 - it is no mapping
            part = opened.get_slice(name)
            budget.take(name, part.get_shape())
            is_float8 = part.get_dtype().startswith("F8")
            tensors[name] = KINDS[path.suffix.lower()](path).read(name, None) if is_float8 else opened.get_tensor(name)
    return tensors


def _text(path: Path) -> str:
    _check_file(path)
    if (size := path.stat().st_size) > MOST_BYTES:
        _give_up(path, f"has {size:,} bytes, at most {MOST_BYTES:,} are read")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        _give_up(path, "is no UTF-8 text")


def _json(path: Path) -> dict[str, Any]:
    text = _text(path)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        _give_up(path, f"is not JSON, line {error.lineno}, column {error.colno}: {error.msg.lower()}")
    except (RecursionError, ValueError):  # an integer of thousands of digits
        _give_up(path, "is not JSON that can be read: it is nested too deeply, or a number is too long")
    if not isinstance(document, dict):
        _give_up(path, f"holds {_described(document)}, {_EXPECTED}")
    budget = _Budget()
    tensors = {}
    for name, values in _named(path, document):
        tensors[name] = _numbers(values, f"'{printable(name)}'")
        budget.take(name, tensors[name].shape)
    return tensors


_EXPECTED = 'expected a trace, {"steps": [{"path": …, "values": [[…]]}]}, or a mapping name → numbers'


def _named(path: Path, document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names and numbers of a trace, or of a mapping."""
    if "steps" not in document:
        yield from document.items()
        return
    steps = document["steps"]
    if not isinstance(steps, list):
        _give_up(path, f'holds {_described(steps)} under "steps", {_EXPECTED}')
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
    raise TensorsError(f'{name} holds {_described(value)}, expected a number, "inf", "-inf", "nan" or null')


def _described(value: Any) -> str:
    """What a value of JSON is, in words."""
    if isinstance(value, str):
        return f"the text '{printable(value[:40])}'"
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


_READERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".json": _json,
}
