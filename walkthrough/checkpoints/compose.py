"""From a checkpoint folder to the text of a scenario that names its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import groupby
from pathlib import Path
from typing import Any

from walkthrough.checkpoints.config import NAME, family_of, read_config, read_settings, unknown_keys
from walkthrough.checkpoints.layout import CheckpointModel, Family, Tensor
from walkthrough.checkpoints.paths import key_of
from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.checkpoints.weights import Weights, weights_path
from walkthrough.checkpoints.words import FIRST, Prompt, Tokens, tokens_of
from walkthrough.checkpoints.yaml_text import yaml_text
from walkthrough.records import Record
from walkthrough.text import escape_text, in_quotes

Keys = dict[str, Any]


class Composed(Record):
    """The text of a scenario, and what its reader should know of it."""

    text: str
    notes: tuple[str, ...]


def compose(folder: Path, prompt: Prompt, called: str = "") -> Composed:
    """The scenario of a checkpoint folder.

    called: how the scenario is to name the folder; empty: as it is named here
    Raises CheckpointError.
    """
    if not folder.is_dir():
        raise CheckpointError(folder, "it is not a folder", "give the folder of a checkpoint, with config.json in it")
    config = read_config(folder)
    family = family_of(config, folder)
    model = _model(config, family, folder)
    weights = Weights(weights_path(folder), family, model)
    notes: list[str] = []
    head = _head(config, weights, notes)
    weights.check(has_head=head == "own")
    size = model.sizes["v"].number
    tokens = tokens_of(prompt, folder, size)
    if model.positions is not None and len(tokens.labels) > model.positions:
        fault = f"{len(tokens.labels)} tokens are given, but the model has only {model.positions} positions"
        raise CheckpointError(folder, fault)
    if (prompt.tokens, prompt.ids, prompt.text) == (None, None, None):
        notes.append(f"it reads the first {FIRST} ids; choose others with --tokens, --ids or --text")
    notes += [*model.notes, *_notes(config, family, weights, head)]
    keys = _keys(folder, weights, tokens, head, called or str(folder))
    comments = "".join(f"# {escape_text(note)}\n" for note in notes)
    return Composed(comments + yaml_text(keys), tuple(notes))


def _model(config: Mapping[str, Any], family: Family, folder: Path) -> CheckpointModel:
    """What the settings say. Raises CheckpointError with every setting that is at fault."""
    faults: list[str] = []
    values = read_settings(config, family, faults)
    if not faults:
        model = family.model(values, faults)
    if faults:
        raise CheckpointError(folder / NAME, faults)
    return model


def _head(config: Mapping[str, Any], weights: Weights, notes: list[str]) -> str:
    """Where the weight of the output head comes from: tied, own, or nothing where there is no head."""
    family, tensor = weights.family, weights.family.head_tensor
    if tensor is None:
        return ""
    name = tensor.names[0]
    if not weights.model.tied:
        names = config.get("architectures")
        wants = isinstance(names, list) and any(str(one).endswith(("ForCausalLM", "LMHeadModel")) for one in names)
        return "own" if name in weights.names or wants else ""
    table = weights.name_of(family.outside[0], weights.prefix)
    if name not in weights.names or weights.is_same(name, table):
        return "tied"
    notes.append(
        f"tie_word_embeddings is true, but {name} holds other numbers: it is used as the output head, "
        "as in transformers 5"
    )
    return "own"


def _notes(config: Mapping[str, Any], family: Family, weights: Weights, head: str) -> Iterator[str]:
    """What is left out, or not read."""
    yield from weights.notes(bool(head))
    if family.head and not head:
        yield "the file has no output head: the scenario ends with the hidden states"
    if "auto_map" in config:
        yield "config.json brings code of its own (auto_map), which is not run: the library's own model is used"
    others = [key for key in unknown_keys(config, family) if key != "auto_map"]
    if others:
        yield f"config.json: ignored, because it is not a setting of {family.name}: {', '.join(map(in_quotes, others))}"


def _keys(folder: Path, weights: Weights, tokens: Tokens, head: str, called: str) -> Keys:
    """The whole scenario; `called`: the folder, as the scenario names it."""
    family, model = weights.family, weights.model
    keys: Keys = {
        "title": f"{family.name} ({folder.resolve().name})",
        "weights_file": f"{called}/{weights.path.name}",
        "matrix_convention": family.convention,
        "tokens": list(tokens.labels),
        "vocabulary": {"file": f"{called}/{tokens.file}"} if tokens.file else dict(tokens.ids),
    }
    outside = {one.key: _keys_of_name(one, weights.name_of(one, weights.prefix), model) for one in family.outside}
    in_stack = [key for key in outside if key.startswith(f"{family.stack}.")]
    for key in outside:
        if key not in in_stack:
            _put(keys, key, outside[key])
    if model.embedding_norm is not None:
        keys["embedding_norm"] |= model.embedding_norm
    keys[family.stack] = {**model.stack, "layers": _layers(weights)}
    for key in in_stack:
        _put(keys, key, outside[key])
    if head == "tied":
        keys["output_head"] = {"tied": True}
    elif head and family.head_tensor is not None:
        keys["output_head"] = {"w": _keys_of_name(family.head_tensor, family.head_tensor.names[0], model)}
    return keys


def _layers(weights: Weights) -> Any:
    """The layers: one that is repeated, or a list of such where they differ."""
    model = weights.model
    runs = [(own, [at for at, _ in run]) for own, run in groupby(enumerate(model.own), key=lambda one: one[1])]
    layers = []
    for own, numbers in runs:
        repeat: Keys = {"repeat": len(numbers), **({"first": numbers[0]} if numbers[0] else {})}
        layers.append({**repeat, "layer": _layer(weights, own, numbers[0])})
    return layers[0] if len(layers) == 1 else layers


def _layer(weights: Weights, own: Mapping[str, Any], number: int) -> Keys:
    """A layer; the names of its tensors are those of the layer with that number, with {i} for it."""
    family, model = weights.family, weights.model
    before = weights.prefix + family.layer.replace("{i}", str(number))
    settings = deepcopy(dict(model.layer))
    settings[key_of("{self}", family.stack)] |= own
    layer: Keys = {}
    for tensor in weights.switched_on(family.in_layer):
        part = tensor.key.partition(".")[0]
        layer.setdefault(part, settings.get(part, {}))
        name = weights.prefix + family.layer + weights.name_of(tensor, before).removeprefix(before)
        _put(layer, tensor.key, _keys_of_name(tensor, name, model))
    return layer


def _keys_of_name(tensor: Tensor, name: str, model: CheckpointModel) -> Keys:
    """The mapping that names a tensor, or a part of it."""
    keys: Keys = {"tensor": name}
    if tensor.part is not None:
        at = next(at for at, axis in enumerate(tensor.axes) if not isinstance(axis, str))
        sizes = [size.number for size in model.sizes_of(tensor.axes[at])]
        first = sum(sizes[: tensor.part])
        keys["columns" if at == len(tensor.axes) - 1 else "rows"] = [first + 1, first + sizes[tensor.part]]
    if tensor.rows is not None:
        keys["rows"] = list(tensor.rows)
    if tensor.transposed:
        keys["transpose"] = True
    return keys


def _put(keys: Keys, path: str, value: Keys) -> None:
    """Puts a value at a dotted path."""
    *parts, last = path.split(".")
    for part in parts:
        keys = keys.setdefault(part, {})
    keys[last] = value
