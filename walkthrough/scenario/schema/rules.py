"""What keys of one section need, exclude or leave without effect: said where the key is declared, checked here.

needs:    another key without which this one is an error
excludes: an `Exclusion`, keys that may not be given with it
replaces: keys that have no effect beside it, since it already gives the numbers; ALL: every other key
without:  a key without which it has no effect
makes:    of a weight that may be null, since nobody printed it: the key of what it makes, which then is needed
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.problems import Problems

ALL = "all other keys"


class Exclusion(Record):
    """Keys that exclude another one; `why` follows the message, `help` says what to do.

    message: in place of "both … and … are given"
    """

    others: tuple[str, ...]
    why: str = ""
    help: str = "keep one of them"
    message: str = ""


def check_rules(part: Any, problems: Problems) -> None:
    """Notes whatever goes against the rules of its keys, in a section and in all sections below it."""
    if isinstance(part, list):
        for item in part:
            check_rules(item, problems)
    elif isinstance(part, Section):
        for name in type(part).KEYS:
            _check_key(part, name, problems)
            check_rules(getattr(part, name), problems)
        _check_choice(part, problems)


def _check_key(section: Section, name: str, problems: Problems) -> None:
    rules = section.KEYS[name].rules
    if not rules or not _is_written(section, name):
        return
    needed, without = rules.get("needs"), rules.get("without")
    if needed and not section.has(needed):
        problems.fault(section, name, f"{name} is given without {needed if needed.endswith('s') else f'a {needed}'}")
    if without and not section.has(without):
        problems.idle(section, name, f"{without} is not given")
    if "makes" in rules and section.is_null(name) and not section.has(rules["makes"]):
        message = f"{name} is null, a weight that nobody printed: then what it makes is needed, {rules['makes']}"
        problems.fault(section, name, message)
    if "excludes" in rules:
        _check_exclusion(section, name, rules["excludes"], problems)
    for other in _replaced_keys(section, name, rules.get("replaces", ())):
        problems.idle(section, other, f"{name} already gives the numbers", f"remove {other}, or {name}")


def _check_exclusion(section: Section, name: str, exclusion: Exclusion, problems: Problems) -> None:
    """A flag that is false, or a number that is the default, excludes nothing."""
    for other in exclusion.others:
        if section.has(other) and getattr(section, other) is not False and getattr(section, name) is not False:
            why = f": {exclusion.why.format(section=section)}" if exclusion.why else ""
            message = exclusion.message or f"both {name} and {other} are given{why}"
            problems.add(section.place_of(other), message, key=section.key_of(other), help=exclusion.help)


def _replaced_keys(section: Section, name: str, replaced: Any) -> Iterator[str]:
    """The keys that are written, and do nothing; where a weight is null, all but its bias do what they always do."""
    others = (other for other in type(section).KEYS if other != name)
    names = list(others) if replaced == ALL else replaced
    if section.leaves_out(name):
        weights = [other for other, key in type(section).KEYS.items() if key.rules.get("makes") == name]
        names = [f"b{weight[1:]}" for weight in weights]
    return (other for other in names if section.is_written(other) and not section.is_null(other))


def _check_choice(section: Section, problems: Problems) -> None:
    """Of some keys a section has exactly one; one that is given instead, and not supported, has been told."""
    given = [name for name in section.ONE_OF if section.has(name)]
    is_told = not given and any(written.text in section.HINTS for written, _ in section.node.entries)
    if section.ONE_OF and len(given) != 1 and not is_told:
        which = "either " if len(section.ONE_OF) > 1 else ""
        found = f"{' and '.join(given)} are given" if given else "none is given"
        message = f"{section.path.rpartition('.')[2]} needs {which}{' or '.join(section.ONE_OF)}, but {found}"
        problems.add(section, message)


def _is_written(section: Section, name: str) -> bool:
    """Whether the file gives the key, under any of its names."""
    return any(section.node.get(written) is not None for written in (name, *section.KEYS[name].also))


def schema_of_rules(section: type[Section]) -> dict[str, Any]:
    """The rules as JSON Schema, as far as an editor can check them."""
    needs = {name: [key.rules["needs"]] for name, key in section.KEYS.items() if "needs" in key.rules}
    excluded = [
        {"not": {"required": [name, other]}}
        for name, key in section.KEYS.items()
        if "excludes" in key.rules
        for other in key.rules["excludes"].others
        if key.default is None and section.KEYS[other].default is None
    ]
    chosen = [{"oneOf": [{"required": [name]} for name in section.ONE_OF]}] if section.ONE_OF else []
    rules = [*excluded, *chosen]
    return {**({"dependentRequired": needs} if needs else {}), **({"allOf": rules} if rules else {})}
