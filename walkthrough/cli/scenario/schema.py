"""`walkthrough schema`: the scenario format for editors, and the JSON that tools read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from walkthrough.cli.arguments import what

EXAMPLES = "Examples: walkthrough schema > scenario.schema.json · walkthrough schema --of check"
SCENARIO = "scenario"
_FILE = re.compile(r"([a-z]+)-\d+\.schema\.json")


def command(
    of: Annotated[
        str,
        what(help="What it describes: scenario, or the JSON of a trace, of check, compare or mark.", metavar="NAME"),
    ] = SCENARIO,
) -> None:
    """Print a JSON Schema: of the scenario format, for editors that complete and check YAML, or of a JSON output."""
    from walkthrough.cli.files import write_file

    write_file("-", _schema(of))


def _schema(name: str) -> bytes:
    import json

    from walkthrough.text import did_you_mean, in_quotes

    if name == SCENARIO:
        from walkthrough.scenario.json_schema import json_schema

        return (json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n").encode()
    known = _files()
    if name not in known:
        names = [SCENARIO, *known]
        hint = did_you_mean(name, names)
        message = f"no schema is called {in_quotes(name)}; {hint + '; ' if hint else ''}known: {', '.join(names)}"
        raise typer.BadParameter(message, param_hint="--of")
    return known[name].read_bytes()


def _files() -> dict[str, Path]:
    """The file of each schema by the name of what it describes."""
    folder = Path(__file__).resolve().parents[2] / "schemas"
    return {found[1]: file for file in sorted(folder.iterdir()) if (found := _FILE.fullmatch(file.name))}
