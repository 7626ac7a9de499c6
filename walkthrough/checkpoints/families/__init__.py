"""The families that can be read, by the `model_type` of their config.json: a family is one table, and a line here."""

from __future__ import annotations

from walkthrough.checkpoints.families import (
    bert,
    deepseek,
    gemma,
    gpt2,
    llama,
    mixtures,
    opt,
    parallel,
    qwen3_next,
    relatives,
    t5,
)
from walkthrough.checkpoints.layout import Family

FAMILIES: dict[str, Family] = {
    name: family
    for module in (
        bert,
        gpt2,
        opt,
        parallel,
        llama,
        relatives,
        gemma,
        mixtures,
        qwen3_next,
        deepseek,
        t5,
    )
    for name, family in module.FAMILIES.items()
}
