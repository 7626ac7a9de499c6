"""What other programs call the steps: their names, a table for each program, and what they stand for in a trace."""

from __future__ import annotations

from collections.abc import Mapping

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
    "attentions.{i}": WEIGHTS,
    "logits": "|".join(RETURNED),
}


def _of_families() -> dict[str, str]:
    """The names of all families; of one with several meanings, those of the family that says most of them."""
    found: dict[str, str] = {}
    for family in (*FAMILIES.values(), NANOGPT):
        for name, path in family.computed.items():
            found[name] = max(path, found.get(name, ""), key=lambda one: one.count("|"))
    return found


LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "transformers": {**_ROOT, **_ANY_MODEL, **_of_families()},
    "torch": {**_ROOT, **TORCH},
    "transformer_lens": {**_ROOT, **TRANSFORMER_LENS},
}
"""By the name of the program, their names and what they stand for; `{i}` is the number of a layer, `{e}` of an expert,
from 0.
Words without a number may precede a name (`bert.`, `model.`); ours are as in `checkpoints/paths.py`.
"""
