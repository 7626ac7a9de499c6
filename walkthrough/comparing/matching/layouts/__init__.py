"""What other programs call the steps: their names, a table for each program, and what they stand for in a trace."""

from __future__ import annotations

from collections.abc import Mapping

from walkthrough.checkpoints.families import FAMILIES
from walkthrough.checkpoints.paths import LOGITS, WEIGHTS
from walkthrough.comparing.matching.layouts.torch import TORCH
from walkthrough.comparing.matching.layouts.transformer_lens import TRANSFORMER_LENS

_LAST = "decoder.output|encoder.output"
_ROOT = {  # what the model itself returns
    "output": f"{LOGITS}|{_LAST}|attention.output",
    "output.1": "attention.head.*.weights",
}
_ANY_MODEL = {  # what models of transformers return
    "last_hidden_state": _LAST,
    "hidden_states.{i}": f"{{before}}|{_LAST}",
    "attentions.{i}": WEIGHTS,
    "logits": LOGITS,
}
_FAMILIES = {name: path for family in FAMILIES.values() for name, path in family.computed.items()}

LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "transformers": {**_ROOT, **_ANY_MODEL, **_FAMILIES},
    "torch": {**_ROOT, **TORCH},
    "transformer_lens": {**_ROOT, **TRANSFORMER_LENS},
}
"""By the name of the program, their names and what they stand for; `{i}` is the number of a layer, from 0.

Words without a number may precede a name (`bert.`, `model.`); ours are as in `checkpoints/paths.py`.
"""
