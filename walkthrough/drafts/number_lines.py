"""Lines of text that hold a row of numbers, perhaps behind a label. A calculation is none."""

from __future__ import annotations

import re

from walkthrough.drafts.cells import is_nothing, join_powers, read_number
from walkthrough.drafts.markup import clean
from walkthrough.records import Record

_BULLET = re.compile(r"^\s*(?:[-*•+]|[0-9]{1,2}[.)])\s+(?=[^\s0-9.,\-−–])")
_LIST = re.compile(r"(?P<label>.*?)[\[(]\s*(?P<numbers>[^\[\]()]*?)\s*[\])]\s*(?:ᵀ|\^T)?[\]),.;|]*", re.DOTALL)
_CALCULATION = re.compile(r"(?<![\w_^(\[.,])[-+−]?[0-9][0-9.,]*%?\)?\s*[=+*×·/÷≈]|[0-9)]\s+[-−]\s+|[=+*×·/÷√^]\s*\(?$")
_COUNTED = re.compile(r"(?<![\w_^])[0-9]")
_ROW_OF_R = re.compile(r"^\s*\[[0-9]{1,4},\]")
"""R counts rows before their numbers: `[1,] 0.4 0.6`."""
_LETTER = re.compile(r"[^\W\d_]")
_OPERATORS = "=≈+*×·/÷√^-−–(["
_CALCULATES = tuple("+*×·/÷−-@")
_MOST_WORDS, _LONGEST = 6, 60
_OF_A_MATRIX = re.compile(r"([^\W\d_]\w{0,3}['′]?)\s*[=≈]\s+([^\s=≈]+)")
"""`S = chai`: before the label of the first row stands what all rows are."""


_DECIMAL = re.compile(r"(?<=[0-9])\{,\}(?=[0-9])")
_COMMA = "‚"
"""Stands for a comma that LaTeX says to be decimal, while others part numbers."""
_PARTED = re.compile(r"[&|$]|\\[()]")
_VECTOR = re.compile(r"[=≈]\s*\(([^()\[\]]+)\)(?:ᵀ|\^T)?(?=\s*(?:[,;.:)]|$)|\s\s|\s[a-zäöüß]{2,}(?![\w(]))")
"""A name stands for it, and no calculation goes on with it."""
_ALL_DECIMAL = re.compile(r"\s*[-+−–]?[0-9]+,[0-9]+(?:(?:\s*;\s*|\s+)[-+−–]?[0-9]+,[0-9]+)+\s*")
"""Semicolons or blanks part numbers, each of which has a comma."""


class NumberLine(Record):
    """A row of numbers in a line of text.

    label:    what stands before them
    is_list:  they are in brackets
    is_named: the label is a name of its own, as in `q_chai = `, so that other lines do not go on with it
    matrix:   the name of what it is the first row of
    """

    label: str
    numbers: tuple[str, ...]
    is_list: bool = False
    is_named: bool = False
    matrix: str = ""


def number_line(text: str) -> NumberLine | None:
    """The numbers of a line; None where it is prose, or a calculation."""
    if len(text) > 100_000 or not (any(map(str.isdigit, text)) or text.strip() in ("...", "…", "⋮", "\\vdots")):
        return None
    line = _read(_ROW_OF_R.sub("", text).replace("&", " ").rstrip().removesuffix("\\\\"))
    line = _BULLET.sub("", line.replace("│", " ").replace("|", " "), count=1).strip(" ;")
    if not line:
        return None
    return _listed(line) or _in_words(join_powers(_plain(line)))


def _read(text: str) -> str:
    """The line without its markup; a comma in braces is told from one that parts."""
    return clean(_DECIMAL.sub(_COMMA, text))


def _plain(text: str) -> str:
    return text.replace(_COMMA, ",")


def take_vectors(text: str) -> tuple[list[NumberLine], str]:
    """`q_1 = (1, 2) and q_2 = (3, 4), so`: each with what stands before it, and the rest of the line."""
    line = _read(_PARTED.sub("  ", text))
    found, behind = [], 0
    for one in _VECTOR.finditer(line):
        before = line[behind : one.start(1)].removesuffix("(")
        if len(numbers := _numbers_in(one[1])) > 1:
            found.append(NumberLine(_plain(before).lstrip(" ,;.)").strip(), numbers, is_list=True, is_named=True))
            behind = one.end()
    return found, _plain(line[behind:]).strip(" ,;.)") if found else text


def _listed(line: str) -> NumberLine | None:
    """`q_chai = [1.04, 1.54]`: in brackets, where commas part."""
    found = _LIST.fullmatch(line)
    if not found:
        return None
    label = _plain(found["label"]).strip().strip("{\"',").replace('":', ":").replace("':", ":").strip()
    numbers = _numbers_in(found["numbers"])
    if not numbers or label.endswith(_CALCULATES):
        return None
    is_named = label.endswith(("=", "≈"))
    if not is_named and not any("." in number or "," in number for number in numbers) and not label.endswith(":"):
        return None if label or len(numbers) < 2 or line[:1] != "[" else NumberLine("", numbers, is_list=True)
    if len(label) > _LONGEST or (line[found.end("label")] == "(" and not is_named and not label.endswith(":")):
        return None
    return NumberLine(label.removesuffix(":").strip(), numbers, is_list=True, is_named=is_named)


def _numbers_in(brackets: str) -> tuple[str, ...]:
    """What stands in brackets; nothing where it is no row of numbers."""
    sign = r"[;\s]+" if _ALL_DECIMAL.fullmatch(brackets) else r"[,;\s]+"
    parts = re.split(sign, join_powers(brackets))
    numbers = tuple(_plain(part) for part in parts if part)
    return numbers if all(map(_is_entry, numbers)) and any(map(_is_number, numbers)) else ()


def _in_words(line: str) -> NumberLine | None:
    """`chai 0.29 0.45`: parted by blanks."""
    words = line.split()
    first = len(words)
    while first and _is_entry(words[first - 1].rstrip(",;")) and not (words[first - 1] == "-" and first < len(words)):
        first -= 1
    numbers = tuple(word.rstrip(",;") for word in words[first:])
    label = " ".join(words[:first])
    if not numbers or (not label and len(numbers) == 1 and not is_nothing(numbers[0])):
        return None
    if not any(map(_is_number, numbers)) and label:
        return None
    if len(numbers) > 1 and (both := _OF_A_MATRIX.fullmatch(label)) and _is_label(both[2], len(numbers)):
        return NumberLine(both[2], numbers, matrix=both[1])
    if label and not _is_label(label, len(numbers)):
        return None
    is_named = label.endswith(("=", "≈"))
    return NumberLine(label.removesuffix(":").strip(), numbers, is_named=is_named)


def _is_label(label: str, count: int) -> bool:
    if count == 1 and _COUNTED.search(label):  # a sentence with numbers in it
        return False
    if len(label) > _LONGEST or len(label.split()) > _MOST_WORDS or _CALCULATION.search(label):
        return False
    if len(label) == 1 and not label.isalnum():  # a token such as . or !
        return count > 1 and label not in _OPERATORS
    is_equation = bool(set("=≈") & set(label[:-1]))
    return bool(_LETTER.search(label)) and not is_equation and not label.endswith((",", ".", "(", "–", "-"))


def _is_entry(word: str) -> bool:
    return is_nothing(word) or _is_number(word)


def _is_number(word: str) -> bool:
    return read_number(word) is not None
