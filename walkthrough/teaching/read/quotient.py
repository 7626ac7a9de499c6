"""Numbers that nobody has calculated, read: fractions, mixed numbers, roots, and roots in fractions.

Two numbers and a sign at most, on each side of a stroke: what is longer is a calculation that is not worked out.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, localcontext
from functools import cache

from walkthrough.languages.meanings import pattern_for
from walkthrough.numerals import plain_number

_MIXED = re.compile(r"([-+]?) ?([0-9]{1,9}) +([1-9][0-9]{0,8}) ?/ ?([1-9][0-9]{0,8})")
_CONTEXT = Context(prec=30)


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
