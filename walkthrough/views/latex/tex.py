"""Text and mathematics as LaTeX: harmless, and with letters of any script.

What pdfLaTeX knows with its usual fonts stays as it is or is written by commands; other letters stay as they are, and
need LuaLaTeX with fonts that have them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import groupby

from walkthrough.expressions.notations.latex import latex_symbol
from walkthrough.text import escape_text

_SPECIAL = {
    **{character: f"\\{character}" for character in "{}$&#%"},
    "\\": r"\textbackslash{}",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "\u00a0": "~",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "ᵀ": r"\textsuperscript{T}",
    "‘": "`{}",
    "’": "'{}",
    "„": r"\quotedblbase{}",
    "“": "``{}",
    "”": "''{}",
    "␣": r"\textvisiblespace{}",
}
_SIGNS = {
    "×": r"\times",
    "·": r"\cdot",
    "∗": r"\ast",
    "−": "-",
    "→": r"\to",
    "←": r"\leftarrow",
    "∞": r"\infty",
    "√": r"\surd",
    "Σ": r"\Sigma",
    "∂": r"\partial",
    "⊙": r"\odot",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "±": r"\pm",
    "ℓ": r"\ell",
    "′": "'",
    "ŷ": r"\hat{y}",
}
"""Characters that are always mathematics."""

_SUPERSCRIPTS = {**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺", "0123456789+", strict=True)), "⁻": r"\ensuremath{-}"}
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_ACCENTS = {
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0323": r"\d",
    "\u0327": r"\c",
    "\u0328": r"\k",
    "\u0331": r"\b",
}
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[!?])(?=`)")
_LATIN_END = "\u017f"
"""The last of the letters that pdfLaTeX reads as they are."""


def tex(text: str) -> str:
    """Text that means nothing to LaTeX but itself."""
    parts = []
    for run, characters in groupby(_LIGATURES.sub("\u200b", escape_text(text)), _run):
        inner = "".join("{}" if character == "\u200b" else _character(character) for character in characters)
        parts.append(f"\\{run}{{{inner}}}" if run else inner)
    return "".join(parts)


def typewriter(text: str) -> str:
    """A path or code; a long one may break after its points and underscores."""
    written = tex(text)
    if len(text) > _LONGEST_WHOLE:
        written = re.sub(r"\.|\\_", lambda match: rf"{match[0]}\allowbreak{{}}", written)
    return rf"\texttt{{{written}}}"


_LONGEST_WHOLE = 50


def guard(text: str) -> str:
    """A text at the beginning of a row or an item, where LaTeX would look for `[` and `*`."""
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def _run(character: str) -> str:
    """The command around characters of that kind."""
    if "\u0400" <= character <= "\u04ff":
        return "cyrillic"
    return "rightleft" if unicodedata.bidirectional(character) in ("R", "AL") else ""


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii():
        return character
    if character in _SUPERSCRIPTS:
        return rf"\textsuperscript{{{_SUPERSCRIPTS[character]}}}"
    if character in _SUBSCRIPTS:
        return rf"\textsubscript{{{_SUBSCRIPTS[character]}}}"
    if sign := _sign(character):
        return rf"\ensuremath{{{sign}}}"
    if character <= _LATIN_END or not (accented := _accent(character)):
        return character
    return accented


def _sign(character: str) -> str:
    """A sign or a Greek letter in mathematics; empty for any other character."""
    if character in _SIGNS:
        return _SIGNS[character]
    base, *marks = list(unicodedata.normalize("NFD", character))
    letter = _greek(base)
    return _with_marks(letter, marks, _GREEK_MARKS) if letter else ""


def _with_marks(letter: str, marks: Iterable[str], commands: Mapping[str, str]) -> str:
    """A letter with what stands above or below it, as commands; empty where there is none for a mark."""
    for mark in marks:
        if mark not in commands:
            return ""
        letter = f"{commands[mark]}{{{letter}}}"
    return letter


_GREEK_MARKS = {"\u0301": r"\acute", "\u0308": r"\ddot", "\u0300": r"\grave", "\u0342": r"\tilde", "\u0304": r"\bar"}
_LATIN_LOOK = {
    "ALPHA": "A",
    "BETA": "B",
    "EPSILON": "E",
    "ZETA": "Z",
    "ETA": "H",
    "IOTA": "I",
    "KAPPA": "K",
    "MU": "M",
    "NU": "N",
    "OMICRON": "O",
    "RHO": "P",
    "TAU": "T",
    "UPSILON": r"\Upsilon",
    "CHI": "X",
}
"""Greek capitals for which LaTeX has no name of their own."""


def _greek(character: str) -> str:
    match unicodedata.name(character, "").split():
        case ["GREEK", "SMALL", "LETTER", "OMICRON"]:
            return "o"
        case ["GREEK", "SMALL", "LETTER", "FINAL", "SIGMA"]:
            return r"\varsigma"
        case ["GREEK", "SMALL", "LETTER", name]:
            return rf"\{'lambda' if name == 'LAMDA' else name.lower()}"
        case ["GREEK", "CAPITAL", "LETTER", name]:
            upper = _LATIN_LOOK.get(name) or rf"\{'Lambda' if name == 'LAMDA' else name.capitalize()}"
            return upper if upper.startswith("\\") else rf"\mathrm{{{upper}}}"
    return ""


def _accent(character: str) -> str:
    """A letter with accents, as commands; empty where it is something else."""
    base, *marks = list(unicodedata.normalize("NFD", character))
    return _with_marks(base, marks, _ACCENTS) if base.isascii() and base.isalpha() and marks else ""


def unknown_characters(text: str) -> set[str]:
    """The characters of a LaTeX text that pdfLaTeX does not know."""
    return {character for character in set(text) if character > _LATIN_END and not "\u0400" <= character <= "\u04ff"}


def formula(latex: str) -> str:
    """A formula as the readers of expressions write it, but for characters that TeX does not have in it."""
    pieces = re.split(r"(\\text\{(?:\\.|[^{}\\]|\{[^{}]*\})*\})", latex)
    return "".join(_words(piece) if piece.startswith(r"\text{") else _mathematics(piece) for piece in pieces)


def _words(text: str) -> str:
    """Words within a formula, where what means something to LaTeX is written by commands already."""
    return re.sub(r"[^\x00-\x7f]+", lambda letters: tex(letters[0]), text)


def _mathematics(latex: str) -> str:
    return "".join(character if character.isascii() else f"{_in_mathematics(character)} " for character in latex)


def _in_mathematics(character: str) -> str:
    return _sign(character) or rf"\text{{{character}}}"


def shapes(text: str) -> str:
    """Shapes, such as `(4×2)·(2×4) → 4×4`, as mathematics."""
    signs = (f"{sign} " if (sign := _sign(character)) else character for character in text)
    return "".join(signs).replace("- ", "-").replace(",", r",\allowbreak ")


def title(text: str) -> str:
    """The title of a step; a symbol in it is mathematics."""
    at, parts = 0, []
    for found in _SYMBOL.finditer(text):
        parts += [tex(text[at : found.start()]), symbol(found[0])]
        at = found.end()
    return "".join([*parts, tex(text[at:])])


def symbol(text: str) -> str:
    """A symbol as mathematics."""
    return f"${formula(latex_symbol(text))}$"


_SYMBOL = re.compile(r"\b[A-Za-z]_[A-Za-z0-9]+\b")
