"""Text without its markup: what a reader of the Markdown, the LaTeX or the page sees."""

from __future__ import annotations

import html
import re

_SIGNS = {
    "times": "×", "cdot": "·", "infty": "∞", "approx": "≈", "simeq": "≈", "sim": "≈", "to": "→", "rightarrow": "→",
    "dots": "…", "ldots": "…", "cdots": "…", "vdots": "…", "ddots": "…", "dotsc": "…", "dotsb": "…", "hdots": "…",
    "mu": "μ", "sigma": "σ", "gamma": "γ", "beta": "β", "alpha": "α", "partial": "∂", "ell": "ℓ", "top": "ᵀ",
    "delta": "δ", "lambda": "λ",
    "textless": "<", "textgreater": ">", "textbar": "|", "textasciicircum": "^", "textasciitilde": "~",
    "textunderscore": "_", "textquotesingle": "'", "textemdash": "—", "textendash": "–", "textellipsis": "…",
    "textquotedbl": '"', "textbackslash": "\\", "pm": "±", "prime": "'", "colon": ":", "le": "≤", "ge": "≥",
    "textvisiblespace": "␣", "hline": "", "toprule": "", "midrule": "", "bottomrule": "",
}  # fmt: skip
_HAS_MARKUP = re.compile(r"[\\$`*_{}~&]")
_ESCAPED = re.compile(r"\\([_*`{}\[\]#$!|&%])")
_TWO_ARGUMENTS = re.compile(
    r"\\(?:textcolor|colorbox|fcolorbox|href|multicolumn\{[^{}]*\})\s*(?:\[[^\]]*\])?\{[^{}]*\}"
)
_DROPPED = re.compile(r"\\(?:cellcolor|rowcolor|color|label|ref|cite|vspace|hspace|cmidrule|cline|footnotemark)\*?"
                      r"(?:\[[^\]]*\]|\([^)]*\))*\{[^{}]*\}")  # fmt: skip
_HAT = re.compile(r"\\hat\s*\{?\s*y\s*\}?")
_WRAPPED = re.compile(r"\\(?:text|math|bold|operatorname|emph|num|underline|bm|mbox|ensuremath|boxed|nolinkurl|small)"
                      r"[a-z]*\*?\s*\{([^{}]+)\}")  # fmt: skip
_DEEPEST = 12
"""Emphasis in emphasis goes no deeper."""
_COMMAND = re.compile(r"\\([a-zA-Z]+)\*?")
_SPACE = re.compile(r"\\[,;:!> ]|~|\\q?quad")
_BOLD = re.compile(r"(\*\*|__|`|\$)")


def clean(text: str) -> str:
    """The text as it is read: no emphasis, no math signs, no braces, commands as the signs they stand for."""
    if not _HAS_MARKUP.search(text):
        return text
    text = html.unescape(text)
    if "\\" in text:
        text = _tex(text)
    return _BOLD.sub("", text).replace("{", "").replace("}", "").strip()


def _tex(text: str) -> str:
    text = _ESCAPED.sub(lambda found: "" if found[1] in "*`$" else found[1], text.replace("\\\\", " "))
    text = _SPACE.sub(" ", _HAT.sub("ŷ", text))
    text = _DROPPED.sub("", _TWO_ARGUMENTS.sub("", text))
    for _ in range(_DEEPEST):
        before, text = text, _WRAPPED.sub(r"\1", text)
        if before == text:
            break
    return _COMMAND.sub(lambda found: _SIGNS.get(found[1], ""), text)


_CODE = re.compile(r"`+([^`]+)`+|\\(?:texttt|nolinkurl|verb\|)\{((?:[^{}]|\{[^{}]*\})*)\}")


def code_in(text: str) -> list[str]:
    """What a text has in the letters of a typewriter."""
    return [clean(found[1] or found[2]).strip() for found in _CODE.finditer(text)]
