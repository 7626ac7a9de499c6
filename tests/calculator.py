"""A pocket calculator: types in a printed line of arithmetic from left to right. It knows nothing of the package."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[a-z]+|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[+−×/^√(),?∞=≠])")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PAIR = re.compile(r"(.+?): ([−∞?\d.×^()]+|nan)(?:, |$)")
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
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
        return _Line(re.sub(r" \[\d+ smaller terms\]", "", line)).value()


def chosen(line: str) -> str:
    """The label of the first largest number in `argmax(a: 0.1, b: 0.3)`; a number that is none, where there is one."""
    pairs = _PAIR.findall(line.removeprefix("argmax(").removesuffix(")"))
    numbers = [calculated(number) for _, number in pairs]
    if missing := [text for _, text in pairs if text in ("?", "nan")]:
        return missing[0]
    return pairs[numbers.index(max(numbers))][0]


class _Line:
    """Recursive descent: + and −, then × and /, then powers and roots. A minus sign stands first or in brackets."""

    def __init__(self, line: str) -> None:
        self.tokens = [*_TOKEN.findall(line), ""]
        self.line = line
        if "".join(self.tokens) != re.sub(r"\s", "", line):
            raise SyntaxError(line)

    def value(self) -> float:
        result = self.choice()
        self.take("")
        return float(result)

    def take(self, *wanted: str) -> str:
        if wanted and self.tokens[0] not in wanted:
            raise SyntaxError(f"{self.tokens[0]!r} in {self.line!r}")
        return self.tokens.pop(0)

    def choice(self) -> float:
        then = self.sum()
        if self.tokens[0] != "where":
            return then
        self.take("where")
        left, sign, right = self.sum(), self.take("=", "≠"), self.sum()
        self.take(",")
        self.take("else")
        otherwise = self.sum()
        return then if (left == right) == (sign == "=") else otherwise

    def sum(self) -> float:
        minus = self.tokens[0] == "−" and self.take()
        result = -self.product() if minus else self.product()
        while self.tokens[0] in ("+", "−"):
            result = result + self.product() if self.take() == "+" else result - self.product()
        return result

    def product(self) -> float:
        result = self.power()
        while self.tokens[0] in ("×", "/"):
            result = result * self.power() if self.take() == "×" else np.divide(result, self.power())
        return result

    def power(self) -> float:
        if self.tokens[0] == "√":
            self.take()
            return float(np.sqrt(self.atom()))
        if self.tokens[0] == "e":
            self.take()
            self.take("^")
            return float(np.exp(self.atom()))
        base = self.atom()
        if self.tokens[0] == "^":
            self.take()
            return float(np.power(base, self.atom()))
        if self.tokens[0].isdigit() and not self.tokens[0].isascii():
            return float(np.power(base, float(self.take().translate(_RAISED))))
        return base

    def atom(self) -> float:
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
            return float(_FUNCTIONS[token](*arguments))
        if token in ("∞", "?", "nan"):
            return math.inf if token == "∞" else math.nan
        if not token[:1].isdigit() or not token.isascii():
            raise SyntaxError(f"{token!r} in {self.line!r}")
        return float(token)
