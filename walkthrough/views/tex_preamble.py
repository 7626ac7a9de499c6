"""What stands before a LaTeX document: its packages, its measures, and fonts for letters of other scripts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

FIRST_LINE = "% !TeX program = lualatex"
SAID = "this document has letters that pdflatex does not know: use lualatex, with fonts that have them"

_START = r"""\documentclass[a4paper]{article}
\usepackage{amsmath, booktabs}
\ifdefined\directlua
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
  \setmonofont{Latin Modern Mono}[RawFeature={fallback=labels}]
"""
_PDF = r"""  \newcommand\cyrillic[1]{#1}
  \newcommand\rightleft[1]{{\textdir TRT #1}}
\else
  \usepackage[%s]{fontenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \newcommand\cyrillic[1]{{\fontencoding{T2A}\fontfamily{cmr}\selectfont #1}}
  \newcommand\rightleft[1]{#1}
\fi
"""
_END = r"""\setlength{\textwidth}{17cm}\setlength{\textheight}{25cm}
\setlength{\oddsidemargin}{-0.55cm}\setlength{\topmargin}{-1.6cm}
\setlength{\parindent}{0pt}\setlength{\parskip}{6pt plus 2pt}\setlength{\tabcolsep}{4pt}
\setcounter{secnumdepth}{0}\allowdisplaybreaks\relpenalty=0\binoppenalty=0
\makeatletter
\renewcommand\paragraph{\@startsection{paragraph}{4}{0pt}{2.5ex plus 1ex}{0.6ex}{\normalsize\bfseries}}
\renewcommand\subparagraph{\@startsection{subparagraph}{5}{0pt}{2ex plus 1ex}{0.4ex}{\normalsize\bfseries\itshape}}
\makeatother
\AtBeginDocument{\raggedright\sloppy}
"""


def preamble(body: str, beyond: Iterable[str]) -> str:
    """The preamble for a body that has characters `beyond` what pdfLaTeX knows."""
    beyond = sorted(beyond)
    has_cyrillic = any("\u0400" <= character <= "\u04ff" for character in body)
    first = f"{FIRST_LINE}\n" if beyond else ""
    fonts = _fonts([*beyond, *("\u0416" if has_cyrillic else "")])
    fallback = _FALLBACK % "\n".join(rf"  \trying{{{font}}}" for font in fonts) if fonts else ""
    return first + _START + fallback + _PDF % ("T2A,T1" if has_cyrillic else "T1") + _END


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
