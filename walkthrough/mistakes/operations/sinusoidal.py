"""Mistakes in sinusoidal positions: counted from 1, in another layout, with another base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Maker, Variant, change, mistake
from walkthrough.operations.definition import Operation
from walkthrough.operations.positions.sinusoidal import sinusoidal_positions
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

COUNTED_FROM_1 = mistake("positions")
_BASES = (100.0, 1000.0, 100000.0, 500000.0, 1000000.0)


def _positions(value: Value, trace: Trace) -> Iterator[Variant]:
    yield COUNTED_FROM_1, change(value, offset=value.settings.get("offset", 0) + 1)
    for layout in ("interleaved", "halves", "tensor2tensor"):
        if layout != value.settings["layout"]:
            yield mistake("layout.sinusoidal", layout=layout), change(value, layout=layout)
    for base in _BASES:
        if base != value.settings["base"]:
            yield mistake("angles.base", base=base), change(value, base=base)
    if value.settings["angle"] == "degrees":
        yield mistake("angles.radians"), change(value, angle="radians")
    else:
        yield mistake("angles.degrees"), change(value, angle="degrees")


MISTAKES: Mapping[Operation, Maker] = {sinusoidal_positions: _positions}
