"""A scenario as YAML text that means the same under YAML 1.2 and 1.1: quoted words, and a point in every float."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# their words are quoted, keys too
WORDED = ("tokens", "vocabulary", "embeddings", "text", "padding_token", "title", "targets")
RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def as_yaml(scenario: dict[str, Any]) -> str:
    return "\n".join(_mapping(scenario, 0, False)) + "\n"


def _mapping(mapping: dict[str, Any], indent: int, quoted: bool) -> list[str]:
    lines = []
    for key, value in mapping.items():
        name, inner = " " * indent + _scalar(key, quoted), quoted or key in WORDED
        if isinstance(value, dict) and value:
            lines += [f"{name}:", *_mapping(value, indent + 2, inner)]
        elif isinstance(value, list) and value and isinstance(value[0], list):
            lines += [f"{name}:", *(f"{' ' * indent}  - {_flow(row, inner)}" for row in value)]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{name}:")
            for item in value:
                first, *rest = _mapping(item, indent + 4, inner) or [" " * indent + "    {}"]
                lines += [" " * indent + "  - " + first.lstrip(" "), *rest]
        else:
            lines.append(f"{name}: {_flow(value, inner)}")
    return lines


def _flow(value: Any, quoted: bool) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_flow(item, quoted) for item in value)}]"
    return "{}" if value == {} else _scalar(value, quoted)


def _scalar(value: Any, quoted: bool) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int):
        return str(value)
    plain = not quoted and re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", value) and value.lower() not in RESERVED
    return value if plain else json.dumps(value, ensure_ascii=False)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return "-.inf" if value < 0 else ".inf"
    mantissa, e, exponent = repr(value).partition("e")  # 1e-05 is a word in YAML 1.1, 1.0e-05 is a number everywhere
    return f"{mantissa}{'' if '.' in mantissa or not e else '.0'}{e}{exponent}"
