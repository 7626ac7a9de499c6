"""Short names for the variables of a script, in all places where each is seen.

Two variables may have the same short name where neither is used in the other's scope. A scope is taken too wide rather
than too narrow: from the brace around a declaration to its end, of parameters from their bracket to the function's end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from typing import NamedTuple

KEYWORDS = frozenset(
    """as async await break case catch class const continue default delete do else false finally for from function get
    if in instanceof let new null of return set static super switch this throw true try typeof undefined var void while
    with yield""".split()  # noqa: SIM905 - read more easily
)
_OPENS_OBJECT = frozenset(["(", "=", ",", ":", "[", "?", "??", "&&", "||", "...", "return", "const", "let"])
_BEFORE_NAMES = frozenset(["(", "[", "{", ",", ":", "...", "const", "let", "function"])
_ENDS_EXPRESSION = frozenset([",", ";", ")", "]", "}", ""])
_FIRST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"


class Token(NamedTuple):
    """A piece of a script; blank: what stands before it, "", " " or a line's end."""

    kind: str
    text: str
    blank: str = ""


def renamed(tokens: list[Token]) -> list[Token]:
    """The tokens with short names for all variables that the script declares."""
    names = _Names(tokens)
    short = _assigned(names)
    found = []
    for at, token in enumerate(tokens):
        role, new = names.roles.get(at), short.get(token.text, token.text)
        if role == "short" and new != token.text:
            new = f"{token.text}:{new}"
        is_new = role in ("variable", "short") and new != token.text
        found.append(token._replace(text=new) if is_new else token)
    return found


def _assigned(names: _Names) -> dict[str, str]:
    """A short name for each that is declared: what is used most gets the first that is free there."""
    used, scopes = names.used(), names.scopes()
    kept = KEYWORDS | (set(used) - set(scopes))
    taken: dict[str, tuple[int, int]] = {}
    found = {}
    for name, places in sorted(used.items(), key=lambda item: -item[1].bit_count()):
        if name in scopes:
            scope = scopes[name]
            assert not places & ~scope, f"{name} is used where it is not declared"
            found[name] = new = next(
                new for new in _short_names(kept) if _is_free(*taken.get(new, (0, 0)), scope, places)
            )
            other = taken.get(new, (0, 0))
            taken[new] = other[0] | scope, other[1] | places
    return found


def _is_free(scope: int, places: int, own_scope: int, own_places: int) -> bool:
    """Whether neither is used in the scope of the other."""
    return not (scope & own_places or places & own_scope)


def _short_names(taken: frozenset[str]) -> Iterator[str]:
    """The shortest names that are not taken."""
    for length in count(1):
        for letters in product(_FIRST, repeat=length):
            if (name := "".join(letters)) not in taken:
                yield name


class _Names:
    """What each word of a script is: a key, a short form of key and variable, a property, or a variable."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.signs = ["text" if token.kind == "text" else token.text for token in tokens] + [""] * 2
        self.partner: dict[int, int] = {}
        self.around: list[int] = []
        opened: list[int] = []
        for at, token in enumerate(tokens):
            is_closed = token.text in (")", "]", "}") and token.kind == "sign"
            if is_closed or _continues(token):
                begin = opened.pop()
                self.partner[begin], self.partner[at] = at, begin
            self.around.append(opened[-1] if opened else -1)
            if (token.kind == "sign" and token.text in ("(", "[", "{")) or _is_left_open(token):
                opened.append(at)
        self.roles = {at: self._role(at) for at, token in enumerate(tokens) if token.kind == "word"}

    def _is_in_object(self, at: int) -> bool:
        around = self.around[at]
        return around >= 0 and self.signs[around] == "{" and self.signs[around - 1] in _OPENS_OBJECT

    def _role(self, at: int) -> str:
        before, after = self.signs[at - 1], self.signs[at + 1]
        if before in (".", "?.") or (before in ("get", "set") and after == "("):
            return "property"
        if before in ("{", ",") and self._is_in_object(at):
            return "key" if after in (":", "(") else "short"
        return "variable"

    def used(self) -> dict[str, int]:
        """All variables, each with the tokens that it is: a set as the bits of a number."""
        found: dict[str, int] = {}
        for at, role in self.roles.items():
            if role in ("variable", "short"):
                name = self.tokens[at].text
                found[name] = found.get(name, 0) | 1 << at
        return found

    def scopes(self) -> dict[str, int]:
        """The names that the script itself declares, each with the tokens among which it may be seen, as bits."""
        found: dict[str, int] = {}
        for at, _token in enumerate(self.tokens):
            for name in self._declared(at) - KEYWORDS:
                found[name] = found.get(name, 0) | self._scope(at)
        return found

    def _declared(self, at: int) -> set[str]:
        """The names that are declared by what begins at a token."""
        token = self.tokens[at]
        if token.kind == "word":
            if token.text in ("const", "let", "function"):
                return self._pattern(at + 1)
            return {token.text} if self.signs[at + 1] == "=>" or self._is_further(at) else set()
        is_bracket = token.text in ("(", "[", "{") and token.kind == "sign"
        return self._pattern(at) if is_bracket and self._is_pattern(at) else set()

    def _is_further(self, at: int) -> bool:
        """Whether this is one of several names of one declaration, or a parameter with a value of its own."""
        return self.signs[at - 1] == "," and self.signs[at + 1] == "="

    def _is_pattern(self, at: int) -> bool:
        """Whether a bracket is around parameters, or around names that a further declaration takes apart."""
        behind = self.signs[self.partner[at] + 1]
        if self.signs[at] != "(":
            return self.signs[at - 1] == "," and behind == "="
        return "function" in self.signs[at - 2 : at] or self.signs[at - 1] == "catch" or behind == "=>"

    def _pattern(self, at: int) -> set[str]:
        """The names in a pattern, which is one name or stands in brackets; not what they are where nothing is given."""
        last = self.partner.get(at, at)
        return {
            self.signs[inside]
            for inside in range(at, last + 1)
            if self.roles.get(inside) in ("variable", "short")
            and not self.signs[inside][0].isdigit()
            and self.signs[inside - 1] in _BEFORE_NAMES
        }

    def _scope(self, at: int) -> int:
        """Where names are seen that are declared by what begins here."""
        last = self.partner.get(at, at)
        if self.signs[at] == "(" or self.signs[at + 1] == "=>":
            return _bits(at, self._end(last + 1 + (self.signs[last + 1] == "=>")))
        at = self.around[at]
        while at >= 0 and self.signs[at] != "{":
            at = self.around[at]
        return _bits(at, self.partner[at]) if at >= 0 else _bits(0, len(self.tokens))

    def _end(self, at: int) -> int:
        """Where the body of a function ends that begins here: a block, or an expression."""
        if self.signs[at] == "{":
            return self.partner[at]
        while self.signs[at] not in _ENDS_EXPRESSION and self.partner.get(at, at) >= at:
            while self.partner.get(at, at) > at:  # of a template piece after piece
                at = self.partner[at]
            at += 1
        return at


def _bits(first: int, last: int) -> int:
    return (1 << last + 1) - (1 << first)


def _continues(token: Token) -> bool:
    """Whether this is a piece of a template behind what is computed in it."""
    return token.kind == "text" and token.text[0] == "}"


def _is_left_open(token: Token) -> bool:
    return token.kind == "text" and token.text.endswith("${")
