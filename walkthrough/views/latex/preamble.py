"""The preamble of a LaTeX document: its packages, its measures, and fonts for letters of other scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

FIRST_LINE = "% !TeX program = lualatex"
SAID = "this document has letters that pdflatex cannot set: use lualatex, with fonts that have them"

_START = r"""\usepackage{amsmath, booktabs}
PACKAGES\ifdefined\directlua
  \usepackage{fontspec}
"""
_SCRIPTS = {
    "CJK": ("Noto Sans CJK SC", "Noto Sans CJK JP", "IPAexGothic", "Droid Sans Fallback", "WenQuanYi Zen Hei"),
    "HIRAGANA": ("Noto Sans CJK JP", "IPAexGothic"),
    "KATAKANA": ("Noto Sans CJK JP", "IPAexGothic"),
    "HANGUL": ("Noto Sans CJK KR", "NanumGothic"),
    "ARABIC": ("Noto Naskh Arabic", "Amiri"),
    "EMOJI": ("Noto Emoji", "Noto Color Emoji", "Symbola"),
}
"""Fonts for scripts whose fonts are not called Noto Sans and their name."""

_FALLBACK = r"""  \makeatletter
  \newcommand\fallbacks{}
  \newcommand\trying[1]{\IfFontExistsTF{#1}{\edef\fallbacks{\fallbacks"#1:mode=harf;",}}{}}
%s
  \directlua{luaotfload.add_fallback("labels", {\fallbacks})}
  \makeatother
  \setmainfont{Latin Modern Roman}[RawFeature={fallback=labels}]
  \setsansfont{Latin Modern Sans}[RawFeature={fallback=labels}]
  \setmonofont{Latin Modern Mono}[RawFeature={fallback=labels}]
"""
_PDF = r"""  \newcommand\cyrillic[1]{#1}
  \newcommand\rightleft[1]{{\textdir TRT #1}}
\else
%s  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \newcommand\rightleft[1]{#1}
\fi
"""
_LATIN = r"""  \usepackage[T1]{fontenc}
"""
_CYRILLIC = r"""  \IfFileExists{t2aenc.def}{%
    \usepackage[T2A,T1]{fontenc}
    \newcommand\cyrillic[1]{{\fontencoding{T2A}\fontfamily{cmr}\selectfont ##1}}
  }{% the letters of the American Mathematical Society, which are in every TeX
    \DeclareFontEncoding{OT2}{}{}\DeclareFontSubstitution{OT2}{wncyr}{m}{n}
    \usepackage[T1]{fontenc}
    \DeclareFontFamily{OT2}{wncyr}{}
    \DeclareFontShape{OT2}{wncyr}{m}{n}{<->wncyr10}{}
    \DeclareFontShape{OT2}{wncyr}{m}{it}{<->wncyi10}{}
    \DeclareFontShape{OT2}{wncyr}{bx}{n}{<->wncyb10}{}
    \DeclareFontShape{OT2}{wncyr}{bx}{it}{<->wncyb10}{}
    \newcommand\cyrillic[1]{{\fontencoding{OT2}\fontfamily{wncyr}\selectfont ##1}}
LETTERS
  }
"""
_WNCYR = {
    **dict(zip("абвгдезиклмнопрстуфхцчшщыј", map(ord, "abvgdeziklmnoprstufhcqxwyj"), strict=True)),
    "ж": 25,
    "й": 26,
    "ъ": 127,
    "ь": 126,
    "э": 11,
    "ю": 24,
    "я": 31,
    "ё": 27,
    "њ": 8,
    "љ": 9,
    "џ": 10,
    "і": 12,
    "є": 13,
    "ђ": 14,
    "ћ": 15,
}
"""The places of the small letters in the font wncyr10; a capital is 32 or, below 32, 8 places before."""

_END = r"""\setlength{\textwidth}{17cm}\setlength{\textheight}{25cm}
\setlength{\oddsidemargin}{-0.55cm}\setlength{\topmargin}{-1.6cm}
\setlength{\parindent}{0pt}\setlength{\parskip}{6pt plus 2pt}\setlength{\tabcolsep}{4pt}
\setcounter{secnumdepth}{0}\allowdisplaybreaks\relpenalty=0\binoppenalty=0
\topskip=1\topskip plus 0.3\textheight % a page may end early, where a step does
\postdisplaypenalty=300
\makeatletter
\renewcommand\paragraph{\@startsection{paragraph}{4}{0pt}{2.5ex plus 1ex}{0.6ex}{\normalsize\bfseries}}
\renewcommand\subparagraph{\@startsection{subparagraph}{5}{0pt}{2ex plus 1ex}{0.4ex}{\normalsize\bfseries\itshape}}
\makeatother
\AtBeginDocument{\raggedright\sloppy}
"""


def preamble(body: str, beyond: Iterable[str]) -> str:
    """The preamble for a body that has characters `beyond` what pdfLaTeX knows."""
    beyond = sorted(beyond)
    letters = sorted({character for character in body if "\u0400" <= character <= "\u04ff"})
    first = f"{FIRST_LINE}\n" if beyond else ""
    fonts = _fonts([*beyond, *letters])
    fallback = _FALLBACK % "\n".join(rf"  \trying{{{font}}}" for font in fonts) if fonts else ""
    encoding = _CYRILLIC.replace("LETTERS", "\n".join(filter(None, map(_declare, letters)))) if letters else _LATIN
    packages = "\\usepackage{fix-cm, tikz}\n" if "\\begin{tikzpicture}" in body else ""
    start = _START.replace("PACKAGES", packages)
    return f"{first}\\documentclass[a4paper]{{article}}\n{start}{fallback}{_PDF % encoding}{_END}"


def _declare(letter: str) -> str:
    """A Cyrillic letter by its place in the font; empty where it has none."""
    place = _WNCYR.get(letter.lower())
    if place is None:
        return ""
    if letter != letter.lower():
        place -= 32 if place >= 32 else 8
    return rf"    \DeclareUnicodeCharacter{{{ord(letter):04X}}}{{\char{place}{{}}}}"


def _fonts(characters: Iterable[str]) -> list[str]:
    """Fonts that may have these characters, the more general ones first; none where there are no characters."""
    found: dict[str, None] = {}
    for character in characters:
        if unicodedata.category(character) in ("Cf", "Mn"):
            continue  # part of how another one is written
        found.update(dict.fromkeys(("DejaVu Serif", "DejaVu Sans")))
        name = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
        script = "EMOJI" if unicodedata.category(character) == "So" else name
        found.update(dict.fromkeys(_SCRIPTS.get(script) or (f"Noto Sans {script.capitalize()}",)))
    return list(found)
