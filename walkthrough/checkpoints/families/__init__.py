"""The families that can be read, by the `model_type` of their config.json: a family is one table, and a line here."""

from __future__ import annotations

from walkthrough.checkpoints.families import bert, gpt2, llama
from walkthrough.checkpoints.layout import Family

FAMILIES: dict[str, Family] = {**bert.FAMILIES, **gpt2.FAMILIES, **llama.FAMILIES}
