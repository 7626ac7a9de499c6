"""Lines of a program that are not too long."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise

WIDEST = 100


def assignment(name: str, code: str) -> list[str]:
    """`name = code`, on several lines where it is long: a call is opened, anything else stands in brackets."""
    line = f"{name} = {code}"
    if len(line) <= WIDEST:
        return [line]
    if _arguments(code) is not None:
        return list(_opened(f"{name} = ", code, ""))
    return [f"{name} = (", *(f"    {part}" for part in _folded(code, "    ")), ")"]


def _folded(code: str, indent: str) -> list[str]:
    return textwrap.wrap(code, WIDEST - len(indent) - 1, break_long_words=False, break_on_hyphens=False)


def _opened(before: str, code: str, indent: str) -> Iterator[str]:
    """A long call or list: what is between its brackets stands further in, if need be an argument a line."""
    inner = _arguments(code)
    if len(indent + before + code) < WIDEST:
        yield indent + before + code
        return
    if inner is None:  # within brackets of others a line may end at any space
        yield from (indent + part for part in _folded(code, indent))
        return
    together = ", ".join(inner)
    yield indent + before + code[: -len(together) - 1]
    if len(indent) + 4 + len(together) <= WIDEST:
        yield f"{indent}    {together}"
    else:
        for part in inner:
            *lines, last = _opened("", part, f"{indent}    ")
            yield from lines
            yield f"{last},"
    yield indent + code[-1]


def _arguments(code: str) -> list[str] | None:
    """The arguments of a call, or the items of a list, where a piece of code is nothing else."""
    begin = re.match(r"[\w.]+\(|\[", code)
    if begin is None:
        return None
    depth, commas = 0, [begin.end() - 1]
    for at, character in enumerate(code):
        depth += (character in "([") - (character in ")]")
        if depth == 1 and character == ",":
            commas.append(at)
        if depth == 0 and at >= begin.end():
            break
    if at < len(code) - 1:
        return None
    return [code[one + 1 : other].strip() for one, other in pairwise([*commas, at])]
