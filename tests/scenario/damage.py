"""Damages scenarios: takes a good text and a generator of random numbers, and makes something else of it."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import read_nodes

Data = Any
"""Numbers, texts, lists, and mappings as lists of pairs in a `Pairs`, which may repeat a key."""


class Pairs(list[Any]):
    """A mapping: keys and values in the order written."""


STRANGE: list[Data] = [
    *("text", "", "no", "[", "causal", "padding", "sinusoidal", "sqrt_d_k", "none", "pre", "sample", None, True),
    *(math.nan, math.inf, -math.inf, -1, 0, 1, 2, 3, 0.5, 7, 1e300, -1e300, 1e-300, 10**9),
    *([], [[]], [1], [1, 2], [[1, 2], [3, 4]], [[1, 2], [3]], [["a"]], [[None]], [[[1]]], ["a", "b"]),
    *(Pairs(), Pairs([("a", 1)]), Pairs([("init", "normal")]), Pairs([("init", "zeros")])),
    *(Pairs([("file", "no.npz"), ("tensor", "x")]), Pairs([("repeat", 2), ("layer", Pairs())])),
]

KEYS = [
    *("w_q", "w_k", "w_o", "w_1", "b_2", "q", "k", "v", "scores", "weights", "output", "gamma", "mask", "scale", "d_k"),
    *("layers", "heads", "num_heads", "text", "tokens", "embeddings", "vocabulary", "encoder", "decoder", "attention"),
    *("cross_attention", "norm_1", "final_norm", "residual", "norm_order", "tied", "init", "file", "zzz"),
]


def data_of(text: str) -> Data:
    """A YAML text as data."""
    node = read_nodes(text, Problems())
    assert node is not None
    return _data(node)


def _data(node: Node) -> Data:
    if isinstance(node, MappingNode):
        return Pairs((key.text, _data(value)) for key, value in node.entries)
    if isinstance(node, ListNode):
        return [_data(item) for item in node.items]
    return node.value


def written(data: Data, indent: str = "") -> str:
    """Data as YAML: mappings as blocks, lists in brackets."""
    if isinstance(data, Pairs) and data:
        return "".join(f"\n{indent}{json.dumps(key)}: {written(value, indent + '  ')}" for key, value in data)
    if isinstance(data, Pairs):
        return "{}"
    if isinstance(data, list):
        return f"[{', '.join(map(_inline, data))}]"
    return _inline(data)


def _inline(data: Data) -> str:
    if isinstance(data, Pairs):
        return "{" + ", ".join(f"{json.dumps(key)}: {_inline(value)}" for key, value in data) + "}"
    if isinstance(data, list):
        return f"[{', '.join(map(_inline, data))}]"
    return {"NaN": ".nan", "Infinity": ".inf", "-Infinity": "-.inf"}.get(json.dumps(data), json.dumps(data))


def containers(data: Data) -> Iterator[Any]:
    """Every list and mapping in the data."""
    if isinstance(data, list):
        if data:
            yield data
        for item in data:
            yield from containers(item[1] if isinstance(data, Pairs) else item)


def damaged_data(data: Data, chance: random.Random) -> str:
    """One or two random changes to the data, as YAML again."""
    data = copy.deepcopy(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        target = chance.choice(list(containers(data)))
        chance.choice(MAPPING_CHANGES if isinstance(target, Pairs) else LIST_CHANGES)(target, chance)
        if not data:
            break
    return written(data).lstrip("\n") + "\n"


def _put(target: Any, at: int, value: Data) -> None:
    target[at] = (target[at][0], value) if isinstance(target, Pairs) else value


def _replace(target: Any, chance: random.Random) -> None:
    _put(target, chance.randrange(len(target)), copy.deepcopy(chance.choice(STRANGE)))


def _delete(target: Any, chance: random.Random) -> None:
    del target[chance.randrange(len(target))]


def _repeat(target: Any, chance: random.Random) -> None:
    target.insert(chance.randrange(len(target) + 1), copy.deepcopy(chance.choice(target)))


def _rename(target: Any, chance: random.Random) -> None:
    at = chance.randrange(len(target))
    key = target[at][0]
    cut = chance.randrange(len(key) + 1)
    target[at] = (
        chance.choice([key[:cut] + key[cut + 1 :], key + "s", key.upper(), chance.choice(KEYS)]),
        target[at][1],
    )


def _add_key(target: Any, chance: random.Random) -> None:
    target.append((chance.choice(KEYS), copy.deepcopy(chance.choice(STRANGE))))


def _swap(target: Any, chance: random.Random) -> None:
    """Exchanges two values, so that right things stand in wrong places."""
    first, second = chance.randrange(len(target)), chance.randrange(len(target))
    if isinstance(target, Pairs):
        target[first], target[second] = (target[first][0], target[second][1]), (target[second][0], target[first][1])
    else:
        target[first], target[second] = target[second], target[first]


def _drop_column(target: Any, chance: random.Random) -> None:
    """A matrix loses its last column, anything else its last item."""
    for row in target if all(isinstance(row, list) for row in target) else [target]:
        if row:
            row.pop()


MAPPING_CHANGES: list[Callable[[Any, random.Random], None]] = [
    _replace, _replace, _replace, _delete, _delete, _repeat, _rename, _rename, _add_key, _add_key, _swap,
]  # fmt: skip
LIST_CHANGES: list[Callable[[Any, random.Random], None]] = [_replace, _delete, _repeat, _swap, _drop_column]


def damaged_text(text: str, chance: random.Random) -> str:
    """The text with something cut out, put in or moved, whatever that makes of the YAML."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.randrange(1, 20))
    kind = chance.randrange(4)
    if kind == 0:
        return text[:start]
    if kind == 1:
        return text[:start] + text[end:]
    if kind == 2:
        return text[:start] + chance.choice(SIGNS) + text[start:]
    lines = text.splitlines(keepends=True)
    chance.shuffle(lines) if chance.random() < 0.1 else lines.insert(
        chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines)))
    )
    return "".join(lines)


SIGNS = [
    *("\t", "[", "]", "{", "}", "'", '"', ":", ": ", "- ", "#", "&a ", "*a", "!", "|", ">", "%", "@", ",", "\n", " "),
    *("\0", "\x1b[31m", "\x07", "\u202e", "\u2028", "\ufeff", "é", "日", "🙂", "\ud800"),
    *("<<: ", "---\n", "...\n", "? "),
]
