"""`walkthrough schema`: the scenario format for editors."""

from __future__ import annotations

EXAMPLES = "Example: walkthrough schema > scenario.schema.json"


def command() -> None:
    """Print the JSON Schema of the scenario format, for editors that complete and check YAML."""
    import json

    from walkthrough.cli.files import write_file
    from walkthrough.scenario.schema.json_schema import json_schema

    write_file("-", (json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode())
