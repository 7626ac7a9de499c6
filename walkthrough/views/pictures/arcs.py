"""Where words look: a sentence with arcs for the attention weights of its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.parts import heads_of, parts_of
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.text import find_meant
from walkthrough.views.options import Options
from walkthrough.views.pictures.model.layout import word_piece
from walkthrough.views.pictures.shapes import Bend, Group, Piece, Point, Shape, Text, beside, flow, stack, text_piece
from walkthrough.views.text.cells import cell_texts
from walkthrough.views.text.widths import text_width

COLOURS = ("#1a5a9e", "#b3261e", "#1d6b3a", "#7a3fb0", "#7a5200", "#00606f")
"""A head each, as on the page."""
LEAST_WEIGHT = 0.01
_NUMBERED = 2
"""So many of the largest weights of a word are written below it."""
_WIDEST = 12.0
_WORD, _GAP, _TYPE, _LINE = 15.0, 10.0, 13.0, 15.0
_BETWEEN = 130.0
_MARGIN = 12.0


class Weight(Record):
    """One weight of a word: head and key are counted from 0."""

    value: Value
    head: int
    row: int
    key: int
    share: float


def attentions_of(trace: Trace, values: Sequence[Value]) -> list[Value]:
    """Those that are attention weights; of everything those of the last pass."""
    return find_attention(trace, values if len(values) < len(trace) else _last_passes(values))


def find_attention(trace: Trace, values: Sequence[Value]) -> list[Value]:
    """Those that are attention weights: shares of words, over words, that predict nothing."""
    texts = [set(labels) for labels in trace.tokens]
    predicting = {given for value in trace if value.names is not None for given in value.inputs}

    def is_of_words(value: Value) -> bool:
        return all(any(set(labels) <= text for text in texts) for labels in (value.rows, value.columns))

    return [value for value in values if value.kind.is_distribution and value not in predicting and is_of_words(value)]


def _last_passes(values: Sequence[Value]) -> list[Value]:
    """Of each step the last pass, training step or example that has it."""
    return list({within_pass(value.path): value for value in values}.values())


def arcs(trace: Trace, values: Sequence[Value], options: Options) -> Piece:
    """A sentence for each attention, below one another, each with the arcs of its heads."""
    attentions: dict[str, list[Value]] = {}
    for value in values:
        attentions.setdefault(heads_of(value.path), []).append(value)
    pieces = [_sentence(trace, heads, options) for heads in attentions.values()]
    return stack(pieces, 2 * _GAP).padded(_MARGIN)


def _sentence(trace: Trace, heads: Sequence[Value], options: Options) -> Piece:
    weights = _weights(heads, options.tokens)
    texts = [cell_texts(trace, head, options.decimals) for head in heads]
    least = (max(text_width(text) for cells in texts for line in cells for text in line) + 0.3) * _TYPE
    queries, starts = _words(heads[0].rows, {weight.row for weight in weights}, least)
    is_one_line = heads[0].rows == heads[0].columns
    keys, ends = (queries, starts) if is_one_line else _words(heads[0].columns, (), least)
    bends = [bend(weight, starts[weight.row], ends[weight.key], is_one_line) for weight in weights]
    across = [0.0, *(x for bend in bends for x, _ in bend.points)]
    up = max(0.0, *(-y for bend in bends for _, y in bend.points)) * 0.75 + _WIDEST / 2
    drawn = Piece(max(across), up if is_one_line else _BETWEEN, (Group((0, up if is_one_line else 0), tuple(bends)),))
    numbers = Piece(0, _NUMBERED * _LINE, tuple(_numbers(weights, ends, texts)))
    held = stack([drawn, keys, numbers] if is_one_line else [queries, drawn, keys, numbers], 2)
    language, left = catalogue(trace.language), -min(across)
    title = text_piece(_title(heads, language), _TYPE + 1, bold=True)
    return stack([title, _legend(heads, language), Piece(held.width + left, held.height, (held.at(left, 0),))], 6)


def _title(heads: Sequence[Value], words: Catalogue) -> str:
    titles = [words.heading(name) for name in parts_of(heads[0].path)]
    return " · ".join(titles[:-1] if len(heads) > 1 else titles)


def _legend(heads: Sequence[Value], words: Catalogue) -> Piece:
    """The heads in their colours, where there are several."""
    names = [words.heading(parts_of(value.path)[-1]) for value in heads] if len(heads) > 1 else []
    pieces = [text_piece(name, _TYPE, COLOURS[at % len(COLOURS)], bold=True) for at, name in enumerate(names)]
    return flow(pieces, 600, 14)


def _weights(heads: Sequence[Value], tokens: Sequence[str]) -> list[Weight]:
    """What some words look at, or the last one, where it is not next to nothing."""
    labels = heads[0].rows
    rows = [at for label in tokens if (at := find_meant(label, labels)) is not None]
    return [
        Weight(value, head, row, key, float(value.array[row, key]))
        for head, value in enumerate(heads)
        for row in (rows or [len(labels) - 1])
        for key in range(value.shape[1])
        if value.array[row, key] >= LEAST_WEIGHT
    ]


def _words(labels: Sequence[str], marked: Collection[int], least: float) -> tuple[Piece, list[float]]:
    """Words in a line, some of them marked, each in `least` room at least, and where the middle of each is."""
    pieces = [_at_least(word_piece(label, _WORD, at in marked), least) for at, label in enumerate(labels)]
    line = beside(pieces, _GAP)
    middles, x = [], 0.0
    for piece in pieces:
        middles.append(x + piece.width / 2)
        x += piece.width + _GAP
    return line, middles


def _at_least(piece: Piece, wide: float) -> Piece:
    """The same in the middle of that much room, where it needs less."""
    around = max(0.0, wide - piece.width) / 2
    return Piece(piece.width + 2 * around, piece.height, (piece.at(around, 0),))


def bend(weight: Weight, start: float, end: float, is_one_line: bool) -> Bend:
    """An arc above one line of words, or from queries down to keys; the words are at height 0."""
    if is_one_line:
        wide = 60.0 + 44 * weight.head if start == end else 0.0  # loops of heads lie around one another
        up = min(115.0, 36 + abs(end - start) * 0.35 + weight.head * (24 if wide else 14))
        points: _Points = ((start, 0.0), (start - wide, -up), (end + wide, -up), (end, 0.0))
    else:
        bent = _BETWEEN * (0.3 + 0.08 * weight.head)
        points = ((start, 0.0), (start, bent), (end, _BETWEEN - bent), (end, _BETWEEN))
    return Bend(points, COLOURS[weight.head % len(COLOURS)], _WIDEST * weight.share, _about(weight))


def _about(weight: Weight) -> tuple[tuple[str, str], ...]:
    return (("of", weight.value.path), ("c", f"{weight.row},{weight.key}"))


_Points = tuple[Point, Point, Point, Point]


def _numbers(weights: Sequence[Weight], ends: Sequence[float], texts: Sequence[Sequence[Sequence[str]]]) -> list[Shape]:
    """The largest weights of each word in digits, in the colour of their head, below the word; texts: of each head."""
    shapes: list[Shape] = []
    lines = Counter[int]()
    for weight in sorted(weights, key=lambda weight: -weight.share):
        lines[weight.key] += 1
        if lines[weight.key] <= _NUMBERED:
            place = (ends[weight.key], lines[weight.key] * _LINE)
            colour, about = COLOURS[weight.head % len(COLOURS)], _about(weight)
            text = texts[weight.head][weight.row][weight.key]
            shapes.append(Text(place, text, _TYPE, "middle", colour, bold=True, about=about))
    return shapes
