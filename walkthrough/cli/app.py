"""The application and its commands; nothing heavy is imported, and of the commands only the one asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from walkthrough.version import __version__

COMMANDS = {
    "run": "calculation.run",
    "view": "calculation.view",
    "explain": "calculation.explain",
    "inspect": "calculation.inspect",
    "check": "calculation.check",
    "export": "calculation.export",
    "worksheet": "teaching.worksheet",
    "draw": "teaching.draw",
    "mark": "teaching.mark",
    "practice": "teaching.practice",
    "learn": "teaching.learn",
    "shapes": "calculation.shapes",
    "steps": "calculation.steps",
    "list": "scenario.list_",
    "new": "scenario.new",
    "validate": "scenario.validate",
    "schema": "scenario.schema",
}
"""Every command and its module below this folder, which has EXAMPLES and `command`; in the order of the help."""
_NAMES = ("FILE", "FOLDER", "SCENARIO")
"""In the metavar of an option: its value names one."""


class _Command(TyperCommand):
    """A command that refuses a file, folder or scenario without a name, which as a path would be the folder one is in,
    and a second one in place of the first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments. Raises BadParameter where an option that names a file is empty, or given twice."""
        given, _, order = self.make_parser(ctx).parse_args(list(args))
        named = [option for option in self.params if any(word in (option.metavar or "") for word in _NAMES)]
        for option in named if not ctx.resilient_parsing else ():
            value = given.get(option.name or "")
            if "" in (value if isinstance(value, list) else [value]):
                raise typer.BadParameter(f"it is empty; expected {option.metavar}", ctx, option)
            if order.count(option) > 1 and not getattr(option, "multiple", False):
                raise typer.BadParameter(f"it is given twice; expected one {option.metavar}", ctx, option)
        return super().parse_args(ctx, args)


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with some of its commands."""
    app = typer.Typer(
        name="walkthrough",
        help="Worked examples of the Transformer: every matrix step by step, every number with its arithmetic.",
        epilog="Try: walkthrough run chai · walkthrough run chai --step attention · walkthrough export chai -o chai.md",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for name in names:
        module = importlib.import_module(f"walkthrough.cli.{COMMANDS[name]}")
        app.command(name, cls=_Command, epilog=module.EXAMPLES)(module.command)
    return app


def commands_to_load(arguments: Sequence[str]) -> Iterable[str]:
    """The command that the arguments begin with; all, where help, completion or a misspelling may want them."""
    if arguments and arguments[0] in COMMANDS and not any(name.endswith("_COMPLETE") for name in os.environ):
        return (arguments[0],)
    return COMMANDS


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"walkthrough {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
