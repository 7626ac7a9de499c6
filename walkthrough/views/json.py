"""The trace as JSON: every value with its path, formula, operation, inputs, labels and numbers in full precision."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Branch, Value
from walkthrough.views.data import about_trace, number, safe_json
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import Report
from walkthrough.views.report.changes import find_differences

_FEW = 500
"""A person may read a matrix with fewer numbers: it is written with spaces."""
_CHUNK = 500_000
"""Numbers at once of a larger matrix, so that its text is never there as a whole."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the document, as UTF-8: one line for each value."""
    head = about_trace(trace) | ({"changed": list(trace.changed)} if trace.changed else {})
    differs = {one.value: one.before for one in find_differences(trace)}
    values = trace.select(*options.steps)
    lines = [f"{json.dumps(key)}: {safe_json(value)},\n" for key, value in head.items()]
    out.write(("{" + "".join(lines) + '"steps": [\n').encode())
    for at, value in enumerate(values, 1):
        out.write(f'{safe_json(_head(value))[:-1]}, "values": '.encode())
        out.writelines(_numbers(value))
        if value in differs:
            before = differs[value]
            out.writelines([b', "before": ', *(_numbers(before) if before is not None else (b"null",))])
        out.write(b"}\n" if at == len(values) else b"},\n")
    out.write(b"]}\n")


def text(reports: Sequence[Report]) -> str:
    """Reports as JSON: one object for one of them, a list of them for several."""
    documents = [report.data() for report in reports]
    return safe_json(documents[0] if len(documents) == 1 else documents, indent=1) + "\n"


def _head(value: Value) -> dict[str, Any]:
    """All of a step but its numbers."""
    return {
        "path": value.path,
        **({"also": list(value.also)} if value.also else {}),
        "title": value.kind.title,
        "formula": formula_text(value),
        "op": value.operation.name if value.operation else "given",
        "inputs": [given.path for given in value.inputs],
        "rows": list(value.rows),
        "columns": list(value.columns),
        **({"tree": [_branch(one, value.unknown) for one in value.tree]} if value.tree else {}),
    }


def _branch(branch: Branch, unknown: bool) -> dict[str, Any]:
    """A branch of a tree of hypotheses."""
    table, row = branch.table, branch.row
    word, total = table.array[row, [table.word_column, table.word_column + 1]].tolist()
    scores, place = branch.score or (None, 0)
    return {
        "token": (table.names or {}).get(int(word), str(int(word))),
        "total": number(total, unknown),
        "score": number(float(scores.array[place, -1]), unknown) if scores is not None else None,
        "chosen": branch.is_chosen,
        "children": [_branch(one, unknown) for one in branch.children],
    }


def _numbers(value: Value) -> Iterator[bytes]:
    if value.array.size < _FEW or not np.isfinite(value.array).all():
        yield json.dumps([[number(one, value.unknown) for one in row] for row in value.array.tolist()]).encode()
    else:
        yield from _rows(value)


def _rows(value: Value) -> Iterator[bytes]:
    """A matrix of finite numbers, in pieces."""
    height, width = value.shape
    step = max(_CHUNK // width, 1)
    for start in range(0, height, step):
        yield b"," if start else b"["
        yield json.dumps(value.array[start : start + step].tolist(), separators=(",", ":"))[1:-1].encode()
    yield b"]"
