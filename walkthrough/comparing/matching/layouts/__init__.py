"""What other programs call the steps: their names, a table for each program, and what they stand for in a trace."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.families.nanogpt import NANOGPT
from walkthrough.checkpoints.paths import RETURNED, WEIGHTS
from walkthrough.comparing.matching.layouts.torch import TORCH
from walkthrough.comparing.matching.layouts.transformer_lens import TRANSFORMER_LENS

_LAST = "decoder.output|encoder.output"
_ROOT = {  # what the model itself returns
    "output": "|".join((*RETURNED, _LAST, "attention.output")),
    "output.1": "attention.head.*.weights",
}
_ANY_MODEL = {  # what models of transformers return
    "last_hidden_state": _LAST,
    "hidden_states.{i}": f"{{before}}|{_LAST}",
    "attentions.{i}": WEIGHTS.replace("{layer}", "{attending}"),
    "logits": "|".join(RETURNED),
}


def _of_families() -> dict[str, str]:
    """The names of all families, and what they mean by each; first several matrices side by side, which few have."""
    found: dict[str, list[str]] = {}
    for family in (*FAMILIES.values(), NANOGPT):  # the last stands first
        for name, path in family.computed.items():
            found.setdefault(name, []).insert(0, path)
    return {name: "|".join(_meanings(paths)) for name, paths in found.items()}


def _meanings(paths: list[str]) -> list[str]:
    """Each meaning once, in the order of the family that has most of them, of several the first."""
    longest_first = sorted(paths, key=lambda path: -path.count("|"))
    once = dict.fromkeys(one for path in longest_first for one in path.split("|"))
    return sorted(once, key=lambda one: "+" not in one)


_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")

LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "transformers": {**_ROOT, **_ANY_MODEL, **_of_families()},
    "torch": {**_ROOT, **TORCH},
    "transformer_lens": {**_ROOT, **TRANSFORMER_LENS},
}
"""By the name of the program, their names and what they stand for; `{i}` is the number of a layer, `{e}` of an expert,
from 0.
Words without a number may precede a name (`bert.`, `model.`); ours are as in `checkpoints/paths.py`.
"""


def keeps_float32(names: Iterable[str], weights: Iterable[str]) -> bool:
    """Whether names are those of a family in transformers that keeps angles or norms in float32, whatever its type.

    It is the family that has most of them; names without the number of a layer tell nothing.

    weights: what the scenario's weights are called in their file, which tells it where no name has such a number
    """
    numbered = _in_any_layer(names) or _in_any_layer(weights)
    found = {
        family: sum(f".{name}".endswith(each) for name in numbered for each in _in_layers(family))
        for family in FAMILIES
    }
    most = max(found.values())
    return 2 * most > len(numbered) and any(
        FAMILIES[one].float32 != "nothing" for one, count in found.items() if count == most
    )


def _in_any_layer(names: Iterable[str]) -> set[str]:
    """Those with the number of a layer, once for all layers and experts."""
    bare = {re.sub(r"\.(?:weight|bias|grad)$", "", name.partition("@")[0]) for name in names}
    numbered = {_NUMBER.sub("{i}", name, count=1) for name in bare if _NUMBER.search(name)}
    return {_NUMBER.sub("{e}", name) for name in numbered}


@cache
def _in_layers(family: str) -> tuple[str, ...]:
    names = (_NUMBER.sub("{e}", name) for name in FAMILIES[family].computed if "{i}" in name)  # T5 numbers its parts
    return tuple(dict.fromkeys(f".{name}" for name in names))
