"""Arguments and options that several commands share, with their completion."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer


def scenario_completion(incomplete: str) -> list[str]:
    """Bundled names, and the scenario files and folders beside them."""
    from walkthrough.scenario.sources import bundled

    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    found = [name for name in bundled() if name.startswith(incomplete)]
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            shown = str(path) if not incomplete.startswith("./") else f"./{path}"
            if shown.startswith(incomplete) and (path.is_dir() or path.suffix in (".yaml", ".yml")):
                found.append(f"{shown}/" if path.is_dir() else shown)
    return found


def _steps(context: typer.Context, incomplete: str) -> list[str]:
    """Words and paths of the scenario that the line names, or the usual words."""
    with contextlib.suppress(Exception):
        import walkthrough

        trace = walkthrough.trace(walkthrough.load_scenario(context.params["scenario"]))
        words = {word for value in trace for word in value.path.split(".") if not word.isdigit()}
        return [name for name in [*sorted(words), *trace.values] if name.startswith(incomplete)]
    usual = ("attention", "query", "key", "value", "scores", "softmax", "weights", "residual", "norm", "feed_forward")
    return [word for word in (*usual, "logits") if word.startswith(incomplete)]


def _tokens(context: typer.Context, incomplete: str) -> list[str]:
    with contextlib.suppress(Exception):
        import walkthrough

        trace = walkthrough.trace(walkthrough.load_scenario(context.params["scenario"]))
        return [label for labels in trace.tokens for label in labels if label.startswith(incomplete)]
    return []


_SCENARIO_HELP = "A scenario file, the name of a bundled scenario (see `walkthrough list`), or - for standard input."

Scenario = Annotated[str, typer.Argument(help=_SCENARIO_HELP, autocompletion=scenario_completion, show_default=False)]
Scenarios = Annotated[list[str], typer.Argument(help=_SCENARIO_HELP, autocompletion=scenario_completion, show_default=False)]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        "-s",
        help="Only these steps: a path or words of it. Repeatable.",
        autocompletion=_steps,
        metavar="SELECTOR",
    ),
]
Tokens = Annotated[
    list[str] | None,
    typer.Option("--token", "-t", help="Only this token's rows. Repeatable.", autocompletion=_tokens, metavar="LABEL"),
]
Decimals = Annotated[
    int | None, typer.Option("--decimals", "-d", min=0, max=15, help="How many decimals are shown.", metavar="N")
]
ByHand = Annotated[bool, typer.Option("--by-hand", help="Round each value before the next step uses it.")]
Full = Annotated[bool, typer.Option("--full", help="Show large tables whole.")]


def traced(scenario: str, by_hand: bool = False, decimals: int | None = None) -> Any:
    """Loads a scenario and calculates it."""
    import walkthrough

    return walkthrough.trace(walkthrough.load_scenario(scenario), by_hand=by_hand, decimals=decimals)
