"""The first screen of a page: the words, the model as boxes that hold heat maps, what comes out.

The layout is the browser's: boxes stand side by side in lines. The size of the digits is chosen here, the largest at
which all of it fits on a wide screen. Lengths are in em of that size, so that a rail shows the same boxes small.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.page.sections import title_html
from walkthrough.views.passes import Pass, passes_of
from walkthrough.views.pictures.heat import blocks, shade_areas, shades
from walkthrough.views.pictures.matrix import Texts
from walkthrough.views.pictures.model.boxes import (
    Around,
    Box,
    Edges,
    Fork,
    Frame,
    Item,
    Lane,
    Matrices,
    Outcome,
    Over,
    Rows,
    Tag,
    Words,
    is_forked,
    names_of,
    steps_in,
)
from walkthrough.views.pictures.model.fitting import SCREEN, Extent, Fitting, Scale
from walkthrough.views.pictures.model.flow import Form, model_items
from walkthrough.views.pictures.model.layout import Boxes, fit
from walkthrough.views.pictures.outcome import likeliest_words
from walkthrough.views.pictures.svg import path_of
from walkthrough.views.text.cells import cell_texts
from walkthrough.views.text.html import attribute, first_and_rest, isolate_labels

_ROOM = 1380.0, 756.0
"""What a window of 1440×900 leaves for the text and the boxes below its title."""
_LINE, _LETTERS, _OF_TITLE = 24.0, 96, 70
"""The height of a line of that text, and what fits in it and in one of the title."""
_CHOICE, _CURVE = 40.0, 155.0
"""What the choice of a pass takes, and a curve to choose from."""
_LEAST_FORKED, _FORKS = 0.6, 1.35
"""What forks may cost: the least side of a cell, in em, or that without them; how much larger digits are without."""
_SLACK = 6
"""How much wider than here a browser may draw what is in several lines."""
_SCROLLED = Scale(10, 16, 0.9, compact=True, side=4)


def maps_html(trace: Trace, values: Sequence[Value], decimals: int | None) -> Iterator[str]:
    """The picture of the last pass of some values, as an element; then those of passes with other boxes.

    These are templates for the script, which writes their numbers: all of them in the arrangement and at the scale in
    which the largest fits.
    """
    passes = passes_of(values)
    last = passes[-1]
    maps = {one.structure: one for one in passes}.values()  # the map of the last that are alike serves the others too
    largest = max(maps, key=lambda shown: (len(shown.values), sum(value.array.size for value in shown.values)))
    texts = {value: cell_texts(trace, value, decimals) for shown in maps for value in shown.values}
    room = _ROOM[0], _ROOM[1] - _above(trace, passes)
    form, fitting = _fit(trace, largest, lambda value: max(map(len, chain(*texts[value])), default=1), room)

    def write(shown: Pass, is_filled: bool) -> str:
        """The boxes with what comes out."""
        items = model_items(trace, shown, form=form)
        boxes = Boxes(trace, fitting, likeliest_words(trace, shown.values, decimals))
        boxes.model(items)
        return "".join(_Writer(boxes, texts if is_filled else {}, shown.names).write(items))

    name = attribute(catalogue(trace.language)("map_of_model"))
    which = f" data-pass={last.name}" if last.name else ""
    yield f'<nav aria-label={name} id="-map"{which} {_style(fitting.scale)}>{write(last, True)}</nav>\n'
    for shown in maps:
        if shown is not last:
            yield f"<template data-pass={shown.name}>{write(shown, False)}</template>\n"


def _above(trace: Trace, passes: Sequence[Pass]) -> float:
    """The height of what stands between a line of title and the boxes: what it is, and the choice of a pass."""
    lines = len(re.sub("<.*?>", "", first_and_rest(trace.description)[0])) // _LETTERS + 1
    lines += len(trace.title) // _OF_TITLE
    has_curve = any(value.kind.series and value.shape[0] > 1 for value in trace)
    return lines * _LINE + (_CURVE if has_curve else _CHOICE if len(passes) > 1 else 0)


def _fit(trace: Trace, shown: Pass, longest: Callable[[Value], int], room: Extent) -> tuple[Form, Fitting]:
    """The form, with forks where they fit well, and the scale; what does not fit is scrolled."""
    likely = likeliest_words(trace, shown.values, None)
    forms: tuple[Form, ...] = ("forked", "low", "flat")
    found = {form: fit(trace, model_items(trace, shown, form=form), SCREEN, longest, room, likely) for form in forms}
    flat = found["flat"].scale if found["flat"] else SCREEN[-1]
    least = min(_LEAST_FORKED, flat.small)
    for form, fitting in found.items():
        if fitting and fitting.scale.size * _FORKS >= flat.size and fitting.scale.small >= least:
            return form, fitting
    return "forked", Fitting(_SCROLLED, longest, room)


def _style(scale: Scale) -> str:
    lengths = {
        "s": scale.size,
        "label": scale.label,
        "gap": scale.gap,
        "arrow": scale.arrow,
        "inside": scale.padding - 1,
    }
    return f'style="{"".join(f"--{name}:{length:g}px;" for name, length in lengths.items())}--row:{scale.row}"'


KEY = "<p class=key aria-hidden=true><i class=p></i>+ <i class=n></i>− <i></i>0</p>"
"""What the colours say."""


class _Writer:
    """Writes the boxes; without texts of the matrices, these are blank."""

    def __init__(self, boxes: Boxes, texts: Mapping[Value, Texts], names: Mapping[Value, str]) -> None:
        self.boxes, self.texts, self.names = boxes, texts, names
        self.fitting, self.language = boxes.fitting, boxes.language

    def write(self, items: Iterable[Item]) -> Iterator[str]:
        for item in items:
            match item:
                case Words():
                    yield self._words(item)
                case Matrices():
                    yield from map(self._step, item.values)
                case Outcome():
                    yield self._outcome(item.value)
                case Box() | Frame():
                    around = _line("to", item.line), self._link(item), *map(self._tag, item.tags)
                    name = "box" if isinstance(item, Box) else "frame"
                    yield _element(name, *around, self._inside(item))
                case Fork():
                    lanes = (_element(_lane(lane), *self.write(lane.items)) for lane in item.lanes)
                    yield _element("fork", _line("to", item.line), *map(self._tag, item.tags), *lanes)
                case Rows():
                    rows = (_element("row", *self.write(row)) for row in item.rows)
                    yield _element("rows", _line("to", item.line), *rows)
                case Over():
                    above = _element("row", *self.write(item.above))
                    yield _element("over", above, _line("down", item.edges), *self.write([item.below]))
                case Around():
                    *before, last = self.write(item.items)
                    yield _element("around", *before, _element("sum", last, _line("way", item.edges)))

    def _inside(self, item: Box | Frame) -> str:
        """What a box or a frame holds: not wider than its lines; where it forks, with less room in smaller digits."""
        wide, size = self.boxes.wide[id(item)], self.fitting.scale.size
        most = f"--most:{wide / size:.1f}" if is_forked(item) else f"max-width:{math.ceil(wide) + _SLACK}px"
        return f"<div{f' style={most}' if wide else ''}>{''.join(self.write(item.items))}</div>"

    def _link(self, item: Box | Frame) -> str:
        title = self.fitting.title_above(item, self.language)
        if not title:
            return ""
        values = list(steps_in(item))
        target = values[0].path if isinstance(item, Box) and len(values) == 1 else self._part(item.path, values)
        return f"<a class=part href={attribute('#' + target)}>{title_html(title)}</a>"

    def _part(self, path: str, values: Sequence[Value]) -> str:
        """The part as the page has it: of what is calculated once for all passes, that of the first."""
        if not path or any(value.path.startswith(f"{path}.") for value in values):
            return path
        inner = len(self.names[values[0]]) - len(path)
        return values[0].path[:-inner]

    def _tag(self, tag: Tag) -> str:
        """A step that is read from afar, as a link to it."""
        ((source, targets),) = names_of(tag.edges)
        name = f"<b>{title_html(tag.value.kind.symbol)}</b>" + (f" {title_html(tag.part)}" if tag.part else "")
        about = f"data-from={attribute(source)} data-to={attribute(targets)}"
        return f"<a class=tag href={attribute('#' + source)} {about}>↙ {name}</a>"

    def _words(self, text: Words) -> str:
        words = "".join(f"{_word(escape_label(label))} " for label in text.value.rows)
        return f"<div class=words data-rows={attribute(text.value.path)}>{words}</div>"

    def _step(self, value: Value) -> str:
        title = self.language.title(value.kind)
        name = "" if title in value.kind.symbol else f" aria-label={attribute(title)}"
        symbol = title_html(value.kind.symbol)
        below = self.fitting.title_below(value, self.language)
        said = below and f" {title_html(below)}"
        (rows, columns), (wide, high) = map(blocks, value.shape), self.fitting.cell(value)
        size = f'style="--w:{wide:g};--n:{columns};--h:{rows * high:g}"'
        heat = f"{self._heat(value)}{self._digits(value)}"
        return f"<a href={attribute('#' + value.path)}{name} {size}>{heat}<span><b>{symbol}</b>{said}</span></a>"

    def _outcome(self, value: Value) -> str:
        """The likeliest words of the last row."""
        lines = ""
        for one in self.boxes.likely:
            cell = " ".join(f"data-{name}={attribute(text)}" for name, text in one.cell)
            bar = f'<i data-bar {cell} style="width:{100 * one.share:.1f}%"></i>'
            lines += f"<li>{_word(one.word)}{bar}<span {cell}>{escape(one.text, quote=False)}</span></li>"
        about = f"data-from={attribute(value.path)} aria-label={attribute(self.language('likeliest'))}"
        return f"<ol class=likeliest {about}>{lines}</ol>"

    def _heat(self, value: Value) -> str:
        """The heat map, one path a shade; a cell is 1 wide and 1 high."""
        rows, columns = map(blocks, value.shape)
        paths = "".join(
            f"<path class={'n' if shade < 0 else 'p'}{abs(shade)} d={attribute(path_of(areas))} />"
            for shade, areas in (shade_areas(shades(value), 1, 1) if self.texts else {}).items()
        )
        box = f'viewBox="0 0 {columns} {rows}" preserveAspectRatio=none'
        return f"<svg data-heat={attribute(value.path)} {box}>{paths}</svg>"

    def _digits(self, value: Value) -> str:
        """Its digits where they can be read: a line a row, as a text for each number is slow to lay out."""
        if not self.fitting.has_digits(value):
            return ""
        longest = self.fitting.longest(value)
        lines = ["\t".join(one.rjust(longest) for one in row) for row in self.texts.get(value, ())]
        return f"<pre>{escape(chr(10).join(lines), quote=False)}</pre>"


def _element(name: str, *inside: str) -> str:
    """An element with a class."""
    return f"<div{name and f' class={name}'}>{''.join(inside)}</div>"


def _line(name: str, edges: Edges) -> str:
    """A line or an arrow, which says what it stands for; nothing where there is none."""
    ends = [f"data-from={attribute(source)} data-to={attribute(targets)}" for source, targets in names_of(edges)]
    if len(ends) > 1:
        return f"<i class={name}>{''.join(f'<i {one}></i>' for one in ends)}</i>"
    return f"<i class={name} {ends[0]}></i>" if ends else ""


def _lane(lane: Lane) -> str:
    return f'"lane{" in" * lane.reads}{" out" * lane.is_read}"' if lane.reads or lane.is_read else "lane"


def _word(shown: str) -> str:
    return f"<b data-word={attribute(shown)}>{isolate_labels(escape(shown, quote=False))}</b>"
