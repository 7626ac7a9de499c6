"""What a person wrote into a cell, read as a fair person would: decimal comma, −, fractions, powers of ten, −∞.

Nothing that was written is ever run: `quotient.py` reads fractions and roots.
"""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Decimal

from walkthrough.languages.meanings import with_infinity
from walkthrough.numerals import plain_number, simplify
from walkthrough.records import Record
from walkthrough.teaching.read.quotient import read_quotient

_LONGEST = 60
_SHOWN = 16
"""A number written with this many characters, a point among them, has at most the 15 digits of a spreadsheet."""
_PLAIN = re.compile(r"-?[0-9]{1,9}(?:[.,]([0-9]{1,9}))?")
"""What nearly all numbers look like."""
_VULGAR = re.compile(r"(?<=[0-9])(?=[¼-¾⅐-⅞])")
"""Where 3½ is two numbers."""
_ROOT_OF_VULGAR = re.compile(r"√ ?([¼-¾⅐-⅞])")
"""√½ is 1/√2, and not √1/2."""
_REMARK = re.compile(r"\s*\((?=[^()]*[^\W\d_])[^()]*\)$")
"""Words in brackets behind a number, which say nothing of it."""
_CHAIN = re.compile(r"[=≈~]")
_ABOUT = re.compile(r"^(?:ca\.?|circa) ?(?=[-+.,0-9√])", re.IGNORECASE)


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
    plain = simplify_answer(text)
    number = _decimal(plain)
    if number is None:
        quotient = read_quotient(plain)
        return Answer(text, float(quotient)) if quotient is not None else Answer(text)
    if number.is_infinite():
        return Answer(text, float(number), 0)
    return Answer(text, float(number), max(0, -_exponent(number))) if math.isfinite(float(number)) else Answer(text)


def simplify_answer(text: str) -> str:
    """The number of a text, in the signs of a keyboard: the last of a chain, without what stands before and behind."""
    rooted = _ROOT_OF_VULGAR.sub(lambda found: f"√{unicodedata.normalize('NFKC', found[1]).replace('⁄', '/√')}", text)
    plain = simplify(_VULGAR.sub(" ", _REMARK.sub("", rooted.strip())))
    last = _CHAIN.split(plain)[-1].strip() if _CHAIN.search(plain) else plain
    return with_infinity(_ABOUT.sub("", last).rstrip("* ").strip())


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


def _decimal(plain: str) -> Decimal | None:
    """A decimal number in any usual notation; None where it is none."""
    share = plain.endswith("%")
    written = plain_number(plain.rstrip("% "))
    if written is None:
        return None
    return Decimal(written) / 100 if share else Decimal(written)
