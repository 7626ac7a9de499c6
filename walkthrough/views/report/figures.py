"""The pictures of a document: the whole model, the loss of a training, and beside their tables attention weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.options import Options
from walkthrough.views.pictures.arcs import find_attention
from walkthrough.views.pictures.curve import losses_of
from walkthrough.views.pictures.draw import draw
from walkthrough.views.pictures.model.fitting import Extent
from walkthrough.views.pictures.shapes import Picture
from walkthrough.views.report.blocks import Figure


def figures(trace: Trace, values: Sequence[Value], options: Options) -> Iterator[Figure]:
    """The pictures of a document that shows these steps."""

    def drawn(kind: str, *steps: str) -> Callable[[Extent | None], Picture]:
        chosen = Options(steps, decimals=options.decimals, picture=kind)
        return lambda paper: draw(trace, chosen, paper)

    words = catalogue(trace.language)
    yield Figure("poster", words("the_model"), drawn("poster"), options.pictures)
    if losses_of(trace):
        yield Figure("curve", words("loss_of_training"), drawn("curve"), options.pictures)
    for value in find_attention(trace, values):
        yield Figure(value.path, words.title(value.kind), drawn("heat", value.path), options.pictures)
