"""`trained(scenario)`: loss, gradients and updates of SPEC §5 by path, by PyTorch's autograd and torch.optim.SGD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from .parts import Spec, Tape
from .reference import conventions, run, two_dimensional
from .words import is_by_id, output_words, owner_of

WEIGHTS = ("w", "w_q", "w_k", "w_v", "w_o", "w_1", "w_2")
TRAINED = (*WEIGHTS, "b", "b_q", "b_k", "b_v", "b_o", "b_1", "b_2", "gamma", "beta")
INNER = ("mean", "centered", "variance", "std", "normalized", "probabilities", "prediction")  # and softmax.*
Arrays = dict[str, np.ndarray]


class LeafTape(Tape):
    """A tape whose parameters are leaves that PyTorch trains; they stay the same ones from step to step."""

    def __init__(self, scenario: Spec, leaves: dict[str, Tensor], tables: dict[int, Tensor]) -> None:
        super().__init__(**conventions(scenario))
        self.leaves, self.tables = leaves, tables
        self.trained_tables = set(map(id, _trained_tables(scenario)))

    def __call__(self, path: str, value: Tensor) -> Tensor:
        if path.rpartition(".")[2] in TRAINED:
            value = self.leaves.setdefault(path, value.requires_grad_())
        elif path.rpartition(".")[2] == "embeddings" and value.requires_grad:
            self.leaves[path] = value
        elif value.requires_grad:
            value.retain_grad()
        elif path in ("input", "encoder.output"):  # they have a gradient even where nothing before them is trained
            value = value.clone().requires_grad_()
        return super().__call__(path, value)

    def table(self, written: Any) -> Tensor:
        if id(written) not in self.tables:
            self.tables[id(written)] = super().table(written).requires_grad_(id(written) in self.trained_tables)
        return self.tables[id(written)]


def _trained_tables(scenario: Spec) -> Iterator[Any]:
    """Tables by id, and the one that is the output head's weight too."""
    owner = owner_of(scenario)
    for spec in (scenario, owner):
        if "embeddings" in spec and is_by_id(spec):
            yield spec["embeddings"]
    if scenario["output_head"].get("tied", False):
        yield owner["embeddings"]


def trained(scenario: Spec) -> Arrays:
    """Every path of a training: loss, gradients and updates, and the forward pass of each step.

    With several steps each path begins with `train.K.`
    """
    keys, arrays, optimizer = scenario["training"], {}, None
    leaves: dict[str, Tensor] = {}
    tables: dict[int, Tensor] = {}
    rows = []
    for number in range(1, keys.get("steps", 1) + 1):
        tape, loss, found = _forward(scenario, leaves, tables)
        found |= _gradients(tape, loss)
        chosen = {path: leaf for path, leaf in leaves.items() if _is_updated(path, leaf, keys.get("update", "all"))}
        rows.append([float(loss.detach()), found.pop("right"), _largest(leaves)])
        optimizer = optimizer or torch.optim.SGD(list(chosen.values()), lr=keys.get("learning_rate", 0.1))
        optimizer.step()
        found |= {f"update.{path}": two_dimensional(leaf) for path, leaf in chosen.items()}
        for leaf in leaves.values():
            leaf.grad = None
        prefix = f"train.{number}." if keys.get("steps", 1) > 1 else ""
        arrays |= {prefix + path: array for path, array in found.items()}
    return arrays | {"training": np.array(rows)}


def _forward(scenario: Spec, leaves: dict[str, Tensor], tables: dict[int, Tensor]) -> tuple[LeafTape, Tensor, Any]:
    """One pass and its loss; all of it as arrays."""
    tape = LeafTape(scenario, leaves, tables)
    run(tape, scenario)
    logits = tape.values.get("output_head.scaled_logits", tape.values["output_head.logits"])
    keys = scenario["training"]
    columns = target_columns(scenario, logits.shape[1])
    targets = torch.tensor([-100 if column is None else column for column in columns])
    per_token = functional.cross_entropy(logits, targets, reduction="none")
    kept = targets != -100
    total, mean = functional.cross_entropy(logits, targets, reduction="sum"), functional.cross_entropy(logits, targets)
    found = {path: two_dimensional(value) for path, value in tape.values.items()}
    found["loss.per_token"] = np.where(kept.numpy(), per_token.detach().numpy(), np.nan)[:, None]
    found |= {"loss.total": _single(total), "loss.mean": _single(mean)}
    found["right"] = float(torch.exp(-per_token[kept]).mean().detach())  # type: ignore[assignment]
    return tape, mean if keys.get("reduction", "mean") == "mean" else total, found


def _single(value: Tensor) -> np.ndarray:
    return np.array([[float(value.detach())]])


def target_columns(scenario: Spec, columns: int) -> list[int | None]:
    """For each position the column of its target; None where it is null or padding."""
    words = output_words(scenario, columns)
    left_out = (None, scenario.get("padding_token", "<pad>"))
    return [None if word in left_out else words.index(word) for word in scenario["training"]["targets"]]


def _gradients(tape: LeafTape, loss: Tensor) -> Arrays:
    """Of every parameter and of every value between them and the logits; softmax and layer norm are one step each."""
    loss.backward()  # type: ignore[no-untyped-call]
    return {
        f"gradient.{path}": two_dimensional(value.grad)
        for path, value in tape.values.items()
        if not _is_inner(path) and value.requires_grad and value.grad is not None
    }


def _is_inner(path: str) -> bool:
    words = path.split(".")
    return words[-1] in INNER or "softmax" in words


def _is_updated(path: str, leaf: Tensor, update: Any) -> bool:
    if leaf.grad is None:
        return False
    return update == "all" or any(path == selector or selector in path.split(".") for selector in update)


def _largest(leaves: Mapping[str, Tensor]) -> float:
    return max(float(leaf.grad.abs().max()) for leaf in leaves.values() if leaf.grad is not None)
