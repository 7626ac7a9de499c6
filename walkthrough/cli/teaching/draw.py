"""`walkthrough draw`: a scenario with other given numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import Decimals, Scenario, load
from walkthrough.cli.progress import progress

if TYPE_CHECKING:
    from walkthrough.teaching.make.maker import Maker

EXAMPLES = (
    "Examples: walkthrough draw chai --seed 7 -o mine.yaml && walkthrough run mine.yaml · "
    "walkthrough draw chai --nice -o short.yaml"
)


def command(
    scenario: Scenario,
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="The file to write; - is standard output.", metavar="FILE"),
    ],
    seed: Annotated[int, typer.Option(min=0, help="What the numbers are drawn from.", metavar="N")] = 1,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="A given matrix to draw; by default all but biases. Repeatable.", metavar="SELECTOR"),
    ] = None,
    decimals: Decimals = None,
    nice: Annotated[
        bool, typer.Option("--nice", help="Search numbers whose steps are short to print; takes seconds.")
    ] = False,
) -> None:
    """Write the scenario with other given numbers, fit to work with by hand: those of `worksheet --seed`."""
    from walkthrough.cli.files import keep_apart, write_file
    from walkthrough.teaching.make.maker import Maker, SheetOptions

    keep_apart([scenario], [output])
    with progress() as shown:
        maker = Maker(load(scenario), Path(scenario).stem, SheetOptions(None, decimals, vary))
        shown.text = "drawing …"
        text = _short(maker, seed) if nice else maker.scenario_text(maker.draws.find(seed))
    write_file(output, text.encode())


def _short(maker: Maker, seed: int) -> str:
    """The shortest scenario that was found, which is not longer than the first one."""
    from walkthrough.teaching.make.nice import mean_length, shorten
    from walkthrough.transformer.loading.load import parse_scenario
    from walkthrough.transformer.runs.run import trace

    draw = maker.draws.find(seed)
    texts = [maker.scenario_text(one) for one in (draw, shorten(maker.draws, draw, seed))]
    first, other = (mean_length(trace(parse_scenario(text))) for text in texts)
    if other > first:  # in passes or steps of training that were not looked at
        texts[1], other = texts[0], first
    typer.echo(
        f"mean length of a calculated number: {first:.2f} decimals without --nice, {other:.2f} with it", err=True
    )
    return texts[1]
