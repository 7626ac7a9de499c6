"""What a feed-forward network does between its matrices: activations and gates are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from walkthrough.comparing.describing.guesses.closeness import Guess, Target, best
from walkthrough.comparing.describing.guesses.pieces import Piece, cut
from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.definition import Array
from walkthrough.records import Record

_FUNCTIONS: Mapping[str, Callable[[Array], Array]] = {
    **{name: operation.forward for name, operation in ACTIVATIONS.items()},
    "none": lambda x: x,
}


class Activated(Record):
    """The activation, the hidden layer, and the gate, where there is one; is_open: another activation fits as well."""

    activation: str
    hidden: Piece
    gate: Piece | None = None
    is_open: bool = False


def find_activation(outputs: Sequence[Array], target: Target) -> Activated | None:
    """The activation or gate that makes the numbers of what one or two linear modules return; None where none does."""
    width = target.array.shape[1]
    found, others = best(
        Guess(Activated(name, hidden, gate), target.off(_activate(function, hidden, gate)))
        for hidden, gate in _pairs(outputs, width)
        for name, function in _FUNCTIONS.items()
    )
    if found is None:
        return None
    activated: Activated = found.what
    return activated.replace(is_open=bool(others))


def _activate(function: Callable[[Array], Array], hidden: Piece, gate: Piece | None) -> Array:
    with np.errstate(all="ignore"):
        return function(hidden.numbers) if gate is None else function(gate.numbers) * hidden.numbers


def _pairs(outputs: Sequence[Array], width: int) -> Iterator[tuple[Piece, Piece | None]]:
    """The hidden layer and its gate: one module, two, or one that returns both, side by side or in turns."""
    whole = [Piece(at, one) for at, one in enumerate(outputs)]
    if len(outputs) == 1 and outputs[0].shape[1] == width:
        yield whole[0], None
    elif len(outputs) == 1 and outputs[0].shape[1] == 2 * width:
        ways = ((range(width), range(width, 2 * width)), (range(0, 2 * width, 2), range(1, 2 * width, 2)))
        for way in ways:
            first, second = (cut(0, outputs[0], part) for part in way)
            yield second, first
            yield first, second
    elif len(outputs) == 2 and all(one.shape[1] == width for one in outputs):
        yield whole[1], whole[0]
        yield whole[0], whole[1]
