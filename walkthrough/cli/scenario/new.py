"""`walkthrough new`: a scenario to start from, a commented one or that of a checkpoint."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from walkthrough.checkpoints import Prompt

EXAMPLES = (
    "Examples: walkthrough new mine.yaml && walkthrough run mine.yaml · "
    "walkthrough new gpt2.yaml --from checkpoints/gpt2 --ids 464,3797"
)


def command(
    file: Annotated[str, typer.Argument(help="The file to write; - is standard output.", show_default=False)],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="The folder of a checkpoint (BERT, GPT-2, Llama, Gemma, Mixtral, gpt-oss, …; docs/real-models.md has "
            "all): config.json beside model.safetensors. Of a nanoGPT also the file of tensors.",
            metavar="FOLDER|FILE",
        ),
    ] = None,
    tokens: Annotated[
        str | None, typer.Option(help="With --from: words of its vocabulary, separated by spaces.", metavar="WORDS")
    ] = None,
    ids: Annotated[str | None, typer.Option(help="With --from: ids of its vocabulary.", metavar="5,17,2")] = None,
    text: Annotated[
        str | None, typer.Option(help="With --from: a text for its tokenizer.json.", metavar="TEXT")
    ] = None,
    heads: Annotated[
        int | None, typer.Option(min=1, help="With --from: how many heads a nanoGPT has.", metavar="N")
    ] = None,
) -> None:
    """Write a scenario that runs: a commented one to start from, or that of a checkpoint."""
    from walkthrough.checkpoints import Prompt
    from walkthrough.cli.files import write_file
    from walkthrough.text import command_line, escape_label, in_quotes

    given = [name for name, value in (("tokens", tokens), ("ids", ids), ("text", text)) if value is not None]
    if heads is not None and folder is None:
        raise typer.BadParameter("--heads needs --from FOLDER, a checkpoint")
    if given and folder is None:
        raise typer.BadParameter(f"--{given[0]} needs --from FOLDER, a checkpoint")
    if len(given) > 1:
        raise typer.BadParameter(f"--{given[0]} and --{given[1]} cannot be combined")
    if not file:
        raise typer.BadParameter("the file needs a name")
    if file != "-" and Path(file).exists():
        raise typer.BadParameter(f"{in_quotes(file)} already exists; choose another name")
    notes: tuple[str, ...] = ()
    if folder is None:
        starter = Path(__file__).resolve().parents[2] / "scenario" / "starter.yaml"
        content = starter.read_bytes()
    else:
        content, notes = _of_checkpoint(file, folder, Prompt(tokens, ids, text), heads)
    write_file(file, content)
    if file != "-":
        try_it = command_line("walkthrough", "run", file, *(["--map"] if folder is not None else []))
        typer.echo(f"wrote {escape_label(file)}; try: {try_it}", err=True)
    for note in notes:
        typer.echo(note, err=True)


def _of_checkpoint(file: str, folder: Path, prompt: Prompt, heads: int | None) -> tuple[bytes, tuple[str, ...]]:
    """The scenario of a checkpoint, which is checked as every scenario is, and what is said of it."""
    from walkthrough.checkpoints import compose
    from walkthrough.scenario.sources import ScenarioSource
    from walkthrough.text import escape_text
    from walkthrough.transformer.loading.load import scenario_of

    beside = Path() if file == "-" else Path(file).parent
    if not beside.is_dir():  # before anything is said of files that would be looked for from there
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    composed = compose(folder, prompt, _relative(folder, beside), heads)
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
