"""Rewrites a scenario's text: what is calculated, without comments, prose and published numbers.

Matrices may be replaced; a repeated layer is then written out as often as it is repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.text import escape_text

_WIDE = 10_000_000
DROPPED = ("description", "source", "published", "inputs_are", "source_arithmetic")
"""Keys of a scenario that say something about it, and change no number of its calculation."""

Rows = Sequence[Sequence[str]]
"""A matrix as texts."""


class Plain(str):
    """A scalar that is written without quotes."""


class Quoted(str):
    """A scalar that is written in quotes."""


_SAFE: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Dumper(_SAFE):  # type: ignore[misc]
    """Writes words that would be read otherwise in quotes, and an empty value as nothing."""

    def ignore_aliases(self, data: Any) -> bool:
        """What is written twice is written out."""
        return True


def _plain(dumper: Any, text: Plain) -> Any:
    return dumper.represent_scalar(dumper.resolve(yaml.ScalarNode, str(text), (True, False)), str(text))


def _quote(dumper: Any, text: Quoted) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


def _text(dumper: Any, text: str) -> Any:
    """A text; of several lines as a block, in quotes where it would be read as a number or has hidden characters."""
    is_word = isinstance(ScalarNode(text, True, 0, 0).value, str)
    is_harmless = _escape_lines(text) == text
    style = '"' if not is_harmless else "|" if "\n" in text else None if is_word else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)


def _list(dumper: Any, items: list[Any]) -> Any:
    """A list of numbers or words, on one line."""
    is_flat = not any(isinstance(item, list | dict) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_flat)


Dumper.add_representer(list, _list)
Dumper.add_representer(Plain, _plain)
Dumper.add_representer(Quoted, _quote)
Dumper.add_representer(str, _text)
Dumper.add_multi_representer(str, _text)
Dumper.add_representer(type(None), lambda dumper, _: dumper.represent_scalar("tag:yaml.org,2002:null", ""))


def dump(data: Any) -> str:
    """Data as YAML; lists of numbers or words are on one line.

    Characters that reverse a line or move a cursor are in double quotes only, and written as the escapes of YAML.
    """
    text = yaml.dump(data, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=_WIDE, default_flow_style=False)
    return _escape_lines(text)


def _escape_lines(text: str) -> str:
    """A text of several lines without hidden characters."""
    return text if text.isprintable() else "\n".join(map(escape_text, text.split("\n")))


def rewrite(root: Node, matrices: Mapping[str, Any], changes: Mapping[str, Any], drop: Sequence[str] = ()) -> str:
    """The text of a scenario.

    matrices: what replaces the matrix at a path of keys, such as encoder.layers.1.attention.w_o
    changes:  keys at the top that get another value, or come first
    drop:     keys at the top that are left out, beside those that change no number
    """
    assert isinstance(root, MappingNode)
    entries = ((key.text, child) for key, child in root.entries)
    out = {name: _node(child, name, matrices) for name, child in entries if name not in (*DROPPED, *drop)}
    return dump({**out, **changes})


def matrix_data(numbers: Rows, like: Node, is_vector: bool) -> Any:
    """A matrix as it is written in a file, in the form of the one that it replaces; kept in few bits as that is."""
    rows = [[Plain(number) for number in row] for row in numbers]
    if isinstance(like, MappingNode) and _is_made(like) and (kept := like.get("quantize")) is not None:
        return {"values": rows, "quantize": _node(kept, "", {})}
    if isinstance(like, MappingNode) and len(like.entries) == len(rows) and not _is_made(like):
        return {_key(word): row for (word, _), row in zip(like.entries, rows, strict=True)}
    flat = isinstance(like, ListNode) and like.items and not isinstance(like.items[0], ListNode)
    return rows[0] if len(rows) == 1 and (flat or is_vector) else rows


def _is_made(node: MappingNode) -> bool:
    return any(isinstance(node.get(name), ScalarNode) for name in ("file", "tensor", "init"))


def _node(node: Node, path: str, matrices: Mapping[str, Any]) -> Any:
    if path in matrices:
        return matrices[path]
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if path.rpartition(".")[2] == "layers":
        return _layers(node, path, matrices)
    if isinstance(node, MappingNode):
        return {_key(key): _node(child, f"{path}.{key.text}", matrices) for key, child in node.entries}
    return [_node(child, f"{path}.{at}", matrices) for at, child in enumerate(node.items, 1)]


def _layers(node: Node, path: str, matrices: Mapping[str, Any]) -> list[Any]:
    """The layers, each as often as it is repeated."""
    layers: list[Any] = []
    for item in node.items if isinstance(node, ListNode) else [node]:
        repeat = item.get("repeat") if isinstance(item, MappingNode) else None
        layer = item.get("layer") if isinstance(item, MappingNode) else None
        if not isinstance(repeat, ScalarNode) or layer is None:
            layers.append(_node(item, f"{path}.{len(layers) + 1}", matrices))
            continue
        for _ in range(int(repeat.text)):
            layers.append(_node(layer, f"{path}.{len(layers) + 1}", matrices))
    return layers


def _key(key: ScalarNode) -> str:
    return str(_scalar(key)) if isinstance(key.value, str) else Plain(key.text)


def _scalar(node: ScalarNode) -> str:
    if not node.plain:
        return Quoted(node.text)
    return str(node.text) if isinstance(node.value, str) else Plain(node.text)
