"""Which steps a module returns that has parameters of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from walkthrough.comparing.matching.own.parameters import Parameter

_HEAD = re.compile(r"\bhead\.\d+(?=\.|$)")

Group = tuple[str, ...]
"""The paths of one step, of all heads that have it."""
Cut = tuple[Group, ...]
"""What one module returns: a step, or several side by side."""


def modules_with_parameters(parameters: Iterable[Parameter]) -> dict[str, list[Cut]]:
    """Of each module what it may return; nothing for one that holds several parts or other modules with parameters."""
    by_module: dict[str, dict[str, list[Parameter]]] = {}
    for one in parameters:
        by_module.setdefault(one.tensor.rpartition(".")[0], {}).setdefault(one.tensor, []).append(one)
    outer = {name for module in by_module for name in modules_around(module)}
    return {
        module: [] if module in outer else _returned(list(tensors.values())) for module, tensors in by_module.items()
    }


def modules_around(module: str) -> Iterator[str]:
    """The modules that one is in, the innermost first."""
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def _returned(tensors: Sequence[list[Parameter]]) -> list[Cut]:
    """What comes of the tensors of one module, its weight and its bias; nothing where they are of several parts."""
    known = [of for one in tensors if (of := _steps(one))]
    if not known:
        return []
    most = max(known, key=len)
    is_stack = any(one.value.matrix.index is not None for of in tensors for one in of)
    if is_stack or any(not set(steps) <= set(most) for steps in known):
        return []
    cuts = {step: min(one.cut for one in of) for step, of in most.items()}
    groups = {step: tuple(dict.fromkeys(one.computed for one in of)) for step, of in most.items()}
    if len(set(cuts.values())) < len(cuts):  # one matrix in several roles: a tied table, layers that are one
        return [(group,) for group in groups.values()]
    return [tuple(groups[step] for step in sorted(cuts, key=cuts.__getitem__))]


def _steps(tensor: Iterable[Parameter]) -> dict[str, list[Parameter]]:
    """What is computed with the parts of a tensor, by its path without the number of a head."""
    steps: dict[str, list[Parameter]] = {}
    for one in tensor:
        if one.computed:
            steps.setdefault(_HEAD.sub("head.*", one.computed), []).append(one)
    return steps
