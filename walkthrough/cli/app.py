"""The application and its commands. Nothing heavy is imported here: `--help` and completion stay quick."""

from __future__ import annotations

from typing import Annotated

import typer

from walkthrough.cli import check, explain, export, list_, new, run, schema, shapes, steps, validate
from walkthrough.version import __version__

app = typer.Typer(
    name="walkthrough",
    help="Worked examples of the Transformer: every matrix step by step, every number with its arithmetic.",
    epilog="Try: walkthrough run chai · walkthrough run chai --step attention · walkthrough export chai -o chai.md",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"walkthrough {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


for _command in (run, explain, check, export, shapes, steps, list_, new, validate, schema):
    app.command(_command.NAME, epilog=_command.EXAMPLES)(_command.command)
