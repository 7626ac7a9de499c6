"""Labels of a table beside those of a step: which rows or columns they say, and how well they agree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from walkthrough.text import as_word, escape_label

_COUNT = re.compile(r"[0-9]+$")

Axis = tuple[list[int | None], int]


def place_labels(
    count: int, labels: Sequence[str] | None, known: Sequence[str], left_out: Sequence[bool], name: str
) -> Axis | None:
    """Which of a step's rows, or columns, those of a table are, and how well the labels agree."""
    if labels is not None and (found := _by_labels(labels, known, left_out)) is not None:
        return found, 2 if any(not label.isdigit() for label in known) or count != len(known) else 1
    if name and count == 1:
        at = _find(name, known)
        return None if at is None else ([at], 2)
    if labels is not None and not any(map(is_word_label, labels)) and count != len(known):
        return None
    if count == len(known):
        return list(range(count)), 0 if labels is not None and are_foreign(labels, known) else 1
    if left_out.count(True) == 1 and count - 1 <= len(known):
        return _around_gap(count, left_out.index(True), len(known)), 1
    return None


def _around_gap(count: int, gap: int, known: int) -> list[int | None]:
    """The first before what is left out, the last after it."""
    return [*range(gap), None, *range(known - (count - gap - 1), known)]


def are_foreign(labels: Sequence[str], known: Sequence[str]) -> bool:
    """Whether these are words, none of them a label of the step; x_1, x_2, … only count, and one may be its name."""
    if not any(map(is_word_label, labels)) or len(known) == 1:
        return False
    return not _are_counted(labels) and all(_find(label, known) is None for label in labels if is_word_label(label))


def _are_counted(labels: Sequence[str]) -> bool:
    """Whether each ends with its number, from 0 or from 1."""
    counts = [_COUNT.search(unicodedata.normalize("NFKC", label)) for label in labels]
    numbers = [int(found[0]) if found else -1 for found in counts]
    return numbers in (list(range(len(labels))), list(range(1, len(labels) + 1)))


def is_word_label(label: str) -> bool:
    """Whether a label says more than a place."""
    return bool(label) and not label.isdigit()


def _by_labels(labels: Sequence[str], known: Sequence[str], left_out: Sequence[bool]) -> list[int | None] | None:
    """The places of the labels; None where one is not known, or stands twice."""
    if list(map(normalize_label, labels)) == list(map(normalize_label, known)):
        return list(range(len(known)))
    found = [_find(label, known) for label in labels]
    places = [at for at, out in zip(found, left_out, strict=True) if at is not None or not out]
    if None in places or len(set(places)) < len(places) or not places:
        return None
    return found


def _find(label: str, known: Sequence[str]) -> int | None:
    """The place of a label; one of several alike must say which."""
    wanted = normalize_label(label)
    at = [place for place, one in enumerate(known) if normalize_label(one) == wanted]
    at = at or [
        place for place, one in enumerate(known) if normalize_label(one.rpartition("@")[0]) == wanted and wanted
    ]
    return at[0] if len(at) == 1 else None


def normalize_label(label: str) -> str:
    """A label as it is compared: as printed, whatever its case and its quotes."""
    return str(as_word(escape_label(label))).strip(" '\"`*:").casefold() or label
