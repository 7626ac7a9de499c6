"""Records: classes that name their parts and are equal by them. Knows nothing of the rest of the package.

The rule of the house: what has parts is a Record. A NamedTuple is for what is unpacked or sorted as a tuple too, a
class with an `__init__` of its own for what changes. A Record takes 10 µs to define, a NamedTuple 80, a dataclass a
millisecond, and hundreds of them are loaded at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from types import MappingProxyType
from typing import Any, ClassVar, Self, dataclass_transform

NONE: Mapping[Any, Any] = MappingProxyType({})
"""An empty mapping, for a default."""


@dataclass_transform(frozen_default=True, eq_default=True)
class Record:
    """A value made of parts: the annotated names of its class, in order, with the defaults written there.

    frozen: whether its parts stay as they are; eq: whether it equals another one with the same parts, or only itself
    """

    fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _tail: ClassVar[tuple[Any, ...]] = ()

    def __init_subclass__(cls, *, frozen: bool = True, eq: bool = True) -> None:
        own = cls.__annotations__
        cls.fields = (*cls.fields, *own)
        cls._defaults = cls._defaults | {name: vars(cls)[name] for name in own if name in vars(cls)}
        known = list(takewhile(cls._defaults.__contains__, reversed(cls.fields)))
        cls._tail = tuple(cls._defaults[name] for name in reversed(known))
        if not frozen:
            cls.__setattr__ = object.__setattr__  # type: ignore[method-assign, assignment]
        if not eq:
            cls.__eq__ = object.__eq__  # type: ignore[method-assign]
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]

    def __init__(self, *parts: Any, **named: Any) -> None:
        if named or len(parts) != len(self.fields):
            parts = self._all_of(parts, named)
        self.__dict__.update(zip(self.fields, parts))  # noqa: B905  # as many of each, and made by the thousand

    def _all_of(self, parts: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The parts in order, with the defaults. Raises TypeError where one is missing, unknown or there twice."""
        missing = len(self.fields) - len(parts)
        if not named and 0 < missing <= len(self._tail):
            return parts + self._tail[-missing:]
        placed = dict(zip(self.fields, parts, strict=False))
        found = self._defaults | placed | named
        if len(parts) > len(self.fields) or placed.keys() & named.keys() or found.keys() != set(self.fields):
            raise TypeError(f"expected {type(self).__name__}({', '.join(self.fields)})")
        return tuple(found[name] for name in self.fields)

    def replace(self, **changes: Any) -> Self:
        """A copy with other values for some of its parts."""
        return type(self)(**(dict(zip(self.fields, self._parts(), strict=True)) | changes))

    def _parts(self) -> tuple[Any, ...]:
        return tuple(map(self.__dict__.__getitem__, self.fields))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} stays as it is made")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), self._parts()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._parts()))})"
