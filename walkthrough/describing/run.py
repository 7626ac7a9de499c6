"""One run of a PyTorch module, call by call: what each module inside it was given and what it returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from walkthrough.comparing.capture import as_array, capture, names_and_tensors
from walkthrough.errors import ArgumentError
from walkthrough.records import Record


class Seen(Record, eq=False):
    """A tensor as it was at one moment: which one, and its numbers."""

    tensor: Any
    array: Any


class Call(Record, eq=False):
    """One call of a module, when it is over; inputs, outputs: the tensors in what it was given and returned."""

    name: str
    module: Any
    inputs: tuple[Seen, ...]
    outputs: tuple[Seen, ...]

    @property
    def is_innermost(self) -> bool:
        """Whether no module is inside it."""
        return next(self.module.children(), None) is None


class Run(Record, eq=False):
    """All calls in the order in which they were over, the last that of the module itself; `capture`'s tensors."""

    calls: tuple[Call, ...]
    captured: Mapping[str, Any]

    def sentences(self) -> list[Seen]:
        """What the module was given: ids, or else vectors; of one sentence, or of two for an encoder and a decoder.

        Raises ArgumentError where there are several sentences in one tensor, or none.
        """
        given = self.calls[-1].inputs
        ids = [one for one in given if one.array.dtype.kind in "iu" and one.array.ndim]
        found = ids or [one for one in given if one.array.dtype.kind == "f" and one.array.ndim > 1]
        if not found:
            raise ArgumentError("inputs: expected the ids of one sentence, or a vector for each of its tokens")
        sizes = [size for size in found[0].array.shape[: found[0].array.ndim - (not ids)] if size != 1]
        if len(sizes) > 1:
            shape = "×".join(map(str, found[0].array.shape))
            raise ArgumentError(f"inputs: expected one sentence, found {shape}; give one row of it, as 1×n")
        return [one for one in found[:2] if ids or as_rows(one.array) is not None]


def run(module: Any, inputs: Any) -> Run:
    """Runs module(inputs) once, without gradients, and as in use, not in training: without dropout.

    inputs: a tensor; a tuple or list of arguments; or a dict of named ones
    Raises ArgumentError where the module refuses them, or there is no token.
    """
    torch: Any = import_module("torch")  # a module was given, so it is there; nobody else needs it
    calls: list[Call] = []
    with ExitStack() as stack:
        captured = stack.enter_context(capture(module))
        stack.enter_context(_in_use(module))
        stack.enter_context(torch.no_grad())
        for name, one in module.named_modules():
            stack.callback(one.register_forward_hook(partial(_record, name, calls), with_kwargs=True).remove)
        try:
            if isinstance(inputs, Mapping):
                module(**inputs)
            else:
                module(*(inputs if isinstance(inputs, tuple | list) else (inputs,)))
        except ArgumentError:  # what it returns cannot be captured
            raise
        except Exception as error:  # whatever the module raises
            reason = " ".join(str(error).split())[:300] or "no reason given"
            said = f"the module cannot be run on these inputs: {type(error).__name__}: {reason}"
            raise ArgumentError(said) from error
    for one in calls[-1].inputs:
        if not one.array.size:
            shape = "×".join(map(str, one.array.shape))
            raise ArgumentError(f"inputs: expected one token or more, found none, as {shape}")
    return Run(tuple(calls), captured)


@contextmanager
def _in_use(module: Any) -> Iterator[None]:
    """The module as in use, and all as before afterwards."""
    were = [(one, one.training) for one in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for one, was in were:
            one.training = was


def _record(name: str, calls: list[Call], module: Any, given: Any, named: Any, output: Any) -> None:
    """Puts down a call when it is over."""
    calls.append(Call(name, module, _seen((given, named)), _seen(output)))


def _seen(held: Any) -> tuple[Seen, ...]:
    """The tensors in what a module is given or returns, in order."""
    tensors = (one for _, one in names_and_tensors(held) if not one.is_complex())
    return tuple(Seen(one, as_array(one)) for one in tensors)


def as_rows(array: Any) -> Any:
    """One sequence as n×m: axes of size 1 before the last are left out; None where there are more than two others."""
    sizes = [size for size in array.shape[:-1] if size != 1]
    if array.ndim == 0 or len(sizes) > 1 or array.dtype.kind not in "fiub":
        return None
    return array.reshape(-1, array.shape[-1])
