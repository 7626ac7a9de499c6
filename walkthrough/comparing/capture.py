"""The intermediates of a user's PyTorch module, while it runs: by hooks, and without importing torch."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from walkthrough.errors import ArgumentError
from walkthrough.scenario.tensors.short_floats import as_bfloat16

_ROOT = "output"
"""What the module itself returns, which has no name."""
_DEEPEST = 4
"""Tuples and dicts in each other that a module may return: a cache that holds itself has no end."""


class Captured(dict[str, Any]):
    """Arrays by name; a tensor that is put in is copied as it is now. Otherwise a dict."""

    def __setitem__(self, name: str, tensor: Any) -> None:
        super().__setitem__(name, as_array(tensor))


@contextmanager
def capture(model: Any, gradients: bool = False) -> Iterator[dict[str, Any]]:
    """What each module of a torch.nn.Module returns while it runs, by its name: `with capture(model) as tensors:`.

    The first item of a tuple is NAME, the others NAME.1, …; a named output is NAME.own. What the model itself returns
    is `output`, or what the model calls it (`logits`). The K-th call of a module is NAME@K. You may add tensors of
    your own: `tensors["scores"] = scores`.

    gradients: also M.grad (of its K-th call M.grad@K), the gradient of what a module returned, and NAME.grad of each
               parameter, as they are when the block ends; of the K-th step of an optimizer in the block NAME.grad@K,
               before clipping, NAME.clipped@K, which the optimizer takes, and NAME.update@K, the parameter after it;
               of one whose gradient is None, the last alone

    Raises ArgumentError, a TypeError, for anything but a module, and for tensors without numbers.
    """
    if not hasattr(model, "named_modules") or isinstance(model, type):
        raise ArgumentError(f"capture expects a torch.nn.Module, not a {type(model).__name__}")
    tensors, calls, followed = Captured(), dict[str, int](), dict[str, Any]()

    def hook_of(name: str) -> Any:
        def hook(module: Any, inputs: Any, output: Any) -> None:
            calls[name] = calls.get(name, 0) + 1
            again = _again(calls[name])
            own = name or ("" if _by_name(output) else _ROOT)
            for inner, tensor in names_and_tensors(output):
                called = ".".join(filter(None, (own, inner)))
                tensors[called + again] = tensor
                if gradients and tensor.requires_grad:
                    tensor.retain_grad()
                    followed[f"{called}.grad{again}"] = tensor

        return hook

    handles = []
    try:
        for name, module in model.named_modules():
            handles.append(module.register_forward_hook(hook_of(name)))
        steps = _Steps(dict(model.named_parameters()) if gradients else {}, tensors)
        handles += steps.hooks()
        yield tensors
        followed |= {f"{name}.grad": one for name, one in steps.parameters.items() if name not in steps.taken}
        for name, one in followed.items():
            if one.grad is not None:
                tensors[name] = one.grad
    finally:
        for handle in handles:
            handle.remove()


class _Steps:
    """What the steps of optimizers do to parameters: gradients as they come and as they are taken, and what follows.

    taken: how many steps each parameter was in
    """

    def __init__(self, parameters: Mapping[str, Any], tensors: dict[str, Any]) -> None:
        self.parameters, self.taken = parameters, dict[str, int]()
        self._tensors, self._came = tensors, dict[str, Any]()

    def hooks(self) -> Iterator[Any]:
        """Watches all optimizers, if there is a parameter to watch; each hook can be removed."""
        optimizers = sys.modules.get("torch.optim.optimizer")
        if not self.parameters or optimizers is None:
            return
        for name, one in self.parameters.items():
            if one.requires_grad:
                yield one.register_post_accumulate_grad_hook(partial(self._come, name))
        yield optimizers.register_optimizer_step_pre_hook(self._before)
        yield optimizers.register_optimizer_step_post_hook(self._after)

    def _come(self, name: str, parameter: Any) -> None:
        self._came[name] = as_array(parameter.grad)

    def _before(self, optimizer: Any, *_: Any) -> None:
        for name, one in self._held_by(optimizer):
            self.taken[name] = self.taken.get(name, 0) + 1
            if one.grad is not None:
                self._keep(name, "grad", self._came.get(name, one.grad))
                self._keep(name, "clipped", one.grad)

    def _after(self, optimizer: Any, *_: Any) -> None:
        for name, one in self._held_by(optimizer):
            if one.requires_grad:
                self._keep(name, "update", one)

    def _held_by(self, optimizer: Any) -> list[tuple[str, Any]]:
        """Its parameters: also those of an expert that was sent no token, which this step leaves as they are."""
        held = {id(one) for group in optimizer.param_groups for one in group["params"]}
        return [(name, one) for name, one in self.parameters.items() if id(one) in held]

    def _keep(self, name: str, kind: str, tensor: Any) -> None:
        self._tensors[f"{name}.{kind}{_again(self.taken[name])}"] = tensor


def _again(number: int) -> str:
    """What a name ends with from the second call or step on."""
    return f"@{number}" if number > 1 else ""


def names_and_tensors(output: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The tensors in what a module returns, each with its name below the module's; the first has none."""
    if _is_tensor(output):
        yield name, output
    elif depth == _DEEPEST:
        return
    elif named := _by_name(output):
        for key, inner in named.items():
            yield from names_and_tensors(inner, f"{name}.{key}".lstrip("."), depth + 1)
    elif isinstance(output, tuple | list):
        for at, inner in enumerate(output):
            first = name if not depth and not at else f"{name}.{at}".lstrip(".")
            yield from names_and_tensors(inner, first, depth + 1)


def _by_name(output: Any) -> Mapping[str, Any]:
    """What is in it by the names that it says, as a ModelOutput of transformers or a dataclass does; else nothing."""
    if isinstance(output, Mapping):
        return output
    return {one.name: getattr(output, one.name) for one in fields(output)} if is_dataclass(output) else {}


def _is_tensor(one: Any) -> bool:
    """Whether it is a tensor of PyTorch."""
    return hasattr(one, "detach") and hasattr(one, "numpy")


def as_array(tensor: Any) -> Any:
    """The numbers as they are now, in their own float type; bfloat16 as float32 that remembers what it was."""
    if not _is_tensor(tensor):
        return np.array(tensor)
    if getattr(tensor, "is_meta", False):
        raise ArgumentError("capture expects tensors with numbers; one on PyTorch's meta device has none")
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) != "torch.bfloat16":
        return np.array(tensor.resolve_conj().numpy())
    return as_bfloat16(tensor.float().numpy())
