"""Dates, told from numbers: what a spreadsheet writes in place of 1/3, with months as digits or names."""

from __future__ import annotations

import re
from functools import cache

from walkthrough.languages.meanings import pattern_for

_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"[0-9]{4}"
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


@cache
def date_pattern() -> re.Pattern[str]:
    """A whole text that is a date; JavaScript reads the expression too."""
    month = rf"(?:{pattern_for(*_MONTHS)})\.?"
    return re.compile(
        rf"(?:{_DAY}\.{_DAY}\.(?:{_YEAR}|[0-9]{{2}})?"  # 03.01.2026, 3.1.26, 3.1.
        rf"|{_DAY}([/-]){_DAY}\1{_YEAR}|{_YEAR}([/-]){_DAY}\2{_DAY}"  # 1/3/2026, 2026-03-01
        rf"|{_DAY}\.?[ -]?{month}(?:[ -](?:{_YEAR}|[0-9]{{2}}))?"  # 3. Jan, 1-Mar-26
        rf"|{month}[ -](?:{_YEAR}|[0-9]{{2}}|{_DAY}(?:, {_YEAR})?))"  # Mar 26, Jan 3, 2026
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?",
        re.IGNORECASE,
    )


def is_date(text: str) -> bool:
    """Whether a text is a date, as spreadsheets and people write it in any language, perhaps with a time."""
    return date_pattern().fullmatch(text.strip()) is not None
