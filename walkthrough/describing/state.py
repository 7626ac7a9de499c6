"""The tensors of a module under their names, a tied one under its first; and the numbers that its attributes state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from walkthrough.comparing.capture import as_array
from walkthrough.describing.run import Call
from walkthrough.operations.definition import Array
from walkthrough.scenario.tensors.safetensors import kind_of


class State:
    """The state_dict of a module, as far as a file can hold it, and what the module says of itself."""

    def __init__(self, module: Any) -> None:
        self.tensors: dict[str, Any] = {}
        self._first: dict[str, str] = {}
        seen: dict[Any, str] = {}
        for name, tensor in module.state_dict().items():
            if _kind(tensor):
                place = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
                self._first[name] = seen.setdefault(place, name) if tensor.numel() else name
                self.tensors.setdefault(self._first[name], tensor)
        held = [vars(one) for one in module.modules()]
        configs = [one for inner in held for name, one in inner.items() if "config" in name or "args" in name]
        self._held = held + [one if isinstance(one, dict) else getattr(one, "__dict__", {}) for one in configs]

    def stated(self, pattern: str) -> tuple[float, ...]:
        """The numbers above 0 in attributes of a module or its config, whose names have something like that in them."""
        named = {(name, one) for held in self._held for name, one in held.items() if type(one) in (int, float)}
        return tuple(sorted({one for name, one in named if one > 0 and re.search(pattern, str(name).lower())}))

    def parameters_of(self, call: Call, is_whole: bool = False) -> dict[str, Any]:
        """The parameters that a module has itself, by their whole name, as tensors; is_whole: those inside it too."""
        before = f"{call.name}." if call.name else ""
        named = ((before + name, one.detach()) for name, one in call.module.named_parameters(recurse=is_whole))
        return {self._first[name]: one for name, one in named if name in self._first}

    def array(self, name: str) -> Array:
        """The numbers of one of them as float64."""
        return np.asarray(as_array(self.tensors[name]), np.float64)

    def stored(self) -> tuple[dict[str, tuple[str, list[int], int]], Iterator[bytes]]:
        """Of each tensor its type as a .safetensors file calls it, its shape and how many bytes it has; these bytes."""
        sizes = {name: one.numel() * one.element_size() for name, one in self.tensors.items()}
        entries = {name: (_kind(one), list(one.shape), sizes[name]) for name, one in self.tensors.items()}
        return entries, map(_bytes, self.tensors.values())


def _kind(tensor: Any) -> str:
    """What its type is called; empty for what cannot be stored, such as the text of a get_extra_state."""
    return kind_of(str(getattr(tensor, "dtype", "")).removeprefix("torch."))


def _bytes(tensor: Any) -> bytes:
    """The numbers as they lie in memory, whatever their type."""
    torch: Any = import_module("torch")
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
