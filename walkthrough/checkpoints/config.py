"""Reading config.json: its settings by the table of a family, every fault at once, nothing dropped in silence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.layout import Family
from walkthrough.checkpoints.problems import DESCRIBE, CheckpointError
from walkthrough.checkpoints.settings import COMMON, Values, value_of, write_value
from walkthrough.errors import reason_of

NAME = "config.json"
_LARGEST = 10_000_000


def read_json(path: Path, what: str) -> Any:
    """The content of a JSON file; a CheckpointError that says what is there instead."""
    try:
        if path.stat().st_size > 50 * _LARGEST:
            raise CheckpointError(path, f"the file is too large for {what}")
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise CheckpointError(path, "there is no such file", _MISSING.get(path.name, "")) from None
    except OSError as error:
        raise CheckpointError(path, f"it cannot be read: {reason_of(error)}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise CheckpointError(path, f"not valid JSON at {where}", f"expected {what}; is it complete?") from None
    except (ValueError, RecursionError):
        raise CheckpointError(path, f"not valid JSON; expected {what}") from None


_MISSING = {NAME: "give the folder of a checkpoint: config.json beside model.safetensors"}


def read_config(folder: Path) -> dict[str, Any]:
    """The keys of a folder's config.json, as written there."""
    path = folder / NAME
    config = read_json(path, "the settings of a model")
    if not isinstance(config, dict):
        raise CheckpointError(
            path, f"it holds {write_value(config)}, expected a mapping with model_type, hidden_size, …"
        )
    return config


def known_families() -> str:
    """The families that can be read, in words."""
    return f"known are {', '.join(FAMILIES)}"


def family_of(config: Mapping[str, Any], folder: Path) -> Family:
    """The family of a config.json. Raises CheckpointError where it is not known."""
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in FAMILIES:
        return FAMILIES[kind]
    fault = f"model_type is {write_value(kind)}, a family that is not known here; {known_families()}"
    raise CheckpointError(folder / NAME, fault, DESCRIBE)


def read_settings(config: Mapping[str, Any], family: Family, faults: list[str]) -> Values:
    """The settings of a family by key; its own table wins over what all families have."""
    given, table = dict(config), family.settings
    for other, key in family.aliases.items():
        if other in given and given.setdefault(key, given[other]) != given[other]:
            faults.append(
                f"{other} is {write_value(given[other])} and {key} is {write_value(given[key])}: they mean the same"
            )
    for key, setting in COMMON.items():
        if key in given and key not in table:
            value_of(key, setting, given, faults)
    return {key: value_of(key, setting, given, faults) for key, setting in table.items()}


def unknown_keys(config: Mapping[str, Any], family: Family) -> list[str]:
    """Keys that no table has, and that say something: transformers does not read them either."""
    known = family.settings.keys() | family.aliases.keys() | COMMON.keys()
    nothing: tuple[Any, ...] = (None, False, [], {})
    return [key for key, value in config.items() if key not in known and key[:1] != "_" and value not in nothing]
