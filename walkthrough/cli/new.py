"""`walkthrough new`: a commented scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "new"
EXAMPLES = "Example: walkthrough new mine.yaml && walkthrough run mine.yaml"


def command(
    file: Annotated[str, typer.Argument(help="The file to write; - is standard output.", show_default=False)],
) -> None:
    """Write a commented scenario that runs, to start from."""
    from walkthrough.cli.files import write_file
    from walkthrough.text import in_quotes, printable

    if file != "-" and Path(file).exists():
        raise typer.BadParameter(f"{in_quotes(file)} exists already; choose another name")
    starter = Path(__file__).resolve().parent.parent / "scenario" / "starter.yaml"
    write_file(file, starter.read_bytes())
    if file != "-":
        typer.echo(f"wrote {printable(file)}; try: walkthrough run {printable(file)}", err=True)
