"""Mistakes where numbers are divided: by √d_k, by a temperature, by a count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Mistake, Variant, as_is, change, mistake
from walkthrough.operations.activation import soft_cap
from walkthrough.operations.definition import Operation
from walkthrough.operations.scaling import divide_by, divide_by_root, scale_by, scale_by_root
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_WIDTHS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 768, 1024)
"""Of heads and models, whose roots are taken for one another."""


def _divided_by_root(value: Value, trace: Trace) -> Iterator[Variant]:
    """Scores ÷ √d_k."""
    x, size = value.inputs, value.settings["root_of"]
    name = value.settings.get("name") or f"{size:g}"
    root = f"√{name}"
    yield mistake("not_scaled", divisor=root), as_is(*x)
    yield mistake("scaled_by_d_k", size=name, divisor=root), Instead(divide_by, x, {"divisor": size})
    yield mistake("multiplied_by_root", divisor=root), Instead(scale_by_root, x, {"root_of": size, "name": name})
    for width in _WIDTHS:
        if width != size:
            made = _of_divisor(mistake("wrong_root", width=float(width)), value, width, math.sqrt(size))
            yield made, change(value, root_of=float(width))


def _division(value: Value, trace: Trace) -> Iterator[Variant]:
    """Scores, logits or a loss ÷ a number."""
    x, divisor = value.inputs, value.settings["divisor"]
    number = f"{divisor:g}"
    yield mistake("not_divided.by", divisor=number), as_is(*x)
    yield mistake("multiplied", divisor=number), Instead(scale_by, x, {"factor": divisor})
    yield mistake("divided_by_root", divisor=number), Instead(divide_by_root, x, {"root_of": divisor, "name": "d"})
    for width in _WIDTHS:
        if width != divisor**2:
            other = Instead(divide_by_root, x, {"root_of": float(width), "name": "d"})
            yield _of_divisor(mistake("other.width", width=float(width)), value, width, divisor), other


def _of_divisor(made: Mistake, value: Value, width: float, right: float) -> Mistake:
    """The root of another width; of scores it is their divisor that is another."""
    return made.with_constant("scale", math.sqrt(width), right) if value.kind.name == "scaled_scores" else made


def _capping(value: Value, trace: Trace) -> Iterator[Variant]:
    (x,), cap = value.inputs, value.settings["cap"]
    number = f"{cap:g}"
    yield mistake("other.cap_missing", cap=number), as_is(x)
    yield mistake("other.cap_not_multiplied", cap=number), Instead(scale_by, (change(value),), {"factor": 1 / cap})
    yield mistake("other.cap_not_divided", cap=number), Instead(scale_by, (change(value, cap=1.0),), {"factor": cap})


MISTAKES: Mapping[Operation, Maker] = {divide_by_root: _divided_by_root, divide_by: _division, soft_cap: _capping}
