"""The trace as JSON: every value with its path, formula, operation, inputs, labels and numbers in full precision."""

from __future__ import annotations

import json
import math
from typing import Any

from walkthrough.explaining.formulas import formula_text
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.document import Options

SUFFIXES = (".json",)


def write(trace: Trace, options: Options) -> bytes:
    """The document, as UTF-8: one line for each value."""
    head = {"format": "walkthrough-trace", "version": 1, "title": trace.title}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    steps = ",\n".join(json.dumps(_step(value), ensure_ascii=False) for value in trace.select(*options.steps))
    return ("{" + "\n".join(lines) + f'\n"steps": [\n{steps}\n]}}\n').encode()


def _step(value: Value) -> dict[str, Any]:
    return {
        "path": value.path,
        **({"also": list(value.also)} if value.also else {}),
        "title": value.kind.title,
        "formula": formula_text(value),
        "op": value.operation.name if value.operation else "given",
        "inputs": [given.path for given in value.inputs],
        "rows": list(value.rows),
        "columns": list(value.columns),
        "values": [[_number(number, value) for number in row] for row in value.array.tolist()],
    }


def _number(number: float, value: Value) -> float | str | None:
    if math.isfinite(number):
        return number
    if math.isnan(number):
        return None if value.unknown else "nan"
    return "inf" if number > 0 else "-inf"
