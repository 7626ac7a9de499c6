"""What the parts of a model read and pass on: a matrix with a row for each token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.operations.positions.places import consecutive
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels, distinct
from walkthrough.recording.values import Value
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.text import did_you_mean, whole_number


class Stream(NamedTuple):
    """The matrix on its way through the layers, n×d_model, and what its rows are.

    x:        None where there are no numbers to read: heads may be given by their scores
    names:    the labels of all rows, those of earlier passes too; none where nothing names them
    padded:   which of all rows are padding
    sequence: the tokens that predictions go on from
    ended:    an attention without values came before; nothing can follow it
    first:    which of all rows is the first here, from 0; the rows before it are kept of earlier passes
    position_ids: the positions of all rows, where the file says them; else they are 0, 1, 2, …
    """

    x: Value | None
    n: Axis
    names: Labels
    padded: tuple[bool, ...]
    sequence: TokenSequence
    ended: bool = False
    first: int = 0
    position_ids: tuple[int, ...] = ()

    @property
    def places(self) -> range:
        """Which of all rows these are, from 0."""
        return range(self.first, self.first + (self.n.size or 0))

    @property
    def positions(self) -> Sequence[int]:
        """The positions of the rows."""
        stated = tuple(self.position_ids[place] for place in self.places) if self.position_ids else ()
        return consecutive(stated) or self.places

    @property
    def labels(self) -> Labels | None:
        """The labels of the rows."""
        return self.names[self.first :] or (self.x.rows if self.x is not None else None)

    @property
    def padding(self) -> tuple[bool, ...]:
        """Which rows are padding."""
        return self.padded[self.first :]

    def whole(self) -> Stream:
        """The rows with those before them; only they have numbers."""
        return self._replace(n=Axis(self.n.symbol, len(self.names), self.names), first=0) if self.first else self

    @property
    def width(self) -> Axis:
        """The features of a row, d_model."""
        return self.x.axes[1] if self.x is not None else Axis("d_model")


def token_labels(sequence: TokenSequence) -> Labels:
    """The tokens as row labels; one that occurs more than once is followed by @ and its position."""
    return distinct(sequence.words)


def find_row(text: str, names: Labels) -> int | None:
    """Which row is meant, from 0: by its label, or by its number from 1; None where there is no such row."""
    if text in names:
        return names.index(text)
    number = whole_number(text)
    if number is None or not 1 <= number <= (len(names) or number):
        return None
    return number - 1


def near_rows(text: str, names: Labels) -> str:
    """Which rows may be meant: those of the same token, of a similar one, or any by number."""
    same = [name for name in names if name.rpartition("@")[0] == text]
    if same:
        return f"it stands more than once: {', '.join(same)}"
    return did_you_mean(text, names) or f"a token, or its number from 1 to {len(names)}"
