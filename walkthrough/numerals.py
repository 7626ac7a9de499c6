"""How people write numbers, read: a true minus sign, decimal commas, groups of three, powers of ten, −∞.

Knows nothing of the rest of the package. Nothing that is read is ever run.
"""

from __future__ import annotations

import re
import unicodedata

_SIGNS = str.maketrans(
    {
        "\N{MINUS SIGN}": "-",
        "–": "-",
        "\N{HYPHEN}": "-",
        "⁄": "/",
        "\N{DIVISION SLASH}": "/",
        "÷": "/",
        "’": "'",
        "×": "*",
        "·": "*",
        "⋅": "*",
        "∙": "*",
    }
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_EXPONENT = re.compile(r"(?<=10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}")
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_INFINITY = re.compile(r"([-+]?)\.?(?:inf|infinity|∞)", re.IGNORECASE)
_POWER = re.compile(r"\*10\^\(?([-+]?[0-9]{1,3})\)?")
_BARE_POWER = re.compile(r"([-+]?)10\^\(?([-+]?[0-9]{1,3})\)?")
_GROUPED = re.compile(
    r"[-+]?[1-9][0-9]{0,2}(?:([.,' ])[0-9]{3})(?:\1[0-9]{3})+|[-+]?[1-9][0-9]{0,2}([.,' ])[0-9]{3}(?!\2)[.,][0-9]+"
)
"""Thousands: no group of them begins with 0, and what stands behind their sign twice is no decimal sign."""
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")


def simplify(text: str) -> str:
    """A text in the signs of a keyboard: - for −, / for ⁄, * for ×, ^(-4) for ⁻⁴ and so on; no ≈ before it."""
    raised = _EXPONENT.sub(lambda found: f"^({found[0].translate(_RAISED)})", text)
    raised = _SUPERSCRIPT.sub(lambda found: f"^{found[0]}", raised)  # 5² is not 52
    return unicodedata.normalize("NFKC", raised).translate(_SIGNS).strip().lstrip("=≈~").strip()


def plain_number(text: str) -> str | None:
    """A written number as Python writes it, with the digits it shows: `-0.38` for −0,38, `3.2e-4` for 3.2·10⁻⁴, `-inf`.

    A comma that stands alone in it is decimal. None where it is no number.
    """
    if _NUMBER.fullmatch(text):
        return text
    plain = simplify(text)
    if found := _INFINITY.fullmatch(plain.replace(" ", "")):
        return "-inf" if found[1] == "-" else "inf"
    plain = _POWER.sub(r"e\1", plain.replace(" *", "*").replace("* ", "*"))
    plain = _BARE_POWER.sub(r"\g<1>1e\2", plain) if plain.lstrip("+-").startswith("10^") else plain
    if plain.startswith(("- ", "+ ")):
        plain = plain[0] + plain[1:].lstrip()
    if found := _GROUPED.fullmatch(plain):
        plain = plain.replace(found[1] or found[2], "")
    plain = plain.replace(",", ".")
    return plain if _NUMBER.fullmatch(plain) else None
