"""From a checkpoint folder to the text of a scenario that names its tensors."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import groupby
from pathlib import Path
from typing import Any

from walkthrough.checkpoints.config import NAME, unknown_keys
from walkthrough.checkpoints.layout import CheckpointModel, Family, LayerKind, Tensor
from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.checkpoints.source import open_source
from walkthrough.checkpoints.weights import Weights
from walkthrough.checkpoints.words import FIRST, Prompt, Tokens, tokens_of
from walkthrough.checkpoints.yaml_text import yaml_text
from walkthrough.records import Record
from walkthrough.text import escape_text, in_quotes

Keys = dict[str, Any]
MOST_RUNS = 2
"""Layers whose kind changes more often are written as a pattern."""


class Composed(Record):
    """The text of a scenario, and what its reader should know of it."""

    text: str
    notes: tuple[str, ...]


def compose(path: Path, prompt: Prompt, called: str = "", heads: int | None = None) -> Composed:
    """The scenario of a checkpoint: of a folder or its config.json, or of a file of tensors.

    called: how the scenario is to name the folder or file; empty: as it is named here
    heads:  how many heads the model has, where nothing else says it
    Raises CheckpointError.
    """
    if path.name == NAME and path.is_file():
        path, called = path.parent, called and (posixpath.dirname(called) or ".")
    source = open_source(path, heads)
    folder, config, weights = source.folder, source.config, source.weights
    model = weights.model
    notes: list[str] = []
    head = _head(config, weights, notes)
    weights.check(head)
    size = model.sizes["v"].number
    tokens = tokens_of(prompt, folder, size, model.padding)
    first = None if model.first is None else tokens_of(Prompt(ids=str(model.first)), folder, size)
    if model.positions is not None and len(tokens.labels) > model.positions:
        fault = f"{len(tokens.labels)} tokens are given, but the model has only {model.positions} positions"
        raise CheckpointError(folder, fault)
    if (prompt.tokens, prompt.ids, prompt.text) == (None, None, None):
        notes.append(f"it reads the first {FIRST} ids; choose others with --tokens, --ids or --text")
    notes += [*model.notes, *_notes(config, weights.family, weights, head)]
    called = called or str(path)
    named = called if folder == path else posixpath.dirname(called) or "."
    keys = _keys(path, weights, tokens, first, head, named)
    comments = "".join(f"# {escape_text(note)}\n" for note in notes)
    return Composed(comments + yaml_text(keys), tuple(notes))


def _head(config: Mapping[str, Any], weights: Weights, notes: list[str]) -> str:
    """Where the weight of the output head comes from: tied, own, or nothing where there is no head."""
    family = weights.family
    if not family.of_head:
        return ""
    name = weights.name_of(family.of_head[0], "")
    names = config.get("architectures")
    wants = isinstance(names, list) and any(str(one).endswith(("ForCausalLM", "LMHeadModel")) for one in names)
    if not weights.model.tied:
        return "own" if name in weights.names or wants else ""
    if not wants and any(weights.name_of(bias, "") not in weights.names for bias in family.of_head[1:]):
        return ""
    table = weights.name_of(family.outside[0], weights.prefix)
    if name not in weights.names or weights.is_same(name, table):
        return "tied"
    if "tie_word_embeddings" in family.settings:
        notes.append(
            f"tie_word_embeddings is true, but {name} holds other numbers: it is used as the output head, "
            "as in transformers 5"
        )
    return "own"


def _notes(config: Mapping[str, Any], family: Family, weights: Weights, head: str) -> Iterator[str]:
    """What is left out, or not read."""
    yield from weights.notes(bool(head))
    if family.of_head and not head:
        yield "the file has no output head: the scenario ends with the hidden states"
    if "auto_map" in config:
        yield "config.json brings code of its own (auto_map), which is not run: the library's own model is used"
    others = [key for key in unknown_keys(config, family) if key != "auto_map"]
    if others:
        yield f"config.json: ignored, because it is not a setting of {family.name}: {', '.join(map(in_quotes, others))}"


def _keys(path: Path, weights: Weights, tokens: Tokens, first: Tokens | None, head: str, called: str) -> Keys:
    """The whole scenario.

    first:  what the decoder begins with, where an encoder reads the tokens
    called: the folder, as the scenario names it
    """
    family, model = weights.family, weights.model
    keys: Keys = {
        "title": f"{family.name} ({path.resolve().name})",
        "weights_file": f"{called}/{weights.path.name}",
        "matrix_convention": family.convention,
        "tokens": list(tokens.labels),
        "vocabulary": {"file": f"{called}/{tokens.file}"} if tokens.file else dict(tokens.ids),
    }
    for key, named in _outside(weights).items():
        if not key.startswith(f"{family.stack}."):
            _put(keys, key, named)
            if key == "embeddings":
                keys |= model.input
    if model.embedding_norm is not None:
        keys["embedding_norm"] |= model.embedding_norm
    if weights.encoder is not None:
        keys["encoder"] = _stack(weights.encoder)
    keys[family.stack] = _stack(weights)
    if first is not None:
        keys[family.stack] = {"tokens": list(first.labels), **keys[family.stack]}
        keys["vocabulary"] = keys["vocabulary"] | first.ids
    if head:
        keys["output_head"] = _keys_of_head(weights, head)
    return keys


def _outside(weights: Weights) -> Keys:
    """The tensors outside the layers, by key."""
    return {
        one.key: _keys_of_name(one, weights.name_of(one, weights.prefix), weights.model)
        for one in weights.switched_on(weights.family.outside)
    }


def _stack(weights: Weights) -> Keys:
    """The keys of encoder or decoder: its settings, its layers, and its tensors outside them."""
    keys: Keys = {**deepcopy(dict(weights.model.stack)), "layers": _layers(weights)}
    before = f"{weights.family.stack}."
    for key, named in _outside(weights).items():
        if key.startswith(before):
            _put(keys, key.removeprefix(before), named)
    return keys


def _keys_of_head(weights: Weights, head: str) -> Keys:
    """The output head; one that is tied has no weight of its own, but may have a bias."""
    keys: Keys = {"tied": True} if head == "tied" else {}
    for tensor in weights.of_head(head):
        part = tensor.key.rpartition(".")[2]
        keys[part] = _keys_of_name(tensor, weights.name_of(tensor, ""), weights.model)
    return {**keys, **weights.model.head}


def _layers(weights: Weights) -> Any:
    """The layers: one that is repeated, with a pattern where kinds take turns; or a list of such where they differ."""
    kinds = weights.model.kinds
    runs = [(kind, [at for at, _ in run]) for kind, run in groupby(enumerate(kinds), key=lambda one: one[1])]
    if len(runs) > MOST_RUNS and len({kind.switches for kind in kinds}) == 1:
        return _pattern(weights, kinds)
    layers = []
    for kind, numbers in runs:
        repeat: Keys = {"repeat": len(numbers), **({"first": numbers[0]} if numbers[0] else {})}
        layers.append({**repeat, "layer": _layer(weights, kind.keys, numbers[0])})
    return layers[0] if len(layers) == 1 else layers


def _pattern(weights: Weights, kinds: Sequence[LayerKind]) -> Keys:
    """Layers of kinds that take turns, after as many layers as possible in the same way again."""
    count = len(kinds)
    length = next(one for one in range(1, count + 1) if all(kinds[at] == kinds[at % one] for at in range(count)))
    return {
        "repeat": count,
        "layer": _layer(weights, {}, 0),
        "pattern": [kind.name for kind in kinds[:length]],
        "kinds": {kind.name: deepcopy(dict(kind.keys)) for kind in kinds[:length]},
    }


def _layer(weights: Weights, own: Mapping[str, Mapping[str, Any]], number: int) -> Keys:
    """A layer; the names of its tensors are those of the layer with that number, with {i} for it.

    own: what it has beside the keys of every layer
    """
    family, model = weights.family, weights.model
    before = weights.prefix + family.layer.replace("{i}", str(number))
    settings = deepcopy(dict(model.layer))
    for section, keys in own.items():
        settings[section] = {**settings.get(section, {}), **keys}
    layer: Keys = {}
    for tensor in weights.switched_on(family.in_layer, number):
        part = tensor.key.partition(".")[0]
        layer.setdefault(part, settings.get(part, {}))
        name = weights.prefix + family.layer + weights.name_of(tensor, before).removeprefix(before)
        _put(layer, tensor.key, _keys_of_name(tensor, name, model))
    return layer


def _keys_of_name(tensor: Tensor, name: str, model: CheckpointModel) -> Keys:
    """The mapping that names a tensor, or a part of it."""
    keys: Keys = {"tensor": name}
    axes = tensor.axes
    if tensor.module.stacked:
        keys["index"], axes = "{e}", axes[1:]
    if tensor.part is not None:
        at = next(at for at, axis in enumerate(axes) if not isinstance(axis, str))
        keys["columns" if at == len(axes) - 1 else "rows"] = _range(
            tensor, [size.number for size in model.sizes_of(axes[at])], model
        )
    if tensor.key in model.rows:
        keys["rows"] = list(model.rows[tensor.key])
    if tensor.module.transposed and len(axes) > 1:
        keys["transpose"] = True
    return keys


def _range(tensor: Tensor, sizes: Sequence[int], model: CheckpointModel) -> list[Any]:
    """Which rows or columns of a tensor are the part, counted from 1."""
    part, count = tensor.part or 0, len(sizes)
    if tensor.module.order == "alternate":
        return [part + 1, sum(sizes) - count + part + 1, count]
    if tensor.module.order == "by_head":
        own = tensor.module.groups
        groups = model.sizes[own].number if own else min(sizes) // model.sizes["head"].number
        width, first = sum(sizes) // groups, sum(sizes[:part]) // groups
        starts = range(first, sum(sizes), width)
        return [[start + 1, start + sizes[part] // groups] for start in starts]
    first = sum(sizes[:part])
    return [first + 1, first + sizes[part]]


def _put(keys: Keys, path: str, value: Keys) -> None:
    """Puts a value at a dotted path."""
    *parts, last = path.split(".")
    for part in parts:
        keys = keys.setdefault(part, {})
    keys[last] = value
