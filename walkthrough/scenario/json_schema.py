"""The scenario format as JSON Schema (draft 2020-12), made from the same keys that read it."""

from __future__ import annotations

from typing import Any

from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.rules import schema_of_rules
from walkthrough.scenario.schema.sections import Section


def json_schema() -> dict[str, Any]:
    """The schema, for editors and other programs."""
    sections = sorted(_all_sections(Section), key=lambda section: section.__name__)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:walkthrough:scenario:1",
        "title": "walkthrough scenario",
        **_object(ScenarioSpec),
        "$defs": {section.__name__: _object(section) for section in sections if section.KEYS},
    }


def _all_sections(section: type[Section]) -> set[type[Section]]:
    found = {section}
    for below in section.__subclasses__():
        found |= _all_sections(below)
    return found


def _object(section: type[Section]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for name, field in section.KEYS.items():
        schema = {**field.reader.schema(), "description": field.doc}
        if isinstance(field.default, str | int | float) and field.default not in ("", float("-inf")):
            schema["default"] = field.default
        for written in (name, *field.also):
            properties[written] = schema
        if field.required:
            required.append(name)
    description = (section.__doc__ or "").strip().split("\n")[0]
    result: dict[str, Any] = {"description": description, "type": "object", "additionalProperties": False}
    needed = {"required": required} if required else {}
    return {**result, **needed, **schema_of_rules(section), "properties": properties}
