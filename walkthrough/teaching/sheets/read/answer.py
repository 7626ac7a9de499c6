"""What a person wrote into a cell, read as a fair person would: decimal comma, −, fractions, powers of ten, −∞.

Nothing that was written is ever run: fractions and roots are read.
"""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Context, Decimal, localcontext
from functools import cache

from walkthrough.languages.meanings import pattern_for, with_infinity
from walkthrough.numerals import plain_number, simplify
from walkthrough.records import Record

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
_MIXED = re.compile(r"([-+]?) ?([0-9]{1,9}) +([1-9][0-9]{0,8}) ?/ ?([1-9][0-9]{0,8})")
_QUOTES = ("'", '"', "„", "“", "‚", "«")
_CONTEXT = Context(prec=30)
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"[0-9]{4}"
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


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
    plain = simplify_answer(strip_quotes(text))
    number = _decimal(plain)
    if number is None:
        quotient = read_quotient(plain)
        return Answer(text, float(quotient)) if quotient is not None else Answer(text)
    if number.is_infinite():
        return Answer(text, float(number), 0)
    return Answer(text, float(number), max(0, -_exponent(number))) if math.isfinite(float(number)) else Answer(text)


def strip_quotes(text: str) -> str:
    """What stands in quotes: a word that would be a command without them."""
    text = text.strip()
    is_quoted = len(text) > 2 and text[0] in _QUOTES and text[-1] in ("'", '"', "“", "”", "‘", "»")
    return text[1:-1] if is_quoted else text


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


@cache
def _root() -> re.Pattern[str]:
    sign = rf"(?:√|{pattern_for('root')})"
    return re.compile(rf"(?P<sign>[-+]?) ?(?P<factor>[0-9.,]+)? ?\*? ?{sign} ?(?P<of>\(?[0-9.,]+\)?)", re.IGNORECASE)


@cache
def _calculation() -> re.Pattern[str]:
    signs = rf"[0-9√+\-*/^().,' ]|exp|{pattern_for('root')}|ln|log|e"
    return re.compile(rf"(?=.*[0-9√])(?=.*[+*/^√(-])(?:{signs})+", re.IGNORECASE)


def read_quotient(plain: str) -> Decimal | None:
    """`1/3`, `3 1/2`, `6/√2`, `√2/2`, `3√2`: what it comes to; None where it is none of these. Signs as simplified."""
    with localcontext(_CONTEXT):
        if found := _MIXED.fullmatch(plain):
            whole, part, parts = (Decimal(number) for number in found.groups()[1:])
            return (whole + part / parts).copy_sign(-1 if found[1] == "-" else 1) if part < parts else None
        numerator, stroke, denominator = plain.partition("/")
        above = _part(numerator)
        if not stroke or above is None:
            return above
        below = _part(denominator, is_below=True)
        return above / below if below else None


def _part(text: str, is_below: bool = False) -> Decimal | None:
    """A number, or a root, perhaps multiplied; below a stroke a product stands in brackets."""
    bare = text.strip()
    is_bracketed = bare.startswith("(") and bare.endswith(")") and bare.count("(") == bare.count(")")
    bare = bare[1:-1].strip() if is_bracketed else bare
    number = plain_number(bare)
    if number is not None:
        return Decimal(number) if Decimal(number).is_finite() else None
    found = _root().fullmatch(bare)
    if found is None or found["of"].startswith("(") != found["of"].endswith(")"):
        return None
    if is_below and found["factor"] and not is_bracketed:
        return None  # 1/3√2 is two things
    factor, of = (plain_number(one.strip("()")) for one in (found["factor"] or "1", found["of"]))
    if factor is None or of is None:
        return None
    return Decimal(factor) * Decimal(of).sqrt() * (-1 if found["sign"] == "-" else 1)


def is_calculation(plain: str) -> bool:
    """Whether a text looks like arithmetic that is not worked out: `3·0.5 + 1`, `e^1.5`, `2^3`."""
    return _calculation().fullmatch(plain) is not None


@cache
def _date() -> re.Pattern[str]:
    """A whole text that is a date."""
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
    return _date().fullmatch(text.strip()) is not None
