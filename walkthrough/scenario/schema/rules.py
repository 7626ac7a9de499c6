"""What keys need, exclude or leave without effect: said where the key is declared, checked here.

A rule of two keys stands with one of them; what also asks for shapes, or for what is computed, stands with its part.

needs:    another key without which this one is an error
excludes: an `Exclusion` or several, keys that may not be given with it
replaces: keys that have no effect beside it, since it already gives the numbers; ALL: every other key
without:  a key without which it has no effect
idle:     `Condition` → why, where it has no effect
makes:    of a weight that may be null, since nobody printed it: the key of what it makes, which then is needed
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.problems import Problems

ALL = "all other keys"


Condition = str | tuple[str, Any]
"""A key that is written, and not false; or a key with a value, be it its default.

Keys of sections below stand behind a dot, `layers.attention.alibi`; `*.` leads to any section below.
"""


BOTH = "both {name} and {other} are given"


class Exclusion(Record):
    """Keys that may not stand beside one, what is said of it and what may help.

    message: may have the {name} of the key, its {section}, and of the {other} its {path} and its {value}
    when:    what must hold too
    here:    the problem is shown at the key that excludes, not at the other
    """

    others: tuple[Condition, ...]
    message: str = BOTH
    help: str = "remove one of them"
    when: Condition = ""
    here: bool = False


def check_rules(part: Any, problems: Problems) -> None:
    """Notes whatever goes against the rules of its keys, in a section and in all sections below it."""
    for section in sections_in(part):
        for name in section.KEYS:
            _check_key(section, name, problems)
        _check_choice(section, problems)


def sections_in(part: Any) -> Iterator[Section]:
    """A section and all sections below it, in lists too."""
    if isinstance(part, list):
        for item in part:
            yield from sections_in(item)
    elif isinstance(part, Section):
        yield part
        for name in part.KEYS:
            yield from sections_in(getattr(part, name))


def _check_key(section: Section, name: str, problems: Problems) -> None:
    rules = section.KEYS[name].rules
    if not rules or not section.is_written(name):
        return
    needed, without = rules.get("needs"), rules.get("without")
    if needed and not section.has(needed):
        problems.fault(section, name, f"{name} is given without {needed if needed.endswith('s') else f'a {needed}'}")
    if without and not section.has(without):
        problems.idle(section, name, f"{without} is not given")
    if "makes" in rules and section.is_null(name) and not section.has(rules["makes"]):
        message = f"{name} is null, a weight that nobody printed: then what it makes is needed, {rules['makes']}"
        problems.fault(section, name, message)
    for exclusion in exclusions_of(rules):
        _check_exclusion(section, name, exclusion, problems)
    for condition, why in rules.get("idle", {}).items():
        if any(_found(section, condition)):
            problems.idle(section, name, why)
    for other in _replaced_keys(section, name, rules.get("replaces", ())):
        problems.idle(section, other, f"{name} already gives the numbers", f"remove {other}, or {name}")


def _check_exclusion(section: Section, name: str, exclusion: Exclusion, problems: Problems) -> None:
    if not any(_found(section, name)) or (exclusion.when and not any(_found(section, exclusion.when))):
        return
    for owner, other in (found for condition in exclusion.others for found in _found(section, condition)):
        facts = {"path": owner.key_of(other), "value": getattr(owner, other)}
        message = exclusion.message.format(name=name, section=section, other=other, **facts)
        at, key = (section, name) if exclusion.here else (owner, other)
        problems.add(at.place_of(key), message, key=at.key_of(key), help=exclusion.help)


def _found(section: Section, condition: Condition) -> Iterator[tuple[Section, str]]:
    """The sections in which a condition holds, each with the name of the key that it speaks of."""
    path, value = condition if isinstance(condition, tuple) else (condition, None)
    first, _, rest = path.partition(".")
    if rest:
        value_of = getattr(section, first, None)
        below = [*sections_in(section)] if first == "*" else value_of if isinstance(value_of, list) else [value_of]
        for one in below:
            if isinstance(one, Section):
                yield from _found(one, (rest, value))
    elif first in section.KEYS:
        found = getattr(section, first)
        if (section.is_written(first) and found is not False) if value is None else found == value:
            yield section, first


def _replaced_keys(section: Section, name: str, replaced: Any) -> Iterator[str]:
    """The keys that are written, and do nothing; where a weight is null, all but its bias do what they always do."""
    others = (other for other in type(section).KEYS if other != name)
    names = list(others) if replaced == ALL else replaced
    if section.leaves_out(name):
        weights = [other for other, key in type(section).KEYS.items() if key.rules.get("makes") == name]
        names = [f"b{weight[1:]}" for weight in weights]
    return (other for other in names if section.is_written(other) and not section.is_null(other))


def _check_choice(section: Section, problems: Problems) -> None:
    """Of some keys a section has exactly one; one that is given instead, and not supported, has been reported."""
    given = [name for name in section.ONE_OF if section.has(name)]
    is_reported = not given and any(written.text in section.HINTS for written, _ in section.node.entries)
    if section.ONE_OF and len(given) != 1 and not is_reported:
        which = "either " if len(section.ONE_OF) > 1 else ""
        found = f"{' and '.join(given)} are given" if given else "none is given"
        message = f"{section.path.rpartition('.')[2]} needs {which}{' or '.join(section.ONE_OF)}, but {found}"
        problems.add(section, message)


def exclusions_of(rules: Mapping[str, Any]) -> tuple[Exclusion, ...]:
    """What the rules of a key exclude."""
    excludes = rules.get("excludes", ())
    return (excludes,) if isinstance(excludes, Exclusion) else excludes


def schema_of_rules(section: type[Section]) -> dict[str, Any]:
    """The rules as JSON Schema, as far as an editor can check them."""
    needs = {name: [key.rules["needs"]] for name, key in section.KEYS.items() if "needs" in key.rules}
    excluded = [
        {"not": {"required": [name, other], **_unless_false(section, name, str(other))}}
        for name, key in section.KEYS.items()
        for exclusion in exclusions_of(key.rules)
        for other in exclusion.others
        if other in section.KEYS and section.KEYS[str(other)].default is None
        if not exclusion.when and key.default is None
    ]
    chosen = [{"oneOf": [{"required": [name]} for name in section.ONE_OF]}] if section.ONE_OF else []
    rules = [*excluded, *chosen]
    return {**({"dependentRequired": needs} if needs else {}), **({"allOf": rules} if rules else {})}


def _unless_false(section: type[Section], *names: str) -> dict[str, Any]:
    """Of those that may be false: only where they are not."""
    schemas = {name: section.KEYS[name].reader.schema() for name in names}
    flags = [name for name, schema in schemas.items() if {"type": "boolean"} in (schema, *schema.get("anyOf", ()))]
    return {"properties": {name: {"not": {"const": False}} for name in flags}} if flags else {}
