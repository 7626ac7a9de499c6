"""Numbers that stand in a module as attributes or in its config: what they are called says what they may mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.records import Record

_HEADS = re.compile(r"head|^n?_?h$", re.IGNORECASE)
_BASE = re.compile(r"theta|base", re.IGNORECASE)
_SCALE = re.compile(r"scal(?!.*emb)", re.IGNORECASE)
_TURNED = re.compile(r"rot", re.IGNORECASE)
_WINDOW = re.compile(r"window|block|local", re.IGNORECASE)
_CAP = re.compile(r"cap(?!acity)", re.IGNORECASE)
_DEEPEST = 2


class Stated(Record):
    """What may be a number of heads, the base of rotary positions, a scale, how many features turn, a window."""

    heads: tuple[int, ...] = ()
    bases: tuple[float, ...] = ()
    divisors: tuple[float, ...] = ()
    turned: tuple[int, ...] = ()
    windows: tuple[int, ...] = ()
    caps: tuple[float, ...] = ()


NOTHING = Stated()


def stated_in(module: Any) -> Stated:
    """The numbers of a module and of all inside it."""
    named = {pair for one in module.modules() for pair in _numbers(vars(one))}
    found = sorted(named, key=lambda pair: (pair[1], pair[0]))
    scales = [abs(number) for name, number in found if _SCALE.search(name) and number]
    return Stated(
        _whole(number for name, number in found if _HEADS.search(name)),
        tuple(dict.fromkeys([number for name, number in found if _BASE.search(name) and number > 1])) + _turns(module),
        tuple(dict.fromkeys([*scales, *(1 / one for one in scales)])),
        _whole(number for name, number in found if _TURNED.search(name)),
        _whole(number for name, number in found if _WINDOW.search(name)),
        tuple(dict.fromkeys(number for name, number in found if _CAP.search(name) and number > 0)),
    )


def _whole(numbers: Iterator[float]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(one) for one in numbers if one == int(one) and one > 0))


def _numbers(held: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, float]]:
    """The numbers by the name of their attribute; those of a config inside too."""
    for name, one in held.items():
        if isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one):
            yield str(name), float(one)
        elif depth < _DEEPEST and not str(name).startswith("_"):
            inner = one if isinstance(one, dict) else getattr(one, "__dict__", None)
            if isinstance(inner, dict) and not hasattr(one, "register_forward_hook") and not callable(one):
                yield from _numbers(inner, depth + 1)


def _turns(module: Any) -> tuple[float, ...]:
    """The bases of tensors that hold 1, base^(−1/m), base^(−2/m), …, as those of rotary positions do."""
    tensors = [one for part in module.modules() for one in (*vars(part).values(), *part.buffers(recurse=False))]
    bases = [_base(as_array(one)) for one in tensors if getattr(one, "ndim", 0) == 1 and 1 < len(one) < 1000]
    return tuple(dict.fromkeys(one for one in bases if one))


def _base(speeds: Any) -> float:
    """The base, to as many digits as it is likely to have; 0 where the numbers are no such row."""
    if speeds.dtype.kind != "f" or speeds[0] != 1 or not (speeds > 0).all() or speeds[1] >= 1:
        return 0.0
    logs = np.log(speeds.astype(np.float64))
    if not np.allclose(logs, logs[1] * np.arange(len(speeds)), atol=1e-3):
        return 0.0
    return float(f"{math.exp(-logs[1] * len(speeds)):.5g}")
