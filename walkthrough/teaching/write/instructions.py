"""What a sheet tells its student to do."""

from __future__ import annotations

from walkthrough.languages.catalogue import Catalogue
from walkthrough.teaching.sheet import Sheet, Step


def instructions(sheet: Sheet, words: Catalogue) -> list[str]:
    """How to round, what to hand in, and what words or signs some cells need: a line each."""
    digits = {step.digits for step in sheet.asked}
    lines = [words("round_all", digits=words.digits(*digits)) if len(digits) == 1 else words("round_each")]
    lines.append(words("hand_in"))
    if any(_has_hidden(step) for step in sheet.asked):
        lines.append(words("hidden"))
    if any("probability" in step.value.columns for step in sheet.asked):
        lines.append(words("predicted"))
    return lines


def _has_hidden(step: Step) -> bool:
    return bool((step.exact.array[step.to_fill] == -float("inf")).any())


def identity(sheet: Sheet, words: Catalogue) -> list[tuple[str, str]]:
    """Whose sheet it is, and what identifies it."""
    seed = words("own_numbers") if sheet.seed is None else str(sheet.seed)
    return [(words("name"), sheet.student), (words("seed"), seed), (words("digest"), sheet.digest)]
