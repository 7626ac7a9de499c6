"""The pictures of a document: the whole model, the loss of a training, and beside their tables attention weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.options import Options
from walkthrough.views.pictures.arcs import find_attention
from walkthrough.views.pictures.curve import losses_of
from walkthrough.views.pictures.draw import draw
from walkthrough.views.pictures.model.fitting import Extent
from walkthrough.views.pictures.shapes import Picture


class Illustration(Record):
    """A picture with its name, that of its file and the path of the step that it is of, and what is seen in it.

    draws: the picture; a poster for paper of that width and height
    """

    name: str
    title: str
    draws: Callable[[Extent | None], Picture]


def illustrations(trace: Trace, values: Sequence[Value], options: Options) -> dict[str, Illustration]:
    """The pictures of a document that shows these steps, by their names: a step's by its path."""

    def drawn(kind: str, *steps: str) -> Callable[[Extent | None], Picture]:
        chosen = Options(steps, decimals=options.decimals, picture=kind)
        return lambda paper: draw(trace, chosen, paper)

    words = catalogue(trace.language)
    found = [Illustration(POSTER, words("the_model"), drawn("poster"))]
    if losses_of(trace):
        found.append(Illustration(CURVE, words("loss_of_training"), drawn("curve")))
    for value in find_attention(trace, values):
        found.append(Illustration(value.path, words.title(value.kind), drawn("heat", value.path)))
    return {one.name: one for one in found}


POSTER, CURVE = "poster", "curve"
