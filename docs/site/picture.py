"""A picture of a trace for the gallery: the heat map of a step that says much."""

from __future__ import annotations

import math

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.text.colours import colours

_LARGEST, _WIDTH, _HEIGHT = 24, 240, 120


def picture(trace: Trace) -> str:
    """An SVG of its own, that a screen reader passes over: the title beside it says what it is of."""
    value = telling(trace)
    rows, columns = (min(size, _LARGEST) for size in value.shape)
    width, height = _WIDTH / columns, _HEIGHT / rows
    largest = 1.0 if value.kind.is_distribution else _largest(value)
    cells = "".join(
        f'<rect x="{j * width:.1f}" y="{i * height:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'
        for i in range(rows)
        for j in range(columns)
        for fill in [_fill(float(value.array[i, j]) / largest)]
    )
    how = 'aria-hidden="true" preserveAspectRatio="none" shape-rendering="crispEdges"'
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" {how}>{cells}</svg>'


def telling(trace: Trace) -> Value:
    """The largest matrix of shares that fits; of those alike the last, which has seen most. Else the last matrix."""
    shares = [value for value in trace if value.kind.is_distribution and max(value.shape) <= _LARGEST]
    return max(reversed(shares or list(trace)[-1:]), key=lambda value: min(value.shape))


def _largest(value: Value) -> float:
    return max((abs(number) for number in value.array.ravel().tolist() if math.isfinite(number)), default=0.0) or 1.0


def _fill(shade: float) -> str:
    return colours(max(-1.0, min(1.0, shade)))[0] if math.isfinite(shade) else "#888888"
