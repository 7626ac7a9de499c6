"""What a checkpoint is: a folder whose config.json names its family, or a nanoGPT, known by its tensors' names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from walkthrough.checkpoints.config import NAME, family_of, known_families, read_config, read_settings
from walkthrough.checkpoints.families.nanogpt import NANOGPT, read_off, root_of
from walkthrough.checkpoints.layout import Family
from walkthrough.checkpoints.problems import DESCRIBE, CheckpointError
from walkthrough.checkpoints.settings import Values
from walkthrough.checkpoints.weights import Weights, opened, weights_path
from walkthrough.records import Record
from walkthrough.scenario.tensors.files import KINDS, WeightsFile, hint_for, open_weights


class Source(Record):
    """A checkpoint: its folder, its settings as written, and its tensors."""

    folder: Path
    config: Mapping[str, Any]
    weights: Weights


def open_source(path: Path, heads: int | None = None) -> Source:
    """The checkpoint in a folder, or a file of tensors without settings. Raises CheckpointError.

    heads: how many heads it has, where no config.json says it
    """
    if path.is_file():
        config = read_config(path.parent) if (path.parent / NAME).exists() else {}
        if "model_type" in config:
            raise CheckpointError(path, f"there is a {NAME} beside it that names its family", f"give {path.parent}")
        if not path.name.endswith(tuple(KINDS)) and not hint_for(path):
            raise CheckpointError(
                path, "it holds no tensors", "give the folder of a checkpoint, with config.json in it"
            )
        return _unnamed(path.parent, path, config, heads)
    if not path.is_dir():
        fault = "it is neither a folder nor a file" if path.exists() else "there is no such folder or file"
        raise CheckpointError(path, fault, "give the folder of a checkpoint, with config.json in it")
    has_weights = not (path / NAME).exists() and any(path.glob("*.safetensors"))
    config = {} if has_weights else read_config(path)
    if "model_type" not in config:
        return _unnamed(path, weights_path(path), config, heads)
    if heads is not None:
        raise CheckpointError(path / NAME, "--heads is for a checkpoint whose config.json has no model_type")
    family = family_of(config, path)
    return _source(path, config, config, family, weights_path(path))


def _source(
    folder: Path, config: Mapping[str, Any], settings: Mapping[str, Any], family: Family, weights: Path
) -> Source:
    """The tensors of a family as its settings say. Raises CheckpointError with every setting that is at fault."""
    faults: list[str] = []
    values: Values = read_settings(settings, family, faults)
    if not faults:
        model = family.model(values, faults)
    if faults:
        raise CheckpointError(folder / NAME if config else weights, faults)
    return Source(folder, config, Weights(weights, family, model))


def _unnamed(folder: Path, path: Path, config: Mapping[str, Any], heads: int | None) -> Source:
    """A nanoGPT; a CheckpointError for any other model whose family nothing names."""
    file: WeightsFile = opened(path, lambda: open_weights(path))
    names = dict.fromkeys(file.names())
    root = root_of(names)
    if root is None:
        fault = (
            f"no model_type says what family it is, and its tensors are not named as a nanoGPT's: {known_families()}"
        )
        raise CheckpointError(path, fault, DESCRIBE)
    found = opened(path, lambda: read_off(names, root, file.shape))
    width, fused = found["n_embd"], f"{root}h.0.attn.c_attn.weight"
    if opened(path, lambda: file.shape(fused)) == [width, 3 * width]:
        fault = (
            f"the tensor '{fused}' is {width}×{3 * width}, as GPT-2 stores it, not {3 * width}×{width} as nanoGPT does"
        )
        raise CheckpointError(path, fault, f'write "model_type": "gpt2" in {folder / NAME}')
    differing = [
        f"{key} is {config[key]}, but the file has {size}"
        for key, size in found.items()
        if config.get(key, size) != size
    ]
    if differing:
        raise CheckpointError(folder / NAME, differing)
    written = config.get("n_head")
    if heads is not None and written is not None and heads != written:
        raise CheckpointError(folder / NAME, f"n_head is {written}, but --heads is {heads}")
    if heads is None and written is None:
        raise CheckpointError(path, "nothing says how many heads it has", "give --heads, or n_head in config.json")
    return _source(folder, config, {**config, **found, "n_head": written if heads is None else heads}, NANOGPT, path)
