"""Dates, told from numbers: what a spreadsheet writes in place of 1/3, with months as digits or names."""

from __future__ import annotations

import re

_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"[0-9]{4}"
_MONTH = (
    r"(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|Mär(?:z)?|Mrz|Apr(?:il)?|Ma[yi]|Jun[ei]?|Jul[yi]?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)\.?"
)
DATE = re.compile(
    rf"(?:{_DAY}\.{_DAY}\.(?:{_YEAR}|[0-9]{{2}})?"  # 03.01.2026, 3.1.26, 3.1.
    rf"|{_DAY}([/-]){_DAY}\1{_YEAR}|{_YEAR}([/-]){_DAY}\2{_DAY}"  # 1/3/2026, 2026-03-01
    rf"|{_DAY}\.?[ -]?{_MONTH}(?:[ -](?:{_YEAR}|[0-9]{{2}}))?"  # 3. Jan, 1-Mar-26
    rf"|{_MONTH}[ -](?:{_YEAR}|[0-9]{{2}}|{_DAY}(?:, {_YEAR})?))"  # Mar 26, Jan 3, 2026
    r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?",
    re.IGNORECASE,
)
"""A whole text that is a date; JavaScript reads its pattern too."""


def is_date(text: str) -> bool:
    """Whether a text is a date, as English or German spreadsheets and people write it, perhaps with a time."""
    return DATE.fullmatch(text.strip()) is not None
