"""Rotary positions as a config.json says them: in rope_parameters, or in rope_theta and rope_scaling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walkthrough.checkpoints.settings import MAPPING, POSITIVE, WHOLE, Only, Setting, Values, value_of
from walkthrough.text import in_quotes

THETA = 10_000.0
"""The base where nothing says it; the same in all families."""

ROPE: dict[str, Setting | Only] = {
    "rope_parameters": Setting(MAPPING, None, True),
    "rope_scaling": Setting(MAPPING, None, True),
    "rope_theta": Setting(POSITIVE, THETA),
    "original_max_position_embeddings": Setting(WHOLE, None, True),
}
"""Keys of a config that has rotary positions."""

_LLAMA3 = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
_KEYS = {
    "default": (),
    "linear": ("factor",),
    "llama3": _LLAMA3,
}
_KNOWN = "known are default, linear and llama3"
_IDLE = ("attention_factor", "beta_fast", "beta_slow", "short_factor", "long_factor", "mscale", "mscale_all_dim")
"""Keys of other types, which these do not read."""


def rotary_of(values: Values, head_dim: int, faults: list[str]) -> dict[str, Any]:
    """Our `rotary`: base, layout and scaling. rope_scaling wins over rope_parameters, as it does in transformers."""
    where = "rope_scaling" if values["rope_scaling"] else "rope_parameters"
    given: dict[str, Any] = dict(values[where] or {})
    given.setdefault("rope_theta", values["rope_theta"])
    kind = given.get("rope_type", given.get("type", "default"))
    if head_dim % 2:
        faults.append(f"head_dim is {head_dim}, expected an even number: features are rotated in pairs")
    if not isinstance(kind, str) or kind not in _KEYS:
        faults.append(f"{where}: the type of scaling is {in_quotes(str(kind))}, which is not supported; {_KNOWN}")
        return {}
    original = "original_max_position_embeddings"
    if values[original]:
        given[original] = values[original]  # beside the scaling it wins, as it does in transformers
    given.setdefault(original, values["max_position_embeddings"])
    return _rotary(where, kind, given, faults)


def _rotary(where: str, kind: str, given: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    found: list[str] = []
    table: dict[str, Setting | Only] = {
        "rope_theta": Setting(POSITIVE, THETA),
        "partial_rotary_factor": Only((None, 1, 1.0), "whole heads must be rotated"),
        **{key: Setting(WHOLE if key.startswith("original") else POSITIVE, None) for key in _KEYS[kind]},
    }
    read = {key: value_of(key, setting, given, found) for key, setting in table.items()}
    found += [f"{key} is missing, which {kind} scaling needs" for key in _KEYS[kind] if key not in given]
    idle = {"rope_type", "type", *_LLAMA3, *_IDLE}
    others = [key for key in given if key not in table and key not in idle and given[key] is not None]
    found += [f"{in_quotes(key)} is not supported" for key in others]
    low, high = read.get("low_freq_factor"), read.get("high_freq_factor")
    if low is not None and high is not None and low >= high:
        found.append(f"low_freq_factor {low:g} must be below high_freq_factor {high:g}")
    faults += [f"{where}: {fault}" for fault in found]
    rotary: dict[str, Any] = {"base": _short(read["rope_theta"]), "layout": "halves"}
    if kind == "linear":
        rotary["scaling"] = {"linear": _short(read["factor"])}
    elif kind == "llama3":
        rotary["scaling"] = {"llama3": {key: _short(read[key]) for key in _LLAMA3}}
    return rotary


def _short(number: Any) -> Any:
    """1e4 as 10000."""
    return int(number) if isinstance(number, float) and number.is_integer() and abs(number) < 1e15 else number
