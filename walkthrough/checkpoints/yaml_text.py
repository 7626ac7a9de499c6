"""A scenario's keys as YAML text: short mappings on a line of their own, words in quotes where they need them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from walkthrough.scenario.yaml.nodes import ScalarNode

WIDE = 120
_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./-]*")
_OTHERS = {"y", "n", "yes", "no", "on", "off"}
"""Truth values to readers of the older YAML 1.1."""
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


Path = tuple[Any, ...]
ASKED = "  # ?"
"""How a line ends that somebody has to look at."""


def yaml_text(keys: Mapping[str, Any], asked: Collection[Path] = ()) -> str:
    """The text of a mapping of mappings, lists, words, numbers and truth values.

    asked: the paths of values, keys and numbers from 0, that somebody has to look at
    """
    return "".join(f"{line}\n" for line in _mapping(keys, 0, asked))


def word(text: str) -> str:
    """A word as YAML: in double quotes with escapes where it would be misread or has invisible characters."""
    is_word = isinstance(ScalarNode(text, True, 0, 0).value, str) and text.lower() not in _OTHERS
    if _PLAIN.fullmatch(text) and is_word:
        return text
    return "".join(map(_escape, json.dumps(text, ensure_ascii=False)))


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN and character != "\ufeff":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{word(key)}: {_flow(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return word(value) if isinstance(value, str) else repr(value)


def _mapping(keys: Mapping[str, Any], depth: int, asked: Collection[Path]) -> Iterator[str]:
    indent = "  " * depth
    for key, value in keys.items():
        inside = _within(asked, key)
        mark = ASKED if () in inside else ""
        is_block = any(inside)
        line = f"{indent}{word(key)}: {_flow(value)}"
        if (len(line) <= WIDE and not is_block) or not isinstance(value, Mapping | list | tuple):
            yield line + mark
        elif isinstance(value, Mapping) and (is_block or not _is_flat(value)):
            yield f"{indent}{word(key)}:{mark}"
            yield from _mapping(value, depth + 1, inside)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            yield f"{indent}{word(key)}:{mark}"
            for at, item in enumerate(value):
                first, *others = list(_mapping(item, depth + 2, _within(inside, at))) or ["{}"]
                yield f"{indent}  - {first.lstrip()}"
                yield from others
        else:
            *lines, last = _wrap(f"{indent}{word(key)}: ", value, indent)
            yield from lines
            yield last + mark


def _within(asked: Collection[Path], key: Any) -> list[Path]:
    """The paths below a key."""
    return [path[1:] for path in asked if path[:1] == (key,)]


def _is_flat(value: Mapping[str, Any]) -> bool:
    return not any(isinstance(one, Mapping | list | tuple) for one in value.values())


def _wrap(before: str, value: Any, indent: str) -> Iterator[str]:
    """A long list or mapping of words and numbers over several lines, in brackets."""
    text = _flow(value)
    opening, closing = text[0], text[-1]
    pairs = value.items() if isinstance(value, Mapping) else ((None, one) for one in value)
    pieces = [_flow(one) if key is None else f"{word(key)}: {_flow(one)}" for key, one in pairs]
    line = before + opening
    for at, piece in enumerate(pieces):
        piece += "," if at < len(pieces) - 1 else closing
        if line.strip() and len(line) + len(piece) + 1 > WIDE and not line.endswith(opening):
            yield line
            line = f"{indent}  {piece}"
        else:
            line += piece if line.endswith(opening) else f" {piece}"
    yield line
