"""Where a program leaves the gradients to PyTorch: what has to keep its own, and how they are asked for.

A recorded gradient says by its path what it is the gradient of; the first one of a training step knows the loss.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from walkthrough.recording.parts import gradient_of
from walkthrough.recording.selectors import batch_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


class Gradients:
    """The recorded gradients of some values, and what autograd has to know to find them.

    target_of:   of each recorded gradient what it is the gradient of; None of a part of one
    of_step:     what each training step has gradients of, by the prefix of its paths
    steps:       the other way round: of each target the steps, by their prefix
    targets:     all of these; in_one_step: those with a gradient in one step only
    tracked:     the values that hang on a target, or are one
    """

    def __init__(self, trace: Trace | None, values: Iterable[Value] = ()) -> None:
        self.trace = trace
        values = list(values) if trace is not None else []
        self.target_of = {value: self._target_of(value) for value in values if gradient_of(value.path)}
        self.of_step: dict[str, set[Value]] = defaultdict(set)
        for path in (path for value in self.target_of for path in (value.path, *value.also)):
            if (target := self.target(path)) is not None:
                self.of_step[batch_of(path)].add(target)
        self.steps: dict[Value, list[str]] = defaultdict(list)
        for step, targets in self.of_step.items():
            for one in targets:
                self.steps[one].append(step)
        self.targets = self.steps.keys()
        self.in_one_step = {target for target, steps in self.steps.items() if len(steps) == 1}
        self.order = {value: at for at, value in enumerate(values)}
        self.tracked: set[Value] = set()
        for value in values:
            hangs = not self.tracked.isdisjoint(value.inputs) and self.target_of.keys().isdisjoint(value.inputs)
            if value in self.targets or (hangs and value not in self.target_of and not _is_update(value)):
                self.tracked.add(value)

    @property
    def parts(self) -> set[Value]:
        """Parts of gradients, which autograd does not show."""
        return {value for value, target in self.target_of.items() if target is None}

    def _target_of(self, value: Value) -> Value | None:
        """What a gradient is the gradient of, under any of its names; None of a part of one, as through one example."""
        return next(filter(None, map(self.target, (value.path, *value.also))), None)

    def target(self, path: str) -> Value | None:
        """What the gradient of that path is the gradient of; None for any other path."""
        return self.trace.get(gradient_of(path)) if self.trace is not None else None

    def right_side(self, value: Value, code: str) -> str:
        """The right side of a step: an update is cut off from the step before, and learns on where it is trained."""
        if value in self.tracked and any((given.array == 0).any() for given in value.inputs):
            code = code.replace("torch.sqrt(", "root(")  # whose slope at 0 is not infinite
        cut = ".detach()" if self.trace is not None and _is_update(value) else ""
        if value in self.targets and self._is_leaf(value):
            cut += ".requires_grad_()"
        return f"({code}){cut}" if cut else code

    def lines(self, value: Value, name: str, names: Mapping[Value, str]) -> Iterator[str]:
        """The lines that give a gradient; before the first of a training step, the backward pass."""
        if value.loss is not None:
            yield from self._backward_lines(value, names)
        target = self.target_of[value]
        assert target is not None
        yield f"{name} = {names[target]}.grad"

    def _backward_lines(self, first: Value, names: Mapping[Value, str]) -> Iterator[str]:
        assert first.loss is not None
        targets = sorted(self.of_step[batch_of(first.path)], key=self.order.__getitem__)
        kept = [names[target] for target in targets if not self._is_leaf(target)]
        for target in targets:
            if self.steps[target][0] != batch_of(first.path):
                yield f"{names[target]}.grad = None  # not the previous step's"
        if kept:
            yield "for matrix in ("
            yield from textwrap.wrap(f"{', '.join(kept)},", initial_indent="    ", subsequent_indent="    ", width=100)
            yield "):"
            yield "    matrix.retain_grad()  # keep the gradients of computed matrices"
        yield f"{names[first.loss]}.backward()"

    def _is_leaf(self, value: Value) -> bool:
        return value.operation is None or self.tracked.isdisjoint(value.inputs) or _is_update(value)


def _is_update(value: Value) -> bool:
    """Whether it is a parameter that a training step has made."""
    return value.operation is not None and value.kind.trained
