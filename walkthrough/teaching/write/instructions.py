"""What a sheet tells its student to do."""

from __future__ import annotations

from walkthrough.teaching.catalogue import Catalogue
from walkthrough.teaching.sheet import Sheet, Step


def instructions(sheet: Sheet, words: Catalogue) -> list[str]:
    """A line each: how to round, what is handed in, and what words or signs some cells want."""
    digits = {step.digits for step in sheet.asked}
    said = [words("round_all", digits=words.digits(*digits)) if len(digits) == 1 else words("round_each")]
    said.append(words("hand_in"))
    if any(_has_hidden(step) for step in sheet.asked):
        said.append(words("hidden"))
    if any(step.value.names is not None for step in sheet.asked):
        said.append(words("predicted"))
    return said


def _has_hidden(step: Step) -> bool:
    return bool((step.exact.array[step.to_fill] == -float("inf")).any())


def identity(sheet: Sheet, words: Catalogue) -> list[tuple[str, str]]:
    """Whose sheet it is, and by what it is known again."""
    seed = words("own_numbers") if sheet.seed is None else str(sheet.seed)
    return [(words("name"), sheet.student), (words("seed"), seed), (words("digest"), sheet.digest)]
