"""A Python script: what it needs, a line for each step, its values, and a check of every number."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from walkthrough.errors import UserError
from walkthrough.expressions.notations.code import NUMPY, Library
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_text, in_quotes, pluralize
from walkthrough.views.code import helpers
from walkthrough.views.code.lines import WIDEST, rows_of, wrap_row
from walkthrough.views.code.program import Program
from walkthrough.views.options import Options
from walkthrough.views.report.head import about, changes

Beside = Callable[[BinaryIO], None]
"""Writes the file that a program needs beside it."""


class FileNameError(UserError, ValueError):
    """A name under which a script could not import what it needs."""


class ByHandError(UserError, ValueError):
    """Arithmetic by hand, where a library has none."""


def write(trace: Trace, options: Options, out: BinaryIO, name: str = "", library: Library = NUMPY) -> Beside | None:
    """Writes a script, as UTF-8; what writes the file beside it, NAME.npz, where it needs one.

    name: of the script; empty: it is a single file that holds every number
    """
    check_name(name)
    program = Program(trace, options, library, beside_name(name))
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    text.writelines(f"{line}\n" for line in _lines(program))
    text.detach()
    return beside(program)


write_beside = write


def check_name(name: str) -> None:
    """Raises FileNameError for a script that Python would import in the place of a module that is needed."""
    stem = PurePath(name).stem
    if stem.lower() in ("numpy", "torch") or stem in sys.stdlib_module_names:
        message = f"{in_quotes(name)} would be imported instead of Python's own {stem}"
        if stem.lower() in ("numpy", "torch"):
            message = f"{in_quotes(name)} would be imported instead of {stem.lower()}, which it needs"
        raise FileNameError(f"{message}; give the file another name")


def beside_name(name: str) -> str:
    """The name of the file beside one of that name; none where there can be no such file."""
    return f"{name}.npz" if name else ""


def beside(program: Program) -> Beside | None:
    """What writes the file with the large matrices; None where there are none."""
    if not program.stored:
        return None
    stored = [step.value for step in program.steps if step.value in program.stored]
    arrays = {value.path: np.ascontiguousarray(value.array) for value in stored}
    return lambda out: np.savez(out, allow_pickle=False, **arrays)


def _lines(program: Program) -> Iterator[str]:
    yield from _docstring(program)
    yield from imports(program, is_script=True)
    yield ""
    yield from setup(program, "Path(__file__).with_name({name})")
    place = None
    for step in program.steps:
        before, place = place, step.value.path.rpartition(".")[0]
        if place != before:
            yield ""
        yield f"# {program.comment(step.value)}"
        yield from step.lines
    yield ""
    yield from values(program)
    yield ""
    yield from recorded_dictionary(program)
    yield from ("", "", *comparison(program))
    yield from ("", "")
    yield 'if __name__ == "__main__":'
    yield "    for path, value in values.items():"
    yield '        print(path, value, "", sep="\\n")'
    yield from (f"    {line}" if line else "" for line in checks(program))


def _docstring(program: Program) -> Iterator[str]:
    trace, library = program.trace, "torch" if program.is_torch else "numpy"
    paragraphs = [
        trace.title.strip() or "A calculation",
        *(block.text for block in about(trace, ENGLISH)),
        changes(trace, ENGLISH),
    ]
    lines = [line for paragraph in filter(None, paragraphs) for line in (*paragraph.splitlines(), "")]
    harmless = [escape_text(line).replace("\\", "\\\\").replace('"""', '\\"\\"\\"').rstrip() for line in lines]
    yield f'"""{harmless[0]}'
    yield from harmless[1:]
    if program.format is not None:
        yield f"Every number is rounded to {program.format.name} before it is used."
    yield f"It needs only {library}. When run, it prints each step and checks every number against the recorded"
    yield "ones; when imported, it has `values`: the matrix of each path."
    yield '"""'
    yield ""


def imports(program: Program, is_script: bool) -> Iterator[str]:
    """The modules that the program needs."""
    is_torch, has_file = program.is_torch, bool(program.stored)
    modules = {
        "import ast": is_torch and has_file,
        "import math": program.uses("math.") or (program.uses("erf(") and not is_torch) or program.is_rounded,
        "import zipfile": is_torch and has_file,
        "from decimal import ROUND_HALF_UP, Context, Decimal": program.is_rounded,
        "from pathlib import Path": has_file and is_script,
    }
    if any(modules.values()):
        yield from (line for line, is_used in modules.items() if is_used)
        yield ""
    yield "import torch" if is_torch else "import numpy as np"


def setup(program: Program, place: str) -> Iterator[str]:
    """How numbers are printed and read, and the functions that the steps use.

    place: how the file beside the program is found, with its `{name}`
    """
    if program.is_torch:
        yield "torch.set_default_dtype(torch.float64)"
        yield f"torch.set_printoptions(precision={program.decimals}, sci_mode=False)"
    else:
        yield f"np.set_printoptions(precision={program.decimals}, suppress=True)"
        if not program.is_finite:
            yield 'np.seterr(all="ignore")  # some numbers are meant to be infinite or unknown'
        if program.uses("erf("):
            yield helpers.ERF.rstrip()
    for function in _functions(program):
        yield from ("", "", *function.splitlines(), "")
    if program.stored:
        if program.is_torch:
            yield ""
        load = "load" if program.is_torch else "np.load"
        yield f"stored = {load}({place.format(name=_quote(program.file))})"


def _functions(program: Program) -> Iterator[str]:
    """The functions that some line calls."""
    if program.is_torch and program.uses("root("):
        yield helpers.ROOT_TORCH
    if program.uses("ranked("):
        yield helpers.RANKED.format(stack="torch.stack" if program.is_torch else "np.array")
    if program.format is not None:
        yield helpers.in_format(program.format)
    elif program.is_rounded:
        yield helpers.ROUNDED
    if program.is_torch and program.stored:
        yield helpers.LOAD_TORCH


def _quote(name: str) -> str:
    return f'"{name}"' if name.isprintable() and not set(name) & set('"\\') else repr(name)


def values(program: Program) -> Iterator[str]:
    """The dictionary of all matrices by path."""
    yield "values = {"
    yield from (f"    {path!r}: {name},".replace("'", '"') for path, name in program.paths())
    yield "}"
    if program.backward.tracked:
        yield "values = {path: value.detach() for path, value in values.items()}"


def recorded_dictionary(program: Program) -> Iterator[str]:
    """The dictionary of the recorded numbers, of all that is computed."""
    yield "# The recorded numbers."
    yield "recorded = {"
    for step in program.steps:
        if program.is_given(step.value):
            continue
        path = f'    "{step.value.path}": '
        if step.value in program.stored:
            yield f'{path}stored["{step.value.path}"],'
            continue
        rows = list(rows_of(step.value.array, program.library))
        if len(line := f"{path}[{', '.join(rows)}],") <= WIDEST:
            yield line
            continue
        yield f"{path}["
        for row in rows:
            yield from wrap_row(row, "        ")
        yield "    ],"
    yield "}"


def comparison(program: Program) -> list[str]:
    """The function that compares two matrices."""
    return (helpers.AGREES_TORCH if program.is_torch else helpers.AGREES_NUMPY).splitlines()


def checks(program: Program) -> Iterator[str]:
    """Compares every step."""
    array = "torch.as_tensor" if program.is_torch else "np.array"
    yield "for path, numbers in recorded.items():"
    yield f"    assert agrees(values[path], {array}(numbers)), path"
    count = pluralize(sum(not program.is_given(step.value) for step in program.steps), "step")
    yield f'print("All numbers of {count} match the recorded ones.")'
