"""The application and its commands; nothing heavy is imported, and of the commands only the one asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from walkthrough.cli.arguments import file_name, file_path
from walkthrough.version import __version__

COMMANDS = {
    "run": "calculation.run",
    "view": "calculation.view",
    "explain": "calculation.explain",
    "check": "calculation.check",
    "compare": "calculation.compare",
    "export": "calculation.export",
    "worksheet": "teaching.worksheet",
    "mark": "teaching.mark",
    "practice": "teaching.practice",
    "learn": "teaching.learn",
    "new": "scenario.new",
    "shapes": "calculation.shapes",
    "steps": "calculation.steps",
    "list": "scenario.list_",
    "validate": "scenario.validate",
    "schema": "scenario.schema",
}
"""Every command and its module below this folder, which has EXAMPLES and `command`; in the order of the help."""
GONE = {
    "inspect": "walkthrough run SCENARIO --inspect all",
    "draw": "walkthrough new FILE --like SCENARIO",
    "check --against": "walkthrough compare SCENARIO FILE",
    "run --format": "walkthrough export SCENARIO --format NAME",
    "run --export": "walkthrough export SCENARIO -o FILE",
    "run --map": "walkthrough steps SCENARIO",
    "mark --to": "--feedback-format",
    "export --to": "--format",
    "worksheet --to": "--format",
    "practice --to": "--format",
    "run --no-drift": "--drift, which shows it",
    "export --no-drift": "--drift, which shows it",
    **{f"{command} --what-if": "--set" for command in ("run", "view", "explain", "export")},
}
"""What took the place of a command or an option that is gone."""


class _Commands(TyperGroup):
    """The commands; of one that is gone it says what took its place."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments begin with. Raises a usage error where there is none."""
        _refuse_gone(ctx, args[0])
        return super().resolve_command(ctx, args)


class _Command(TyperCommand):
    """A command that takes each option that names a file once, and says of an option that is gone what took its place.

    Two files where one is written would leave one unwritten without a word.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments. Raises a usage error."""
        flags = {flag for option in self.params for flag in option.opts}
        for word in args:
            if (flag := word.partition("=")[0]) not in flags:
                _refuse_gone(ctx, f"{self.name} {flag}")
        order = self.make_parser(ctx).parse_args(list(args))[2]
        for option in self.params if not ctx.resilient_parsing else ():
            is_name = getattr(option.type, "func", None) in (file_name, file_path)
            if is_name and order.count(option) > 1 and not getattr(option, "multiple", False):
                raise typer.BadParameter(f"it is given twice; expected one {option.metavar}", ctx, option)
        return super().parse_args(ctx, args)


def _refuse_gone(ctx: Any, name: str) -> None:
    if name in GONE and not ctx.resilient_parsing:
        ctx.fail(f"{name.rpartition(' ')[2]} is gone; write {GONE[name]}")


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with some of its commands."""
    app = typer.Typer(
        name="walkthrough",
        cls=_Commands,
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
