"""`walkthrough new`: a scenario to start from: a commented one, that of a checkpoint, or one like another."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import VARIED, file_path, names_file, scenario_completion
from walkthrough.cli.loading import load
from walkthrough.cli.progress import progress

if TYPE_CHECKING:
    from walkthrough.teaching.sheets.make.maker import Maker

EXAMPLES = (
    "Examples: walkthrough new mine.yaml && walkthrough run mine.yaml · "
    "walkthrough new gpt2.yaml --from checkpoints/gpt2 --ids 464,3797 · "
    "walkthrough new drawn.yaml --like chai --seed 7 --nice"
)
_from, _like = (partial(typer.Option, rich_help_panel=panel) for panel in ("From a checkpoint", "Like a scenario"))


def command(
    file: Annotated[str, typer.Argument(help="The file to write; - is standard output.", show_default=False)],
    folder: Annotated[
        Path | None,
        names_file(
            "The folder of a checkpoint, config.json beside model.safetensors; of a nanoGPT also its file.",
            "FOLDER|FILE",
            "--from",
            group=_from,
            parser=file_path,
        ),
    ] = None,
    tokens: Annotated[str | None, _from(help="Words of its vocabulary, separated by spaces.", metavar="WORDS")] = None,
    ids: Annotated[str | None, _from(help="Ids of its vocabulary.", metavar="5,17,2")] = None,
    text: Annotated[str | None, _from(help="A text for its tokenizer.json.", metavar="TEXT")] = None,
    heads: Annotated[int | None, _from(min=1, help="How many heads a nanoGPT has.", metavar="N")] = None,
    like: Annotated[
        str | None,
        names_file(
            "A scenario, which gets other given numbers, fit to work with by hand: those of its worksheets.",
            "SCENARIO",
            group=_like,
            autocompletion=scenario_completion,
        ),
    ] = None,
    seed: Annotated[
        int | None, _like(min=0, help="What the numbers are drawn from; by default 1.", metavar="N")
    ] = None,
    vary: Annotated[list[str] | None, _like(help=VARIED, metavar="SELECTOR")] = None,
    decimals: Annotated[
        int | None, _like("--decimals", "-d", min=0, max=15, help="Decimals of what is printed.", metavar="N")
    ] = None,
    nice: Annotated[
        bool, _like("--nice", help="Search numbers whose steps are short to print; takes seconds.")
    ] = False,
) -> None:
    """Write a scenario that runs: a commented one to start from, that of a checkpoint, or one like another."""
    from walkthrough.cli.files import write_file
    from walkthrough.text import command_line, escape_label, in_quotes

    of_checkpoint = {"--tokens": tokens, "--ids": ids, "--text": text, "--heads": heads}
    of_scenario = {"--seed": seed, "--vary": vary, "--decimals": decimals, "--nice": nice or None}
    _check_options("--from FOLDER, a checkpoint", folder, of_checkpoint)
    _check_options("--like SCENARIO", like, of_scenario)
    _check_alone({"--from": folder, "--like": like})
    _check_alone({name: value for name, value in of_checkpoint.items() if name != "--heads"})
    if not file:
        raise typer.BadParameter("the file needs a name")
    if file != "-" and Path(file).exists():
        raise typer.BadParameter(f"{in_quotes(file)} already exists; choose another name")
    notes: tuple[str, ...] = ()
    if like is not None:
        content, notes = _drawn_like(like, 1 if seed is None else seed, vary, decimals, nice)
    elif folder is not None:
        content, notes = _of_checkpoint(file, folder, tokens, ids, text, heads)
    else:
        content = (Path(__file__).resolve().parents[2] / "scenario" / "starter.yaml").read_bytes()
    write_file(file, content)
    if file != "-":
        try_it = command_line("walkthrough", "run" if folder is None else "steps", file)
        typer.echo(f"wrote {escape_label(file)}; try: {try_it}", err=True)
    for note in notes:
        typer.echo(note, err=True)


def _check_options(needed: str, value: object, options: Mapping[str, object]) -> None:
    """Raises a usage error where an option is given without the one that it says more of."""
    given = [name for name, one in options.items() if one is not None]
    if given and value is None:
        raise typer.BadParameter(f"{given[0]} needs {needed}")


def _check_alone(options: Mapping[str, object]) -> None:
    """Raises a usage error where more than one of some options is given."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) > 1:
        raise typer.BadParameter(f"{given[0]} and {given[1]} cannot be combined")


def _drawn_like(
    scenario: str, seed: int, vary: list[str] | None, decimals: int | None, nice: bool
) -> tuple[bytes, tuple[str, ...]]:
    """The scenario with other given numbers; of nice ones also how short they are."""
    from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions

    loaded, name = load(scenario), Path(scenario).stem
    with progress() as shown:
        maker = Maker(loaded, name, SheetOptions(None, decimals, vary))
        shown.text = "drawing …"
        if nice:
            text, notes = _short(maker, Maker(loaded, name, SheetOptions(None, decimals, vary, is_short=True)), seed)
        else:
            text, notes = maker.scenario_text(maker.draws.find(seed)), ()
    return text.encode(), notes


def _short(usual: Maker, short: Maker, seed: int) -> tuple[str, tuple[str, ...]]:
    """The shortest scenario that was found, and how long it and the usual one are."""
    from walkthrough.teaching.sheets.make.nice import mean_length, shorten
    from walkthrough.transformer.loading.load import parse_scenario
    from walkthrough.transformer.runs.run import trace

    first = short.draws.find(seed)
    makers = (usual, usual.draws.find(seed)), (short, first), (short, shorten(short.draws, first, seed))
    texts = [maker.scenario_text(draw) for maker, draw in makers]
    usually, before, after = (mean_length(trace(parse_scenario(text))) for text in texts)
    is_longer = after > before  # in passes or steps of training that were not looked at
    least = before if is_longer else after
    note = f"mean length of a calculated number: {usually:.2f} decimals without --nice, {least:.2f} with it"
    return texts[1 if is_longer else 2], (note,)


def _of_checkpoint(
    file: str, folder: Path, tokens: str | None, ids: str | None, text: str | None, heads: int | None
) -> tuple[bytes, tuple[str, ...]]:
    """The scenario of a checkpoint, which is checked as every scenario is, and what is said of it."""
    from walkthrough.checkpoints import Prompt, compose
    from walkthrough.scenario.sources import ScenarioSource
    from walkthrough.text import escape_text
    from walkthrough.transformer.loading.load import scenario_of

    beside = Path() if file == "-" else Path(file).parent
    if not beside.is_dir():  # before anything is said of files that would be looked for from there
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    composed = compose(folder, Prompt(tokens, ids, text), _relative(folder, beside), heads)
    scenario_of(ScenarioSource(file, composed.text, beside))
    return composed.text.encode(), tuple(map(escape_text, composed.notes))


def _relative(folder: Path, beside: Path) -> str:
    """The folder as a scenario in another one names it; as a whole path where links or drives lie between."""
    try:
        way = os.path.relpath(folder, beside)
    except ValueError:
        return folder.resolve().as_posix()
    is_same = os.path.realpath(beside / way) == os.path.realpath(folder)
    return Path(way).as_posix() if is_same else folder.resolve().as_posix()
