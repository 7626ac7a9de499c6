"""The map of a model as a drawing: parts as nested boxes, their steps by symbol, arrows where values flow between them.

Boxes are below those that they get values from, and beside those that they have nothing to do with. An arrow that
passes a box by runs along the edge of the part that both are in. Lengths are in pixels, at a text of 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.model_map import Flow, Numbered, Part, RepeatedParts, flows, join_repeats
from walkthrough.views.page.print_bands import width as digits
from walkthrough.views.text.html import attribute

_LETTER, _LINE, _GAP, _PAD, _LANE = 6.6, 16, 14, 8, 6
_WIDEST = 280
_MOST_LANES, _MOST_ENTERING = 5, 3
_MOST_PILLS = 40
_DOWN, _LEFT, _RIGHT = "l-3-5m3 5l3-5", "l5-3m-5 3l5 3", "l-5-3m5 3l-5 3"
"""The heads of arrows, drawn from where one ends."""


@dataclass(slots=True)
class Box:
    """A part or a step, with what is drawn in it; x and y from the corner of the box around it.

    chips:    links on the lines below the title, by text, path and what it is called
    arrows:   between the boxes in it; entering: those that values from outside go to, past others
    lanes:    how many arrows run along an edge
    """

    path: str
    title: str
    chips: list[list[tuple[str, str, str]]] = field(default_factory=list)
    rows: list[list[Box]] = field(default_factory=list)
    arrows: list[tuple[Box, Box]] = field(default_factory=list)
    entering: list[Box] = field(default_factory=list)
    lanes: int = 0
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0


def draw_map(trace: Trace, whole: Part) -> str:
    """The map as SVG; empty where there is nothing to lay out."""
    box = _make_box(whole, flows(trace))
    if not box.rows:
        return ""
    arrows = "".join(_draw_all_arrows(box, 0, 0))
    return (
        f'<svg viewBox="0 0 {box.width:.0f} {box.height:.0f}" width={box.width:.0f}>{"".join(_draw_box(box, 0, 0))}'
        f'<path class=arrows d="{arrows}"/></svg>'
    )


def _make_box(part: Part, flowing: Mapping[str, Sequence[Flow]]) -> Box:
    """A part laid out, with all that is in it."""
    box = Box(part.path, part.title)
    inner: dict[str, Box] = {}
    for child in join_repeats(part):
        if isinstance(child, Numbered):
            if _is_shown(child.value, part):
                inner[child.path] = _set_size(Box(child.path, child.value.kind.title))
        else:
            inner[child.first.path] = _make_repeated_box(child, flowing)
    if any(isinstance(child, Part) for child in part.children) or not part.path:
        _lay_out(box, inner, flowing.get(part.path, ()))
    else:
        box.chips = _break_lines([_chip(step.value) for step in part.steps() if _is_shown(step.value, part)])
    return _set_size(box)


def _is_shown(value: Value, part: Part) -> bool:
    """Weights and the like are left to the steps that use them."""
    return value.operation is not None or not part.path


def _make_repeated_box(child: RepeatedParts, flowing: Mapping[str, Sequence[Flow]]) -> Box:
    """A part, and below it links to those like it."""
    box = _make_box(child.first, flowing)
    if child.others:
        pills = [(other.title, other.path, other.title) for other in child.others]
        if len(pills) > _MOST_PILLS:
            pills[_MOST_PILLS - 1 : -1] = []
        box.chips += _break_lines([("and", "", ""), *pills])
        box.width = box.height = 0
    return _set_size(box)


def _chip(value: Value) -> tuple[str, str, str]:
    return value.kind.symbol, value.path, value.kind.title


def _break_lines(chips: list[tuple[str, str, str]]) -> list[list[tuple[str, str, str]]]:
    """Chips in lines that are not too long."""
    lines: list[list[tuple[str, str, str]]] = []
    for chip in chips:
        if lines and sum(map(_chip_width, [*lines[-1], chip])) <= _WIDEST - 4 * _PAD:
            lines[-1].append(chip)
        else:
            lines.append([chip])
    return lines


def _chip_width(chip: tuple[str, str, str]) -> float:
    return digits(chip[0]) * _LETTER + _PAD


def _lay_out(box: Box, inner: Mapping[str, Box], flowing: Sequence[Flow]) -> None:
    """Puts each box below those that it gets values from."""
    order = {path: at for at, path in enumerate(inner)}
    before: dict[str, list[str]] = {path: [] for path in inner}
    for flow in flowing:
        if flow.source in order and flow.target in order and order[flow.source] < order[flow.target]:
            before[flow.target].append(flow.source)
    depth: dict[str, int] = {}
    for path in inner:
        depth[path] = max((depth[source] + 1 for source in before[path]), default=0)
    levels = [[inner[path] for path in inner if depth[path] == at] for at in range(max(depth.values(), default=-1) + 1)]
    box.rows = [row for level in levels for row in _wrap(level)]
    box.arrows = [(inner[source], inner[path]) for path in inner for source in before[path]]
    rows = _row_of(box)
    long = sum(rows[id(target)] - rows[id(source)] > 1 for source, target in box.arrows)
    computed = [flow for flow in flowing if any(value.operation is not None for value in flow.values)]
    entering = [inner[flow.target] for flow in computed if not flow.source and flow.target in inner]
    box.entering = [one for one in entering if rows[id(one)] > 0]
    if len(box.entering) > _MOST_ENTERING or not box.path:
        box.entering = []
    box.lanes = min(max(long, len(box.entering)), _MOST_LANES)


def _row_of(box: Box) -> dict[int, int]:
    return {id(one): row for row, boxes in enumerate(box.rows) for one in boxes}


def _wrap(level: list[Box]) -> list[list[Box]]:
    rows: list[list[Box]] = []
    for box in level:
        if rows and sum(one.width + _GAP for one in rows[-1]) + box.width <= _WIDEST:
            rows[-1].append(box)
        else:
            rows.append([box])
    return rows


def _set_size(box: Box) -> Box:
    """Gives a box its size, and those in it their places."""
    top = _LINE + 6 if box.title else 0
    lines = [sum(map(_chip_width, line)) for line in box.chips]
    rows = [sum(one.width for one in row) + _GAP * (len(row) - 1) for row in box.rows]
    side = _LANE * (box.lanes + 1) if box.lanes else 0
    inner = max([digits(box.title) * _LETTER, *lines, *rows], default=0)
    box.width = inner + 2 * _PAD + 2 * side if box.rows else inner + 2 * _PAD
    y = float(top)
    for row, wide in zip(box.rows, rows, strict=True):
        x = (box.width - wide) / 2
        for one in row:
            one.x, one.y = x, y
            x += one.width + _GAP
        y += max(one.height for one in row) + _GAP
    y -= _GAP - _PAD if box.rows else 0
    box.height = y + _LINE * len(box.chips) + (2 if box.chips else 0)
    return box


def _draw_box(box: Box, left: float, top: float) -> Iterator[str]:
    """A box and all in it, as elements."""
    x, y = left + box.x, top + box.y
    if box.path:
        frame = f"M{x:.0f} {y:.0f}h{box.width:.0f}v{box.height:.0f}h-{box.width:.0f}z"
        title = f"<text x={x + box.width / 2:.0f} y={y + _LINE - 1:.0f}>{escape(box.title)}</text>"
        yield f'<a href={attribute("#" + box.path)}><path d="{frame}"/>{title}</a>'
    for row in box.rows:
        for one in row:
            yield from _draw_box(one, x, y)
    base = y + box.height - _LINE * len(box.chips) + 9
    for at, line in enumerate(box.chips):
        yield from _draw_chips(line, x + (box.width - sum(map(_chip_width, line))) / 2, base + at * _LINE)


def _draw_chips(line: Sequence[tuple[str, str, str]], x: float, y: float) -> Iterator[str]:
    for chip in line:
        text, path, name = chip
        middle = f"<text x={x + _chip_width(chip) / 2:.0f} y={y:.0f}>{escape(text)}</text>"
        said = f" aria-label={attribute(name)}" if name != text else ""
        yield f"<a href={attribute('#' + path)}{said}>{middle}</a>" if path else middle
        x += _chip_width(chip)


def _draw_all_arrows(box: Box, left: float, top: float) -> Iterator[str]:
    """The arrows in a box and in those in it, as pieces of one path."""
    x, y = left + box.x, top + box.y
    yield from _draw_arrows(box, x, y)
    for row in box.rows:
        for one in row:
            yield from _draw_all_arrows(one, x, y)


def _draw_arrows(box: Box, x: float, y: float) -> Iterator[str]:
    """The arrows between the boxes in a box."""
    row, lane = _row_of(box), 0
    for source, target in box.arrows:
        if row[id(target)] - row[id(source)] == 1:
            start, end = _middle(source, x), _middle(target, x)
            yield f"M{start:.0f} {y + source.y + source.height:.0f}L{end:.0f} {y + target.y - 1:.0f}{_DOWN}"
        else:
            out = x + box.width - _LANE * (lane % _MOST_LANES + 1)
            right, end = x + source.x + source.width, x + target.x + target.width + 1
            low = y + source.y + source.height * 0.6
            yield f"M{right:.0f} {low:.0f}H{out:.0f}V{_entry(target, y):.0f}H{end:.0f}{_LEFT}"
            lane += 1
    for at, target in enumerate(box.entering, 1):
        yield f"M{x + _LANE * at:.0f} {y:.0f}V{_entry(target, y):.0f}H{x + target.x - 1:.0f}{_RIGHT}"


def _entry(target: Box, y: float) -> float:
    """How high an arrow meets the side of a box."""
    return y + target.y + min(target.height * 0.35, 12)


def _middle(box: Box, x: float) -> float:
    return x + box.x + box.width / 2
