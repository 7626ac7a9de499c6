"""Scripts with short names for what they declare, without comments and blanks: the same program in fewer letters.

A name is renamed where it stands for a variable, a function or a parameter that the scripts declare, in all of them
alike; properties, keys and what the browser provides keep theirs, so `{row}` becomes `{row:a}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from walkthrough.views.page.short_names import Token, renamed

_TOKENS = re.compile(
    r"""(?P<word>[\w$]+)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<sign>=>|\.\.\.|\?\.(?!\d)|\?\?|&&|\|\||\+\+|--|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:\s+|/\*.*?\*/|//[^\n]*)*", re.DOTALL)
_TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.DOTALL)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")


def shortened(script: str) -> str:
    """The same script in fewer letters. It may use templates within templates; no classes, labels, empty statements."""
    tokens = renamed(list(_tokens(script)))
    return _joined(_bare(list(_declared_together(tokens))))


def _tokens(script: str) -> Iterator[Token]:
    """What a script consists of; a template is its pieces of text and the tokens between them."""
    at, last = 0, Token("sign", ";")
    braces: list[str] = []
    while True:
        blank = _BLANK.match(script, at)
        assert blank is not None
        if blank.end() == len(script):
            return
        kind, at = _next(script, blank.end(), last, braces)
        last = Token(kind, script[blank.end() : at], "\n" if "\n" in blank[0] else blank[0][:1])
        yield last


def _next(script: str, at: int, last: Token, braces: list[str]) -> tuple[str, int]:
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


def _is_before_pattern(last: Token) -> bool:
    """Whether a slash behind this token begins a regular expression."""
    if last.kind == "sign":
        return last.text not in (")", "]", "}")
    return last.text in ("return", "typeof", "case") or (last.kind == "text" and last.text.endswith("${"))


def _declared_together(tokens: list[Token]) -> Iterator[Token]:
    """`const a=1;const b=2;` as `let a=1,b=2;`: a declaration right after another goes on with it."""
    firsts, begins, joins = [""], True, False  # the first word of the statement at hand, in each open bracket
    for at, token in enumerate(tokens):
        text, is_sign = "let" if token.text == "const" else token.text, token.kind == "sign"
        if joins:
            joins = False
            continue
        if begins or _between(tokens[at - 1].text[-1], text[0], token.blank) == "\n":
            firsts[-1] = text
        begins = is_sign and text in ("(", "[", "{", ";")
        if is_sign and text in ("(", "[", "{"):
            firsts.append("")
        elif is_sign and text in (")", "]", "}"):
            firsts.pop()
            begins = text == "}" and firsts[-1] != "let"
        elif text == ";" and firsts[-1] == "let" and tokens[at + 1 : at + 2]:
            joins = tokens[at + 1].text in ("const", "let")
        text = "," if joins else text
        yield token if text == token.text else token._replace(text=text)
        begins = begins and not joins


def _bare(tokens: list[Token]) -> Iterator[Token]:
    """`(a)=>` as `a=>`."""
    signs = [token.text for token in tokens] + [""] * 3
    names = {at for at, token in enumerate(tokens) if token.kind == "word" and signs[at - 1] == "("}
    names = {at for at in names if signs[at + 1 : at + 3] == [")", "=>"]}
    for at, token in enumerate(tokens):
        if at in names:
            yield token._replace(blank=" ")
        elif at - 1 not in names and at + 1 not in names:
            yield token


def _joined(tokens: Iterator[Token]) -> str:
    """Tokens with the blanks between them that have to stay. Lines stay lines, so that none is joined to the next."""
    pieces: list[str] = []
    for token in tokens:
        if token.text == "}" and pieces[-1:] == [";"]:
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
