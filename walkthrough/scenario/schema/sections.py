"""Sections: the mappings of the format, declared as classes whose fields are the keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

from walkthrough.records import Record
from walkthrough.scenario.schema.readers import Context, JsonSchema, Reader
from walkthrough.scenario.yaml.nodes import MappingNode, Node, ScalarNode
from walkthrough.scenario.yaml.problems import MOST_SHOWN, Positioned
from walkthrough.text import did_you_mean, find_near, in_quotes


class Key(Record, eq=False):
    """A key of a section: how it is read, what it means, its default, and what follows from it for other keys.

    also:      other names it may be written under
    parameter: what its matrix is, if that is learned (`parameters.py`)
    rules:     what it needs, excludes or leaves without effect (`rules.py`)
    """

    reader: Reader
    doc: str
    default: Any
    also: tuple[str, ...]
    required: bool
    parameter: Any
    rules: Mapping[str, Any]


def key(
    reader: Reader,
    doc: str,
    *,
    default: Any = None,
    also: Iterable[str] = (),
    required: bool = False,
    parameter: Any = None,
    **rules: Any,
) -> Any:
    """Declares a key of a section."""
    return Key(reader, doc, default, tuple(also), required, parameter, rules)


class Section:
    """Base of the mappings of the format: subclasses list their keys as attributes made by `key`.

    node, path: the mapping, and the keys that lead to it
    heading:    the key before it, where there is one
    faulty:     keys that the file gives, but whose values cannot be used
    HINTS:      what may be meant by names that are no keys; ONE_OF: keys of which there must be exactly one
    NAMES:      every name that a key may be written under, and the key it stands for
    (Dataclasses would do the same, and take a tenth of the start-up.)
    """

    HINTS: ClassVar[dict[str, str]] = {}
    ONE_OF: ClassVar[tuple[str, ...]] = ()
    KEYS: ClassVar[dict[str, Key]] = {}
    NAMES: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls) -> None:
        inherited = {name: key for base in reversed(cls.__mro__[1:]) for name, key in getattr(base, "KEYS", {}).items()}
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Key)}
        cls.KEYS = {**inherited, **own}
        cls.NAMES = {written: name for name, key in cls.KEYS.items() for written in (name, *key.also)}

    def __init__(
        self,
        *,
        node: MappingNode,
        path: str,
        heading: Positioned | None = None,
        faulty: frozenset[str] = frozenset(),
        **values: Any,
    ) -> None:
        self.node = node
        self.path = path
        self.heading = heading
        self.faulty = faulty
        for name, declared in self.KEYS.items():
            setattr(self, name, values.pop(name, declared.default))
        if values:
            raise TypeError(f"{type(self).__name__} has no key {', '.join(values)}")

    @property
    def line(self) -> int:
        """Line in the file, of its heading."""
        return (self.heading or self.node).line

    @property
    def column(self) -> int:
        """Column in the file, of its heading."""
        return (self.heading or self.node).column

    def has(self, name: str) -> bool:
        """Whether the file gives the key, be it faulty or not."""
        return name in self.faulty or getattr(self, name) is not None

    @property
    def chosen(self) -> str:
        """The one of `ONE_OF` that the file gives."""
        return next(name for name in self.ONE_OF if self.has(name))

    def is_null(self, name: str) -> bool:
        """Whether the file writes null for the key: a weight that nobody printed."""
        node = self.node.get(name)
        return isinstance(node, ScalarNode) and node.value is None

    def leaves_out(self, made: str) -> bool:
        """Whether a weight is null, and what it makes, such as `output`, stands beside it."""
        return self.has(made) and any(
            key.rules.get("makes") == made and self.is_null(name) for name, key in self.KEYS.items()
        )

    def is_written(self, name: str) -> bool:
        """Whether the file writes the key, under any of its names, be it null."""
        return any(self.node.get(written) is not None for written in (name, *self.KEYS[name].also))

    def at(self, name: str) -> Positioned:
        """The place of a key's value; the section itself where the key is not written."""
        return self.node.get(name) or self

    def place_of(self, name: str) -> Positioned:
        """The place of a key: its own line where a mapping follows, else that of its value."""
        value = getattr(self, name)
        return value if isinstance(value, Section) else self.at(name)

    def key_of(self, name: str) -> str:
        """The path of a key."""
        return f"{self.path}.{name}" if self.path else name


class SectionOf(Record):
    """A mapping with exactly the keys of a section."""

    section: type[Section]

    def read(self, node: Node, context: Context) -> Any:
        if not isinstance(node, MappingNode):
            context.reject(node, "a mapping with keys such as " + ", ".join(list(self.section.KEYS)[:3]))
            return None
        values: dict[str, Any] = {}
        unknown: list[str] = []
        for written, child in node.entries:
            name = self.section.NAMES.get(written.text)
            if name is None:
                unknown.append(written.text)
                message, help = f"unknown key {in_quotes(written.text)}", partial(self._hint, written.text)
                context.problems.add(written, message, key=context.at(written.text).path, help=help)
            elif name in values:
                first = next(one.text for one, _ in node.entries if self.section.NAMES.get(one.text) == name)
                message = f"{written.text} is another name for {first}, which is already given"
                context.problems.add(written, message, key=context.path)
            else:
                values[name] = self.section.KEYS[name].reader.read(child, context.at(written.text, written))
        return self._section(values, unknown[:MOST_SHOWN], node, context)

    def _section(self, values: dict[str, Any], unknown: list[str], node: MappingNode, context: Context) -> Section:
        """The section, what it lacks noted; a key that an unknown one may have been meant for is not called missing."""
        names = self.section.NAMES
        given = values.keys() | {names[found] for text in unknown for found in find_near(text, names, 1)}
        good = {name: value for name, value in values.items() if value is not None}
        faulty = frozenset(given - good.keys())
        section = self.section(**good, node=node, path=context.path, heading=context.heading, faulty=faulty)
        for name, key in self.section.KEYS.items():
            if key.required and name not in given:
                context.problems.missing(section, name, key.doc)
        return section

    def _hint(self, unknown: str) -> str:
        hint = self.section.HINTS.get(unknown) or did_you_mean(unknown, self.section.NAMES)
        return hint or "known: " + ", ".join(self.section.KEYS)

    def schema(self) -> JsonSchema:
        return {"$ref": f"#/$defs/{self.section.__name__}"}
