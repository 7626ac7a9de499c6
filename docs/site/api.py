"""The reference of the library, made from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import walkthrough
from walkthrough.records import Record

_LONG = 90
"""Characters of a signature on one line."""
_HEAD = """# The library

Everything that `import walkthrough` offers. [library.md](library.md) shows how to use it.
"""


def api() -> str:
    """The whole document, as Markdown."""
    return "\n".join([_HEAD, *(part for name in walkthrough.__all__ for part in _entry(name))])


def _entry(name: str) -> Iterator[str]:
    found = getattr(walkthrough, name)
    path = f"walkthrough.{name}"
    if inspect.isclass(found):
        yield from _heading(2, path, name, f"class {name}{_signature(found)}", found.__doc__)
        for member, value in _members(found):
            yield from _member(f"{path}.{member}", member, value)
    elif callable(found):
        yield from _heading(2, path, name, f"{name}{_signature(found)}", found.__doc__)
    else:
        yield from _heading(2, path, name, f"{name}: {type(found).__name__}", "The version of the program.")


def _members(found: type) -> Iterator[tuple[str, Any]]:
    """The public methods, properties and fields, those of base classes of ours too, in the order of their names."""
    names: dict[str, Any] = {}
    for base in reversed(found.__mro__):
        if not base.__module__.startswith("walkthrough") or base is Record:
            continue
        fields = {name: f"{name}: {kind}" for name, kind in inspect.get_annotations(base).items()}
        names |= {name: value for name, value in vars(base).items() if not inspect.ismodule(value)} | fields
        names |= {name: field for name, field in _made(base) if name not in names}
    yield from sorted((name, value) for name, value in names.items() if re.fullmatch(r"[a-z]\w*", name))


def _made(found: type) -> Iterator[tuple[str, str]]:
    """The fields that a class makes when it is called, with what its parameters or it itself say of their kind."""
    make = vars(found).get("__init__")
    if not inspect.isfunction(make) or make.__code__.co_filename.startswith("<"):  # a dataclass: its fields are known
        return
    kinds = inspect.get_annotations(make)
    for name, kind in re.findall(r"^ +self\.(\w+)(?:: (.+?))? = ", inspect.getsource(make), re.MULTILINE):
        yield name, ": ".join(filter(None, (name, kind or kinds.get(name))))


def _member(path: str, name: str, value: Any) -> Iterator[str]:
    plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    if inspect.isfunction(plain):
        yield from _heading(3, path, name, f"{name}{_signature(plain)}", plain.__doc__)
    elif isinstance(value, property) or hasattr(value, "func"):
        getter = value.fget if isinstance(value, property) else value.func
        returned = inspect.get_annotations(getter).get("return", "")
        yield from _heading(3, path, name, f"{name}: {returned}" if returned else name, getter.__doc__)
    else:
        yield from _heading(3, path, name, value if isinstance(value, str) else name, None)


def _signature(found: Any) -> str:
    """Its parameters and what it returns, a line each where they are long."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return "(…)"
    written = _unquoted(str(signature))
    if len(written) <= _LONG:
        return written
    end = written[written.rindex(")") :]
    parameters = [_unquoted(str(one)) for one in signature.parameters.values()]
    lines = "".join(f"    {one},\n" for one in _with_star(signature, parameters))
    return f"(\n{lines}{end}"


def _unquoted(text: str) -> str:
    """Annotations as they are written in the source; a default that is made for each object has no text."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace("<factory>", "...")


def _with_star(signature: inspect.Signature, written: list[str]) -> Iterator[str]:
    """The parameters, with the star before the first one that must be named."""
    is_after = False
    for one, text in zip(signature.parameters.values(), written, strict=True):
        if one.kind is one.KEYWORD_ONLY and not is_after:
            is_after = True
            yield "*"
        yield text


def _heading(level: int, path: str, name: str, signature: str, text: str | None) -> Iterator[str]:
    yield f'{"#" * level} <a id="{path}"></a>`{name}`\n'
    if signature != name:
        yield f"```text\n{signature}\n```\n"
    if text:
        yield f"{_markdown(inspect.cleandoc(text))}\n"


def _markdown(text: str) -> str:
    """A docstring: prose, and lines of names as a list."""
    lines: list[str] = []
    for line in text.replace("<", "&lt;").split("\n"):
        named = re.match(r"(\w+): +(.+)", line)
        if named and lines and lines[-1] and not lines[-1].startswith("- "):
            lines.append("")
        lines.append(f"- `{named[1]}`: {named[2]}" if named else line)
    return "\n".join(lines)
