"""`walkthrough schema`: the scenario format for editors, and that of every JSON output for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = "Examples: walkthrough schema > scenario.schema.json · walkthrough schema --of check"
SCENARIO = "scenario"
_SUFFIX = "-1.schema.json"


def command(
    of: Annotated[
        str,
        typer.Option(
            help="The format of scenarios, or of the JSON that a command writes: trace, check, steps, …", metavar="NAME"
        ),
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
        names = list(dict.fromkeys([SCENARIO, *known]))
        hint = did_you_mean(name, names)
        message = f"no schema is called {in_quotes(name)}; {hint + '; ' if hint else ''}known: {', '.join(names)}"
        raise typer.BadParameter(message, param_hint="--of")
    return known[name].read_bytes()


def _files() -> dict[str, Path]:
    """The file of each schema by its name, which `format` in the output has behind `walkthrough-`."""
    files = sorted(Path(__file__).resolve().parents[2].glob(f"schemas/*{_SUFFIX}"))
    return {file.name.removesuffix(_SUFFIX): file for file in files}
