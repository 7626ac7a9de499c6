"""A picture as SVG: the whole model, matrices, an equation, attention or a loss, for slides, texts and walls.

The kinds, and of what each can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

from walkthrough.errors import UserError
from walkthrough.languages.catalogue import ENGLISH, Catalogue, catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import did_you_mean, escape_text, in_quotes
from walkthrough.views.options import Options
from walkthrough.views.pictures.arcs import arcs, attentions_of
from walkthrough.views.pictures.curve import curve, losses_of
from walkthrough.views.pictures.equation import equations
from walkthrough.views.pictures.heat import MOST_CELLS
from walkthrough.views.pictures.matrix import labelled_piece
from walkthrough.views.pictures.model.fitting import Extent
from walkthrough.views.pictures.model.poster import poster
from walkthrough.views.pictures.shapes import SOFT, Picture, Piece, flow, stack, text_piece
from walkthrough.views.pictures.svg import svg
from walkthrough.views.selection import check_size
from walkthrough.views.text.cells import cell_texts

_TYPE, _TITLE, _GAP, _MARGIN = 13.0, 14.0, 26.0, 12.0
_WIDTH = 1000.0


class PictureError(UserError, ValueError):
    """A picture that nobody can draw of the chosen steps."""


Finds = Callable[[Trace, Sequence[Value]], Sequence[Value]]
"""Those of the chosen values that a kind of picture can be drawn of."""
Draws = Callable[[Trace, Sequence[Value], Options], Piece]
"""The picture of these."""


def heats(trace: Trace, values: Sequence[Value], options: Options) -> Piece:
    """Each matrix with its title, labels and digits, side by side."""
    check_size(values, "a picture")
    pieces = [_heat(trace, value, options.decimals) for value in values]
    return flow(pieces, max(_WIDTH, *(piece.width for piece in pieces), 0), _GAP).padded(_MARGIN)


def _heat(trace: Trace, value: Value, decimals: int | None) -> Piece:
    title = text_piece(_title(value, catalogue(trace.language)), _TITLE, bold=True, symbols=True)
    texts = cell_texts(trace, value, decimals) if value.shape[1] <= MOST_CELLS else ()
    return stack([title, text_piece(value.path, 10, SOFT), labelled_piece(value, texts, _TYPE)], 2)


def _title(value: Value, words: Catalogue) -> str:
    title, symbol = words.title(value.kind), value.kind.symbol
    return title if symbol in title.split() else f"{title} {symbol}"


def _all(trace: Trace, values: Sequence[Value]) -> Sequence[Value]:
    return values


def _computed(trace: Trace, values: Sequence[Value]) -> Sequence[Value]:
    return [value for value in values if value.operation is not None]


KINDS: dict[str, tuple[Finds, Draws]] = {
    "poster": (_all, lambda trace, values, options: poster(trace, values, options.decimals)),
    "heat": (_all, heats),
    "arcs": (attentions_of, arcs),
    "curve": (losses_of, curve),
    "equation": (_computed, equations),
}
"""Every kind of picture by its name."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the picture that the options ask for as SVG, as UTF-8."""
    out.write(svg(draw(trace, options)).encode())


def draw(trace: Trace, options: Options, paper: Extent | None = None) -> Picture:
    """The picture that the options ask for: by default of chosen steps their heat maps, else the poster.

    paper: of a poster, in points; by default A3, landscape

    Raises SelectorError for a step that is not there, PictureError where nothing chosen can be drawn so.
    """
    name = options.picture or ("heat" if options.steps else "poster")
    if name not in KINDS:
        hint = did_you_mean(name, KINDS) or f"known: {', '.join(KINDS)}"
        raise PictureError(f"no picture is called {in_quotes(name)}; {hint}")
    (finds, draws), chosen = KINDS[name], trace.select(*options.steps)
    found = finds(trace, chosen)
    if not found:
        possible = ", ".join(other for other, (can, _) in KINDS.items() if can(trace, chosen))
        where = "the chosen steps" if options.steps else "this scenario"
        raise PictureError(f"{name} shows {ENGLISH(f'picture_{name}')}; {where} can be drawn as {possible} only")
    title = escape_text(trace.title)
    paths = ", ".join(value.path for value in found[:_MOST_NAMED]) + (", …" if len(found) > _MOST_NAMED else "")
    what = catalogue(trace.language)(f"picture_{name}")
    of = "" if finds is _all and not options.steps else f": {paths}"
    description = f"{what[:1].upper()}{what[1:]}{of}."
    is_poster = name == "poster"
    piece = poster(trace, found, options.decimals, paper) if paper and is_poster else draws(trace, found, options)
    return Picture(title, description, piece, ("420mm", "297mm") if is_poster and not paper else None)


_MOST_NAMED = 12
