"""Rotary positions as a config.json says them: in rope_parameters, or in rope_theta and rope_scaling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walkthrough.checkpoints.settings import FLAG, NUMBER, POSITIVE, WHOLE, Only, Setting, Values, defaults, value_of
from walkthrough.text import in_quotes

THETA = 10_000.0
"""The base of most families where nothing says it."""


def rope_settings(theta: float = THETA) -> dict[str, Setting | Only]:
    """Keys of a config that has rotary positions; theta: the family's base where nothing says it."""
    return defaults(rope_parameters=None, rope_scaling=None, rope_theta=theta, original_max_position_embeddings=None)


ORIGINAL = "original_max_position_embeddings"
_LLAMA3 = ("factor", "low_freq_factor", "high_freq_factor", ORIGINAL)
_YARN = {
    "factor": Setting(POSITIVE, None),
    ORIGINAL: Setting(POSITIVE, None),
    "beta_fast": Setting(POSITIVE, None, True),
    "beta_slow": Setting(POSITIVE, None, True),
    "truncate": Setting(FLAG, True),
    "attention_factor": Setting(POSITIVE, None, True),
    "mscale": Setting(NUMBER, None, True),
    "mscale_all_dim": Setting(NUMBER, None, True),
}
_KEYS: dict[str, Mapping[str, Setting]] = {
    "default": {},
    "linear": {"factor": Setting(POSITIVE, None)},
    "llama3": {key: Setting(WHOLE if key == ORIGINAL else POSITIVE, None) for key in _LLAMA3},
    "yarn": _YARN,
}
ROPE_TYPES = tuple(_KEYS)
"""What a family may have, unless it says otherwise."""
_IDLE = ("rope_type", "type", "short_factor", "long_factor", *_LLAMA3, *_YARN)
"""Keys that say the type, or belong to other types, which this one does not read."""


def rotary_of(
    values: Values, head_dim: int, faults: list[str], types: tuple[str, ...] = ROPE_TYPES, part: float | None = None
) -> dict[str, Any]:
    """Our `rotary`: base, layout and scaling. rope_scaling wins over rope_parameters, as it does in transformers.

    part: the share of the features that is rotated where nothing says it; None: whole heads must be
    """
    where = "rope_scaling" if values["rope_scaling"] else "rope_parameters"
    given: dict[str, Any] = dict(values[where] or {})
    given.setdefault("rope_theta", values["rope_theta"])
    if part is not None:
        given.setdefault("partial_rotary_factor", part)
    if values[ORIGINAL]:
        given[ORIGINAL] = values[ORIGINAL]  # beside the scaling it wins, as it does in transformers
    given.setdefault(ORIGINAL, values["max_position_embeddings"])
    if given.get("factor", "") is None and type(given[ORIGINAL]) is int:
        given["factor"] = values["max_position_embeddings"] / given[ORIGINAL]
    return rotary_from(where, given, head_dim, faults, types, part is not None)


def rotary_from(
    where: str,
    given: dict[str, Any],
    head_dim: int,
    faults: list[str],
    types: tuple[str, ...] = ROPE_TYPES,
    is_partial: bool = False,
) -> dict[str, Any]:
    """The same from one mapping of a config, with every default in it; where: what the mapping is called."""
    kind = given.get("rope_type", given.get("type", "default"))
    if head_dim % 2 and not is_partial:
        faults.append(f"head_dim is {head_dim}, expected an even number: features are rotated in pairs")
    if not isinstance(kind, str) or kind not in types:
        known = f"{', '.join(types[:-1])} and {types[-1]}" if len(types) > 1 else types[0]
        verb = "is" if len(types) == 1 else "are"
        faults.append(
            f"{where}: the type of scaling is {in_quotes(str(kind))}, which is not supported; known {verb} {known}"
        )
        return {}
    found: list[str] = []
    read = _read(kind, given, found, is_partial)
    rotary: dict[str, Any] = {"base": short(read["rope_theta"])}
    fraction = read["partial_rotary_factor"] if is_partial else 1.0
    if not 0 < fraction <= 1:
        found.append(f"partial_rotary_factor is {fraction:g}, expected a number above 0 and of at most 1")
    elif (size := int(head_dim * fraction)) != head_dim:
        rotary["dimensions"] = size
        if size % 2 or not size:
            found.append(f"{fraction:g} of {head_dim} features are {size}, expected an even number of them")
    faults += [f"{where}: {fault}" for fault in found]
    rotary["layout"] = "halves"
    if kind != "default":
        rotary["scaling"] = {kind: _scaling(kind, read)}
    return rotary


def _read(kind: str, given: Mapping[str, Any], found: list[str], is_partial: bool) -> dict[str, Any]:
    """The keys of one type of scaling; what is wrong with them is added to `found`."""
    table: dict[str, Setting | Only] = {
        "rope_theta": Setting(POSITIVE, THETA),
        "partial_rotary_factor": (
            Setting(POSITIVE, 1.0) if is_partial else Only((None, 1, 1.0), "whole heads must be rotated")
        ),
        **_KEYS[kind],
    }
    read = {key: value_of(key, setting, given, found) for key, setting in table.items()}
    needed = [key for key in _KEYS[kind] if key in _LLAMA3 and key not in given]
    found += [f"{key} is missing, which {kind} scaling needs" for key in needed]
    others = [key for key in given if key not in table and key not in _IDLE and given[key] is not None]
    found += [f"{in_quotes(key)} is not supported" for key in others]
    low, high = read.get("low_freq_factor"), read.get("high_freq_factor")
    if low is not None and high is not None and low >= high:
        found.append(f"low_freq_factor {low:g} must be below high_freq_factor {high:g}")
    return read


def _scaling(kind: str, read: Mapping[str, Any]) -> Any:
    """Our keys of a scaling."""
    if kind == "linear":
        return short(read["factor"])
    keys = {key: read[key] for key in _KEYS[kind]}
    if kind == "yarn" and not (keys["mscale"] and keys["mscale_all_dim"]):
        keys |= {"mscale": None, "mscale_all_dim": None}  # one without the other counts for nothing
    return {key: short(value) for key, value in keys.items() if value is not None and value is not True}


def short(number: Any) -> Any:
    """1e4 as 10000."""
    return int(number) if isinstance(number, float) and number.is_integer() and abs(number) < 1e15 else number
