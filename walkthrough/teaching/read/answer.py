"""What a person wrote into a cell, read as a fair person would: decimal comma, −, fractions, powers of ten, −∞.

Nothing that was written is ever run: a fraction is two numbers and a stroke.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from walkthrough.numerals import plain_number, simplify
from walkthrough.records import Record

_LONGEST = 60
_SHOWN = 16
"""A number written with this many characters, a point among them, has at most the 15 digits of a spreadsheet."""
_PLAIN = re.compile(r"-?[0-9]{1,9}(?:[.,]([0-9]{1,9}))?")
"""What nearly all numbers look like."""


class Answer(Record):
    """One cell of a sheet as it was filled in.

    text:   as written; of a number that a spreadsheet holds, as it would be written
    number: what it means, or None where it is no number
    reason: why it cannot be read, where that is known already
    """

    text: str
    number: float | None = None
    decimals: int | None = None
    reason: str = ""

    @property
    def is_missing(self) -> bool:
        """Whether nothing was written."""
        return not self.text.strip() and not self.reason


EMPTY = Answer("")


def answer_of(text: str) -> Answer:
    """What a text means.

    decimals: how many it has, None where they cannot be counted, as in a fraction
    """
    if found := _PLAIN.fullmatch(text):
        return Answer(text, float(text.replace(",", ".")), len(found[1] or ""))
    text = text.strip("\ufeff\xa0 \t\r\n")
    if len(text) > _LONGEST:
        return Answer(text[:_LONGEST] + "…", reason="too_long")
    plain = simplify(text)
    if plain.count("/") == 1:
        return _fraction(text, *plain.split("/"))
    number = _decimal(plain)
    if number is None:
        return Answer(text)
    if number.is_infinite():
        return Answer(text, float(number), 0)
    return Answer(text, float(number), max(0, -_exponent(number))) if math.isfinite(float(number)) else Answer(text)


def both(one: Answer, other: Answer) -> Answer:
    """Two entries for one cell as one answer: the same number twice is one, two numbers cannot be read."""
    if one.is_missing:
        return other
    if other.is_missing or (one.number is not None and one.number == other.number) or one.text == other.text:
        return one
    return Answer(f"{one.text} | {other.text}", reason=f"two\n{one.text}\n{other.text}")


def number_answer(number: float | int) -> Answer:
    """A number that a spreadsheet holds: its decimals are what is left when zeros at the end are lost."""
    if not math.isfinite(number):
        return Answer(str(number), reason="error")
    plain = repr(float(number))
    plain = plain.removesuffix(".0") if len(plain) <= _SHOWN and "e" not in plain else f"{number:.15g}"
    if "e" not in plain:  # nearly all
        return Answer(plain, float(plain), len(plain.partition(".")[2]) or 1)
    shortest = Decimal(repr(float(f"{number:.15g}")))  # a spreadsheet shows no more digits than these
    text = f"{shortest:f}".removesuffix(".0") if 1e-7 < abs(number) < 1e15 else f"{shortest}".removesuffix(".0")
    return Answer(text, float(shortest), max(0, -_exponent(shortest)))


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _fraction(text: str, above: str, below: str) -> Answer:
    """1/3 and 0,862/2; a division by zero is no number."""
    one, two = _decimal(above.strip().strip("()")), _decimal(below.strip().strip("()"))
    if one is None or two is None or not two:
        return Answer(text)
    quotient = float(one / two) if one.is_finite() and two.is_finite() else math.inf
    return Answer(text, quotient) if math.isfinite(quotient) else Answer(text)


def _decimal(plain: str) -> Decimal | None:
    """A decimal number in any usual notation; None where it is none."""
    share = plain.endswith("%")
    written = plain_number(plain.rstrip("% "))
    if written is None:
        return None
    return Decimal(written) / 100 if share else Decimal(written)
