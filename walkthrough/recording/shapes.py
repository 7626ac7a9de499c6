"""Values of which the shape alone is known: recorded by the same program as arrays, which finds it for every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Self

from walkthrough.operations.definition import ANY, NO_SETTINGS, Array, Operation
from walkthrough.recording.axes import AnyAxis, Axis
from walkthrough.recording.labels import Labels
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value

_At = tuple[int, int]


class ShapeValue(Value):
    """A recorded value of which the shape alone is known: an unknown size is 0."""

    array: Array = None  # type: ignore[assignment]  # never asked for
    _unknown = False
    origin = None

    def __init__(
        self,
        path: str,
        kind: Kind,
        axes: tuple[Axis, Axis],
        operation: Operation | None = None,
        inputs: tuple[Value, ...] = (),
        settings: Mapping[str, Any] = NO_SETTINGS,
        rows: Labels | Callable[[], Labels] | None = None,
        columns: Labels | None = None,
    ) -> None:
        self.path = path
        self.kind = kind
        self._axes = axes
        self.operation = operation
        self.inputs = inputs
        self.settings = settings
        self._rows = rows
        self._columns = columns

    @classmethod
    def given(
        cls,
        path: str,
        kind: Kind,
        array: Array,
        axes: tuple[AnyAxis, AnyAxis] | None,
        rows: Labels | None = None,
        columns: Labels | None = None,
    ) -> Self:
        """A given matrix by its axes."""
        assert axes is not None
        down, across = (axis if isinstance(axis, Axis) else axis.as_axis() for axis in axes)
        return cls(path, kind, (down, across), rows=rows, columns=columns)

    @classmethod
    def calculated(
        cls,
        path: str,
        kind: Kind,
        operation: Operation,
        inputs: tuple[Value, ...],
        settings: Mapping[str, Any],
        rows: Labels | Callable[[], Labels] | None = None,
        columns: Labels | None = None,
        array: Array | None = None,
    ) -> Self:
        """What an operation makes of other values: the axes that it declares, joined with those of its inputs."""
        return cls(path, kind, _result(operation, inputs, settings), operation, inputs, settings, rows, columns)

    @property
    def has_numbers(self) -> bool:
        """No: it has a shape alone."""
        return False

    @property
    def has_size(self) -> bool:
        """Whether the sizes of both axes are known."""
        return None not in (self.axes[0].size, self.axes[1].size)

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # a size may still be found
        """Rows and columns."""
        rows, columns = self.axes
        return rows.size or 0, columns.size or 0


class ShapeTrace(Trace):
    """All recorded shapes of a calculation; the recorder is that of arrays."""

    value_class = ShapeValue


class _Rule(NamedTuple):
    """What an operation declares of the axes of `count` inputs; each is (number of the input, 0 or 1).

    equal: pairs that are one axis; fixed: axes of a fixed size, and that; first: where each name occurs first
    """

    equal: list[tuple[_At, _At]]
    fixed: list[tuple[_At, int]]
    first: dict[str, _At]


@cache
def _rule(operation: Operation, count: int) -> _Rule:
    rule = _Rule([], [], {})
    for number, names in enumerate(operation.input_axes(count)):
        for side, name in enumerate(names):
            at = number, side
            if name.isdigit():
                rule.fixed.append((at, int(name)))
            elif name in rule.first:
                rule.equal.append((rule.first[name], at))
            if name != ANY:
                rule.first.setdefault(name, at)
    return rule


def _result(operation: Operation, inputs: Sequence[Value], settings: Mapping[str, Any]) -> tuple[Axis, Axis]:
    """The axes of the result, after those of the inputs that bear one name have become one."""
    rule, axes = _rule(operation, len(inputs)), [value.axes for value in inputs]
    for (number, side), size in rule.fixed:
        if axes[number][side].size != size:
            Axis(str(size), size).join(axes[number][side])
    for (number, side), (other, its) in rule.equal:
        axes[number][side].join(axes[other][its])
    named = {name: axes[number][side] for name, (number, side) in rule.first.items()}
    if operation.sizes is not None:
        named |= _new_axes(operation.sizes, inputs, settings)
    rows, columns = operation.axes[1]
    return _axis(rows, named), _axis(columns, named)


def _new_axes(
    sizes: Callable[..., dict[str, int]], inputs: Sequence[Value], settings: Mapping[str, Any]
) -> dict[str, Axis]:
    """The axes of the result that no input has."""
    shapes = [value.shape for value in inputs]
    known = all(rows and columns for rows, columns in shapes)
    return {name: Axis(name, size if known and size else None) for name, size in sizes(shapes, **settings).items()}


def _axis(name: str, named: dict[str, Axis]) -> Axis:
    return named[name] if name in named else Axis(name, int(name))
