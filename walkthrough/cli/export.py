"""`walkthrough export`: the calculation as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import ByHand, Decimals, Full, Scenario, Steps, Tokens, traced
from walkthrough.cli.run import Work

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace
    from walkthrough.views.document import Options

NAME = "export"
EXAMPLES = (
    "Examples: walkthrough export chai -o chai.md · walkthrough export chai -o chai.npz · "
    "walkthrough export chai --to json -o - | jq .title"
)


def command(
    scenario: Scenario,
    output: Annotated[
        str, typer.Option("--output", "-o", help="The file to write; - is standard output.", metavar="FILE")
    ],
    to: Annotated[
        str | None, typer.Option("--to", help="markdown, json or npz; default: by the file's suffix.", metavar="FORMAT")
    ] = None,
    step: Steps = None,
    token: Tokens = None,
    decimals: Decimals = None,
    work: Annotated[Work, typer.Option(help="How many cells of each step are worked out (markdown).")] = Work.one,
    by_hand: ByHand = False,
    full: Full = False,
) -> None:
    """Calculate a scenario and write it as Markdown, JSON or npz."""
    from walkthrough.views.document import Options

    format_of(output, to)
    exported(
        traced(scenario, by_hand, decimals), Options(step or (), token or (), decimals, work.value, full), output, to
    )


def format_of(output: str, to: str | None) -> str:
    """The name of the format; a usage error where neither --to nor the suffix says a known one."""
    from walkthrough.text import did_you_mean, printable
    from walkthrough.views.formats import FORMATS, by_suffix

    known = ", ".join(FORMATS)
    if to is not None:
        if to not in FORMATS:
            raise typer.BadParameter(f"no format {printable(to)!r}; {did_you_mean(to, FORMATS) or 'known: ' + known}")
        return to
    if output == "-":
        return FORMATS[0]
    found = by_suffix(output)
    if found is None:
        raise typer.BadParameter(f"the suffix of {printable(output)!r} names no format; add --to with one of {known}")
    return found


def exported(trace: Trace, options: Options, output: str, to: str | None) -> None:
    """Writes the trace to a file, or to standard output."""
    from walkthrough.cli.files import write_file
    from walkthrough.views.formats import by_name

    write_file(output, by_name(format_of(output, to)).write(trace, options))
