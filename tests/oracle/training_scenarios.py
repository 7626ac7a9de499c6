"""Random scenarios that train: those of tests/oracle/scenarios.py with an output head, targets and an update."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .draws import Draw, drawn, seeded
from .scenarios import KINDS
from .sequences import token_list
from .words import output_words

Spec = dict[str, Any]
SELECTORS = ["w_q", "w_k", "w_v", "w_o", "w_1", "gamma", "beta", "output_head", "embeddings", "encoder", "decoder"]
NEAREST_KINK = 1e-6
LARGEST_LOSS = 600  # e^−745 is 0: the loss of probabilities is infinite where that of logits is not


def training_scenario(draw: Draw, kind: str) -> Spec | None:
    """A scenario of this kind with a training; None where what was drawn has nothing to train on."""
    draw.always = "output_head"
    spec = KINDS[kind](draw)
    if "output_head" not in spec or _has_unknown(spec):
        return None
    owner = spec["decoder"] if {"encoder", "decoder"} <= spec.keys() else spec
    if "tokens" not in owner and "text" not in owner:
        return None
    _name_columns(draw, spec)
    spec["training"] = _training(draw, spec, len(token_list(owner)))
    return spec if any(word not in _left_out(spec) for word in spec["training"]["targets"]) else None


def _has_unknown(node: Any) -> bool:
    if isinstance(node, dict):
        return any(map(_has_unknown, node.values()))
    return any(map(_has_unknown, node)) if isinstance(node, list) else node is None


def _name_columns(draw: Draw, spec: Spec) -> None:
    """A vocabulary for a head that has none to take: what is predicted needs words."""
    head, owner = spec["output_head"], spec.get("decoder", {})
    if "w" in head and not ("vocabulary" in head or "vocabulary" in spec or "vocabulary" in owner):
        columns = len(head["w"]) if draw.column else len(head["w"][0])
        head["vocabulary"] = [f"word {number}" for number in range(columns)]


def _left_out(spec: Spec) -> tuple[Any, ...]:
    return None, spec.get("padding_token", "<pad>")


def _training(draw: Draw, spec: Spec, positions: int) -> Spec:
    words: list[Any] = output_words(spec)
    pool = words * 3 + [None] + ([spec["padding_token"]] if "padding_token" in spec else [])
    keys: Spec = {"targets": [draw.pick(pool) for _ in range(positions)]}
    draw.setting(keys, "learning_rate", [0.1, 0.01, 0.5, 1], 80)
    draw.setting(keys, "steps", [1, 3, 2], 70)
    draw.setting(keys, "reduction", ["mean", "sum"], 70)
    draw.setting(keys, "update", ["all", SELECTORS], 40)
    return keys


def settle(scenario: Spec, arrays: Mapping[str, np.ndarray]) -> bool:
    """Chooses among the drawn selectors those that name a parameter; False where the scenario proves nothing.

    That is where a hidden number lies at relu's kink, a number is none, or no selector is left.
    """
    keys = scenario["training"]
    if keys.get("update", "all") != "all":
        updated = [path.split(".") for path in arrays if _is(path, "update")]
        keys["update"] = [selector for selector in SELECTORS if any(selector in words for words in updated)][:2]
        if not keys["update"]:
            return False
    hidden = [array for path, array in arrays.items() if path.endswith("hidden") and not _is(path, "gradient")]
    smooth = all(np.abs(array).min() > NEAREST_KINK for array in hidden)
    finite = all(np.isfinite(array).all() for path, array in arrays.items() if _is(path, "gradient"))
    losses = [array for path, array in arrays.items() if path.endswith("loss.per_token") and not _is(path, "gradient")]
    return smooth and finite and max(float(np.nanmax(array)) for array in losses) < LARGEST_LOSS


def _is(path: str, kind: str) -> bool:
    return f".{kind}." in f".{path}"


def seeded_training(kind: str, seed: int) -> Spec | None:
    return training_scenario(seeded(seed), kind)


def training_strategy(kind: str) -> Any:
    from hypothesis import strategies

    @strategies.composite
    def scenario(draw: Callable[[Any], Any]) -> Spec | None:
        return training_scenario(drawn(draw), kind)

    return scenario()
