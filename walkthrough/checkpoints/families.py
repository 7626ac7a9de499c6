"""The families that can be read, by the `model_type` of their config.json. A new one is a table, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from walkthrough.checkpoints import bert, gpt2, llama
from walkthrough.checkpoints.config import NAME
from walkthrough.checkpoints.layout import Family
from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.checkpoints.settings import shown

FAMILIES: dict[str, Family] = {**bert.FAMILIES, **gpt2.FAMILIES, **llama.FAMILIES}


def family_of(config: Mapping[str, Any], folder: Path) -> Family:
    """The family of a config.json. Raises CheckpointError where it is not known."""
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in FAMILIES:
        return FAMILIES[kind]
    known = ", ".join(FAMILIES)
    if "model_type" not in config:
        raise CheckpointError(folder / NAME, "model_type is missing", f"it names the family; known are {known}")
    fault = f"model_type is {shown(kind)}, a family that is not known here; known are {known}"
    raise CheckpointError(folder / NAME, fault, "for others write a scenario that names the tensors")
