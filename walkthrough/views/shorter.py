"""Scripts with short names for what they declare, without comments and blanks: the same program in fewer letters.

A name is renamed where it stands for a variable, a function or a parameter that the scripts declare, in all of them
alike; properties, keys and what the browser provides keep theirs, so `{row}` becomes `{row:a}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count, product
from typing import NamedTuple

_TOKENS = re.compile(
    r"""(?P<word>[\w$]+)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<sign>=>|\.\.\.|\?\.(?!\d)|\?\?|&&|\|\||\+\+|--|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:\s+|/\*.*?\*/|//[^\n]*)*", re.DOTALL)
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
_KEYWORDS = frozenset(
    """as async await break case catch class const continue default delete do else false finally for from function get
    if in instanceof let new null of return set static super switch this throw true try typeof undefined var void while
    with yield""".split()  # noqa: SIM905 - read more easily
)
_OPENS_OBJECT = frozenset(["(", "=", ",", ":", "[", "?", "??", "&&", "||", "...", "return", "const", "let"])
_BEFORE_NAMES = frozenset(["(", "[", "{", ",", ":", "...", "const", "let", "function"])
_FIRST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"


class _Token(NamedTuple):
    """A piece of a script; blank: what stands before it, "", " " or a line's end."""

    kind: str
    text: str
    blank: str = ""


def shortened(script: str) -> str:
    """The same script in fewer letters. It may use templates within templates, but neither classes nor labels."""
    tokens = list(_tokens(script))
    return _joined(_renamed(tokens))


def _tokens(script: str) -> Iterator[_Token]:
    """What a script consists of; a template is its pieces of text and the tokens between them."""
    at, last = 0, _Token("sign", ";")
    braces: list[str] = []
    while True:
        blank = _BLANK.match(script, at)
        assert blank is not None
        if blank.end() == len(script):
            return
        kind, at = _next(script, blank.end(), last, braces)
        last = _Token(kind, script[blank.end() : at], "\n" if "\n" in blank[0] else blank[0][:1])
        yield last


def _next(script: str, at: int, last: _Token, braces: list[str]) -> tuple[str, int]:
    """The kind of what begins here, and where it ends; braces: those that are open, a template's among them."""
    sign = script[at]
    if sign == "`" or (sign == "}" and braces and braces[-1] == "${"):
        if sign == "}":
            braces.pop()
        template = _TEMPLATE.match(script, at + 1)
        assert template is not None, "a template has no end"
        if template[0].endswith("${"):
            braces.append("${")
        return "text", template.end()
    token = _TOKENS.match(script, at)
    assert token is not None
    if sign == "/" and token.lastgroup == "sign" and _is_before_pattern(last):
        pattern = _PATTERN.match(script, at)
        assert pattern is not None, "a regular expression has no end"
        return "text", pattern.end()
    if sign == "{":
        braces.append("{")
    elif sign == "}" and braces:
        braces.pop()
    return str(token.lastgroup), token.end()


def _is_before_pattern(last: _Token) -> bool:
    """Whether a slash behind this token begins a regular expression."""
    if last.kind == "sign":
        return last.text not in (")", "]", "}")
    return last.text in ("return", "typeof", "case") or (last.kind == "text" and last.text.endswith("${"))


class _Names:
    """What each word of a script is: a key, a short form of key and variable, a property, or a variable."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.signs = ["text" if token.kind == "text" else token.text for token in tokens] + [""] * 2
        self.partner: dict[int, int] = {}
        self.around: list[int] = []
        opened: list[int] = []
        for at, token in enumerate(tokens):
            is_closed = token.text in (")", "]", "}") and token.kind == "sign"
            if is_closed or (token.kind == "text" and token.text[0] == "}"):
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

    def declared(self) -> set[str]:
        """The names that the script itself declares."""
        found: set[str] = set()
        for at, token in enumerate(self.tokens):
            if token.kind == "word":
                if token.text in ("const", "let", "function"):
                    found |= self._pattern(at + 1)
                elif self.signs[at + 1] == "=>" or (self.signs[at - 1] == "," and self.signs[at + 1] == "="):
                    found.add(token.text)
            elif token.text in ("(", "[", "{") and token.kind == "sign" and self._is_pattern(at):
                found |= self._pattern(at)
        return found - _KEYWORDS

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


def _is_left_open(token: _Token) -> bool:
    return token.kind == "text" and token.text.endswith("${")


def _renamed(tokens: list[_Token]) -> list[_Token]:
    names = _Names(tokens)
    used = Counter(tokens[at].text for at, role in names.roles.items() if role in ("variable", "short"))
    declared = names.declared()
    free = _short_names(_KEYWORDS | (set(used) - declared))
    short = {name: next(free) for name, _ in used.most_common() if name in declared}
    found = []
    for at, token in enumerate(tokens):
        role, new = names.roles.get(at), short.get(token.text, token.text)
        if role == "short" and new != token.text:
            new = f"{token.text}:{new}"
        found.append(token._replace(text=new) if role in ("variable", "short") else token)
    return found


def _short_names(taken: frozenset[str]) -> Iterator[str]:
    """The shortest names that are not taken."""
    for length in count(1):
        for letters in product(_FIRST, repeat=length):
            if (name := "".join(letters)) not in taken:
                yield name


def _joined(tokens: list[_Token]) -> str:
    """Tokens with the blanks between them that have to stay. Lines stay lines, so that none is joined to the next."""
    pieces: list[str] = []
    for token in tokens:
        if token.text == "}" and pieces[-1:] == [";"] and pieces[-2] != ")":
            pieces.pop()
        if pieces and token.blank:
            pieces.append(_between(pieces[-1][-1], token.text[0], token.blank))
        pieces.append(token.text)
    return "".join(pieces)


def _between(before: str, after: str, blank: str) -> str:
    """What has to stay of a blank between two characters."""
    if blank == "\n":
        return "" if before in "{;,([=&|?:+<>" or after in "}]),;.?:&|=<>" else "\n"
    is_word = (before.isalnum() or before in "_$") and (after.isalnum() or after in "_$")
    return " " if is_word or (before == after and before in "+-") else ""
