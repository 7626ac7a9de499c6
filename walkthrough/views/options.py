"""How a trace is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Options(NamedTuple):
    """How a trace is shown.

    steps:     selectors; none: every value
    tokens:    rows to keep; none: every row
    decimals:  None: as the trace says
    work:      how many cells of each step are worked out: none, one or all
    full:      large tables whole
    changes:   where the model runs several times, of a further pass only the rows that it changes
    drift:     by hand, also how far each step has drifted from the exact calculation
    operands:  some steps begin with the values that they are computed from
    reasons:   why there are such steps, at the first of each kind
    heat:      every matrix as a heat map, not only shares of a whole
    picture:   the kind of picture, where the format is one; empty: as the steps ask for
    pictures:  the folder that a document's pictures are in, where they are files; empty: it has none
    fragment:  of a document only what stands for the steps, for another document
    columns:   at most this many side by side in a table on paper; 0: all
    """

    steps: Sequence[str] = ()
    tokens: Sequence[str] = ()
    decimals: int | None = None
    work: str = "one"
    full: bool = False
    changes: bool = False
    drift: bool = False
    operands: bool = True
    columns: int = 0
    reasons: bool = False
    heat: bool = False
    picture: str = ""
    pictures: str = ""
    fragment: bool = False
