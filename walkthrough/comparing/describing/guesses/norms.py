"""Norms: which one a module computes, with which epsilon, is tried on what it was given and returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from walkthrough.comparing.describing.guesses.closeness import Guess, Target, best
from walkthrough.operations.definition import Array, Composite
from walkthrough.operations.norms import dyt, layer_norm, rms_norm, rms_norm_plus_one
from walkthrough.records import Record

_EPSILONS = (1e-5, 1e-6, 1e-12, 1e-8, 1e-3)
"""What is tried where the module does not say it."""
_LARGEST = 0.1
"""A number that is an attribute of a norm and no larger may be its epsilon."""


class Norm(Record):
    """A norm: its settings and the names of its parameters, by key; is_open: another epsilon would fit as well."""

    settings: Mapping[str, Any]
    parameters: Mapping[str, str]
    is_open: bool = False


def find_norm(x: Array, target: Target, parameters: Mapping[str, Array], module: Any) -> Norm | None:
    """The norm of each row that gives the numbers; None where none does."""
    if x.shape != target.array.shape or any(one.size not in (1, x.shape[1]) for one in parameters.values()):
        return None
    stated = _stated(module)
    guesses = (Guess(norm, target.off(make(x))) for norm, make in _norms(parameters, x.shape[1], stated or _EPSILONS))
    found, others = best(guesses)
    if found is None:
        return None
    epsilon = found.what.settings.get("epsilon")
    is_open = not stated and any(one.what.settings.get("epsilon") != epsilon for one in others)
    return Norm(found.what.settings, found.what.parameters, is_open)


def _stated(module: Any) -> tuple[float, ...]:
    """Small numbers that are attributes of the module: its epsilon is among them."""
    values = (one for name, one in vars(module).items() if isinstance(one, float) and not name.startswith("_"))
    return tuple(one for one in values if 0 <= one <= _LARGEST)


def _norms(
    parameters: Mapping[str, Array], width: int, epsilons: tuple[float, ...]
) -> Iterator[tuple[Norm, Callable[[Array], Array]]]:
    """The norms that can be made of the parameters, the likeliest first, each with how it is computed."""
    wide = [name for name, one in parameters.items() if one.size == width and one.ndim > 0]
    single = [name for name in parameters if name not in wide]
    rows = {name: one.reshape(1, -1) for name, one in parameters.items()}
    for keys in product(("gamma", "beta"), repeat=len(wide)):
        if len(set(keys)) < len(keys):
            continue
        named = dict(sorted(zip(keys, wide, strict=True), reverse=True))  # gamma before beta
        given = [rows[one] for one in named.values()]
        parts = " ".join(named)
        if not single:
            yield from _with_epsilon(named, given, parts, epsilons)
        elif len(single) == 1:
            given = [rows[single[0]], *given]
            settings = {"parts": f"alpha {parts}", "factor": 1.0}
            yield Norm({"norm": "dyt"}, {**named, "alpha": single[0]}), _made(dyt, given, settings)


def _with_epsilon(
    named: Mapping[str, str], given: list[Array], parts: str, epsilons: tuple[float, ...]
) -> Iterator[tuple[Norm, Callable[[Array], Array]]]:
    for epsilon, (on_std, sample) in product(epsilons, product((False, True), repeat=2)):
        options = {"variance": "sample"} if sample else {}
        options |= {"epsilon_in": "std"} if on_std else {}
        settings = {"epsilon": epsilon, "on_std": on_std, "sample": sample, "parts": parts}
        yield Norm({"epsilon": epsilon, **options}, named), _made(layer_norm, given, settings)
    for epsilon in epsilons if parts in ("", "gamma") else ():
        for name, operation in (("rms", rms_norm), ("rms_plus_one", rms_norm_plus_one)):
            norm = Norm({"norm": name, "epsilon": epsilon}, named)
            yield norm, _made(operation, given, {"epsilon": epsilon})


def _made(norm: Composite, given: list[Array], settings: Mapping[str, Any]) -> Callable[[Array], Array]:
    def make(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return norm.forward(x, *given, **settings)

    return make
