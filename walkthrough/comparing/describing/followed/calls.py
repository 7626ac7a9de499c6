"""One run of a PyTorch module, call by call: what each module inside it was given and what it returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from walkthrough.comparing.capture import as_array, capture, is_tensor
from walkthrough.errors import ArgumentError
from walkthrough.records import Record

_DEEPEST = 4


class Seen(Record, eq=False):
    """A tensor as it was at one moment: which one, and its numbers."""

    tensor: Any
    array: Any


class Call(Record, eq=False):
    """One call of a module, when it is over.

    inputs, outputs: the tensors in what it was given, in order and as they were then, and in what it returned
    """

    name: str
    module: Any
    inputs: tuple[Seen, ...]
    outputs: tuple[Seen, ...]

    @property
    def is_innermost(self) -> bool:
        """Whether no module is inside it."""
        return next(self.module.children(), None) is None


class Run(Record, eq=False):
    """Everything that was called, in the order in which it was over; the last is the module itself.

    captured: as `capture` gives it
    """

    calls: tuple[Call, ...]
    captured: Mapping[str, Any]


def run(module: Any, inputs: Any) -> Run:
    """Runs module(inputs) once, without gradients, and as in use, not in training: without dropout.

    inputs: a tensor; a tuple or list of arguments; or a dict of named ones
    Raises ArgumentError where the module refuses them.
    """
    torch: Any = import_module("torch")  # a module was given, so it is there; nobody else needs it
    calls: list[Call] = []
    with ExitStack() as stack:
        captured = stack.enter_context(capture(module))
        stack.enter_context(_in_use(module))
        stack.enter_context(torch.no_grad())
        stack.enter_context(_recording(module, calls))
        try:
            if isinstance(inputs, Mapping):
                module(**inputs)
            else:
                module(*(inputs if isinstance(inputs, tuple | list) else (inputs,)))
        except Exception as error:  # whatever the module raises
            reason = " ".join(str(error).split())[:300] or "no reason given"
            said = f"the module cannot be run on these inputs: {type(error).__name__}: {reason}"
            raise ArgumentError(said) from error
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


@contextmanager
def _recording(module: Any, calls: list[Call]) -> Iterator[None]:
    """Each call is put down when it is over; its inputs are copied before, because it may change them."""
    begun: list[tuple[Seen, ...]] = []
    handles: list[Any] = []

    def begin(one: Any, given: Any, named: Any) -> None:
        begun.append(tuple(_seen((given, named))))

    def end_of(name: str) -> Any:
        def end(one: Any, given: Any, named: Any, output: Any) -> None:
            calls.append(Call(name, one, begun.pop(), tuple(_seen(output))))

        return end

    try:
        for name, one in module.named_modules():
            handles.append(one.register_forward_pre_hook(begin, with_kwargs=True))
            handles.append(one.register_forward_hook(end_of(name), with_kwargs=True))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _seen(held: Any, depth: int = 0) -> Iterator[Seen]:
    """The tensors in what a module is given or returns, in order."""
    if is_tensor(held):
        if not held.is_complex():
            yield Seen(held, as_array(held))
    elif depth < _DEEPEST:
        inner: Sequence[Any] = list(held.values()) if isinstance(held, Mapping) else held
        for one in inner if isinstance(inner, list | tuple) else ():
            yield from _seen(one, depth + 1)
