"""What a student probably did, as a language says it: a mistake that `check --against` knows, or a slip of the pen."""

from __future__ import annotations

from typing import NamedTuple

from walkthrough.teaching.catalogue import Catalogue


class Cause(NamedTuple):
    """What was probably done, in words: in one cell; and in any, without what only this cell has."""

    text: str
    in_general: str

    def __str__(self) -> str:
        return self.text


def cause(words: Catalogue, key: str, /, **facts: object) -> Cause | None:
    """What a language says of a mistake; None where it has no words for it, so that it is not looked for."""
    said = words.mistakes.get(key)
    if said is None:
        return None
    in_general, text = said if isinstance(said, tuple) else (said, said)
    return Cause(text.format(**facts), in_general.format(**facts))
