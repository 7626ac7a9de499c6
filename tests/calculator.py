"""A pocket calculator: types in a printed line of arithmetic from left to right. It knows nothing of the package."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[a-z]+|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[+−×/^√(),?∞=≠])")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PAIR = re.compile(r"(.+?): ([−∞?\d.×^()/ ]+|nan)(?:, |$)")
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "round": lambda x: float(np.round(np.round(x, 12))),
    "max": lambda *values: float(np.max(values)),
    "ln": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": math.erf,
    "step": lambda x: math.nan if math.isnan(x) else float(x > 0),
}


def calculated(line: str) -> float:
    """The value of a line such as `1.04×(−0.12) + e^(−2) / √3²`; a SyntaxError where a person could not read it."""
    with np.errstate(all="ignore"):
        return float(_Line(re.sub(r" \[\d+ smaller terms\]", "", line)).value())


def chosen(line: str) -> str:
    """The label of the first largest number in `argmax(a: 0.1, b: 0.3)`; a number that is none, where there is one."""
    pairs = _PAIR.findall(line.removeprefix("argmax(").removesuffix(")"))
    numbers = [calculated(number) for _, number in pairs]
    if missing := [text for _, text in pairs if text in ("?", "nan")]:
        return missing[0]
    return pairs[numbers.index(max(numbers))][0]


def structure(line: str) -> object:
    """What a line is read as, in nested tuples; a SyntaxError where a person could not read it."""
    return _Structure(line).value()


_SIGNS: dict[str, Callable[..., float]] = {
    **_FUNCTIONS,
    "+": lambda left, right: left + right,
    "−": lambda left, right: left - right,
    "×": lambda left, right: left * right,
    "/": np.divide,
    "^": np.power,
    "minus": lambda x: -x,
    "√": np.sqrt,
    "e": np.exp,
    "=": lambda left, right, then, otherwise: then if left == right else otherwise,
    "≠": lambda left, right, then, otherwise: then if left != right else otherwise,
}


class _Line:
    """Recursive descent: + and −, then × and /, then powers and roots. A minus sign stands first or in brackets."""

    def __init__(self, line: str) -> None:
        self.tokens = [*_TOKEN.findall(line), ""]
        self.line = line
        if "".join(self.tokens) != re.sub(r"\s", "", line):
            raise SyntaxError(line)

    def apply(self, sign: str, *parts: Any) -> Any:
        return float(_SIGNS[sign](*parts))

    def value(self) -> Any:
        result = self.choice()
        self.take("")
        return result

    def take(self, *wanted: str) -> str:
        if wanted and self.tokens[0] not in wanted:
            raise SyntaxError(f"{self.tokens[0]!r} in {self.line!r}")
        return self.tokens.pop(0)

    def choice(self) -> Any:
        then = self.sum()
        if self.tokens[0] != "where":
            return then
        self.take("where")
        left, sign, right = self.sum(), self.take("=", "≠"), self.sum()
        self.take(",")
        self.take("else")
        return self.apply(sign, left, right, then, self.sum())

    def sum(self) -> Any:
        minus = self.tokens[0] == "−" and self.take()
        result = self.apply("minus", self.product()) if minus else self.product()
        while self.tokens[0] in ("+", "−"):
            result = self.apply(self.take(), result, self.product())
        return result

    def product(self) -> Any:
        result = self.power()
        while self.tokens[0] in ("×", "/"):
            result = self.apply(self.take(), result, self.power())
        return result

    def power(self) -> Any:
        if self.tokens[0] == "√":
            return self.apply(self.take(), self.atom())
        if self.tokens[0] == "e":
            self.take()
            self.take("^")
            return self.apply("e", self.atom())
        base = self.atom()
        if self.tokens[0] == "^":
            return self.apply(self.take(), base, self.atom())
        if self.tokens[0].isdigit() and not self.tokens[0].isascii():
            return self.apply("^", base, float(self.take().translate(_RAISED)))
        return base

    def atom(self) -> Any:
        token = self.take()
        if token == "(":
            result = self.choice()
            self.take(")")
            return result
        if token in _FUNCTIONS:
            self.take("(")
            arguments = [self.sum()]
            while self.take(",", ")") == ",":
                arguments.append(self.sum())
            return self.apply(token, *arguments)
        if token in ("∞", "?", "nan"):
            return math.inf if token == "∞" else math.nan
        if not token[:1].isdigit() or not token.isascii():
            raise SyntaxError(f"{token!r} in {self.line!r}")
        return float(token)


class _Structure(_Line):
    """The same reading, nothing worked out."""

    def apply(self, sign: str, *parts: Any) -> Any:
        return sign, *parts
