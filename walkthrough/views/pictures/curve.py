"""The loss of a training, step by step, as a curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.notation import typeset
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.text import escape_label
from walkthrough.views.options import Options
from walkthrough.views.pictures.outcome import losses_after
from walkthrough.views.pictures.shapes import LINE, MARK, SOFT, Line, Piece, Point, Rectangle, Shape, Text
from walkthrough.views.text.cells import cell_texts

_WIDE, _HIGH = 560.0, 240.0
_LEFT, _RIGHT, _ABOVE, _BELOW = 64.0, 100.0, 36.0, 46.0
_TYPE, _DOT = 12.0, 3.0
_MOST_TICKS = 6
_MOST_DOTS = 60


def losses_of(trace: Trace, values: Sequence[Value] = ()) -> list[Value]:
    """The table of a training; then the loss after the last update, where it is there."""
    after = losses_after(trace)[-1:]
    series = [value for value in trace if value.kind.series][-1:]
    return [*series, *after] if series else []


class Axes(Record):
    """What stands along both axes: the numbers that have a label; of the lower axis the last step, too."""

    steps: tuple[float, ...]
    losses: tuple[float, ...]
    last: int

    def point(self, step: float, loss: float) -> Point:
        """Where it is in the picture."""
        low, high = self.losses[0], self.losses[-1]
        across = (step - 1) / max(self.last - 1, 1)
        return _LEFT + across * _WIDE, _ABOVE + (1 - (loss - low) / (high - low)) * _HIGH

    def shapes(self, words: Catalogue) -> Iterator[Shape]:
        """Lines across with the numbers that they stand for, and what the axes say."""
        right, bottom = _LEFT + _WIDE, _ABOVE + _HIGH
        for loss in self.losses:
            y = self.point(1, loss)[1]
            yield Line(((_LEFT, y), (right, y)), LINE, 0.5)
            yield Text((_LEFT - 8, y + 4), words.number(typeset(f"{loss:.6g}")), _TYPE, "end", SOFT)
        for step in self.steps:
            x = self.point(step, 0)[0]
            yield Line(((x, bottom), (x, bottom + 5)), SOFT)
            yield Text((x, bottom + 19), f"{step:.6g}", _TYPE, "middle", SOFT)
        yield Line(((_LEFT, bottom), (right, bottom)), SOFT)
        yield Text((_LEFT + _WIDE / 2, bottom + 38), words("training_step"), _TYPE, "middle", SOFT)
        yield Text((_LEFT, _ABOVE - 16), words("loss"), _TYPE, "middle", SOFT)


def curve(trace: Trace, values: Sequence[Value], options: Options) -> Piece:
    """The loss over the steps; the last point is the loss after the last update."""
    points = [(value, row) for value in values for row in range(value.shape[0])]
    losses = [float(value.array[row, 0]) for value, row in points]
    finite = [loss for loss in losses if math.isfinite(loss)] or [1.0]
    axes = Axes(step_ticks(len(losses)), ticks(0, max(finite)), len(losses))
    shapes = [*axes.shapes(catalogue(trace.language))]
    line = tuple(axes.point(at, loss) for at, loss in enumerate(losses, 1) if math.isfinite(loss))
    shapes.append(Line(line, MARK, 2))
    texts = {value: cell_texts(trace, value, options.decimals) for value in values}
    for at, ((value, row), loss) in enumerate(zip(points, losses, strict=True), 1):
        is_end = at in (1, len(losses))
        if not math.isfinite(loss) or not (is_end or len(losses) <= _MOST_DOTS):
            continue
        x, y = axes.point(at, loss)
        about = (("of", value.path), ("c", f"{row},0"))
        shapes.append(Rectangle((x - _DOT, y - _DOT, 2 * _DOT, 2 * _DOT), MARK, radius=_DOT, about=about))
        if is_end:
            shapes.append(Text((x + 7, y - 7), texts[value][row][0], _TYPE + 1, bold=True, about=about))
    title = Text((_LEFT + _WIDE / 2, 16), _said(values, texts), _TYPE + 2, "middle", bold=True)
    return Piece(_LEFT + _WIDE + _RIGHT, _ABOVE + _HIGH + _BELOW, (*shapes, title))


def _said(values: Sequence[Value], texts: dict[Value, list[list[str]]]) -> str:
    """From which loss to which."""
    return f"{escape_label(values[0].columns[0])} {texts[values[0]][0][0]} → {texts[values[-1]][-1][0]}"


def ticks(low: float, high: float) -> tuple[float, ...]:
    """Round numbers, three at least, from one that is not above low to one that is not below high."""
    rough = ((high - low) or abs(high) or 1.0) / _MOST_TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple(round(at * step, 12) for at in range(first, max(last, first + 2) + 1))


def step_ticks(last: int) -> tuple[float, ...]:
    """Whole steps from 1 on; three of them where there are so many."""
    whole = [tick for tick in ticks(1, last) if 1 < tick <= last and tick % 1 == 0]
    return (1, *whole) if len(whole) > 1 else tuple(range(1, last + 1))
