"""`walkthrough learn`: the course, in the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import what
from walkthrough.cli.stopping import cleanup_on_signal
from walkthrough.cli.teaching.progress_file import ProgressFile
from walkthrough.cli.teaching.typed import drop_typed, read_typed

if TYPE_CHECKING:
    from walkthrough.teaching.lessons.chapters import Chapter

EXAMPLES = "Examples: walkthrough learn · walkthrough learn 2 · walkthrough learn --list"


_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:)[^)\s]+\)")
"""Links that lead nowhere from a terminal."""
_EMPHASIS = ("\ue000", "\ue001")
"""Stands for what begins and ends emphasis, until lines are broken."""
_LINES, _PROMPT = 24, 4
"""Of a page, and of what asks for the next: both stand on a usual terminal."""
_WITHOUT_ITALICS = ("dumb", "linux", "unknown")


def command(
    chapter: Annotated[
        str | None, typer.Argument(help="A chapter, by its number or name; by default the first not done.")
    ] = None,
    list_only: Annotated[bool, what("--list", help="List the chapters, and how far you are.")] = False,
    restart: Annotated[
        bool, what("--restart", help="Forget how far you are in CHAPTER, or in all, and begin there.")
    ] = False,
) -> None:
    """Learn how a Transformer calculates: chapters that ask before they show. ? formula, ! answer, q leave."""
    from walkthrough.cli.failures import print_error
    from walkthrough.teaching.lessons.chapters import chapters

    known = chapters()
    progress = ProgressFile(print_error)
    wanted = _wanted(chapter, known)
    if restart:
        progress.forget(wanted.name if wanted is not None else None)
    if list_only:
        _print_list([wanted] if wanted is not None else known, progress)
        return
    chosen = wanted or next((one for one in known if not progress.is_done(one.name)), known[0])
    with cleanup_on_signal(typer.echo):  # Ctrl-C ends the line that was begun
        _take(chosen, known, progress)


def _wanted(text: str | None, known: Sequence[Chapter]) -> Chapter | None:
    """The chapter of a number or a name; a usage error that names near ones where there is none."""
    from walkthrough.text import did_you_mean, in_quotes

    if text is None:
        return None
    found = next((one for one in known if text in (str(one.number), one.name, f"{one.number}-{one.name}")), None)
    if found is None:
        hint = did_you_mean(text, [one.name for one in known])
        names = "known: " + ", ".join(f"{one.number} {one.name}" for one in known)
        message = "; ".join(filter(None, (f"no chapter is called {in_quotes(text)}", names, hint)))
        raise typer.BadParameter(message, param_hint="CHAPTER")
    return found


def _take(chapter: Chapter, known: Sequence[Chapter], progress: ProgressFile) -> None:
    from walkthrough.teaching.lessons.lesson import Lesson

    terminal, name = _Terminal(), chapter.name
    left = progress.section(name)
    first = left if left < len(chapter.sections) else 0  # a chapter may have fewer sections than when it was left
    if not Lesson(chapter, terminal, partial(progress.begin, name), partial(progress.answer, name)).run(first):
        terminal.line(f"walkthrough learn {chapter.number} goes on here.")
        return
    progress.finish(name)
    right = sum(_answers(chapter, progress))
    terminal.line(f"Right at the first try: {right} of {len(chapter.questions)}.")
    following = next((one for one in known if one.number > chapter.number), None)
    terminal.line(f"Next: walkthrough learn {following.number}, {following.title}" if following else "That was all.")


def _print_list(known: Sequence[Chapter], progress: ProgressFile) -> None:
    widest = max(len(one.name) for one in known)
    for one in known:
        answered = f"{len(_answers(one, progress))} of {len(one.questions)} answered"
        far = "done" if progress.is_done(one.name) else answered
        typer.echo(f"{one.number}  {one.name:<{widest}}  {one.title} ({one.minutes} min; {far})")


def _answers(chapter: Chapter, progress: ProgressFile) -> list[bool]:
    """Of each question of the chapter that was answered, whether the first answer was right."""
    answers = progress.answers(chapter.name)
    return [answers[number] for number in range(len(chapter.questions)) if number in answers]


class _Terminal:
    """Where a lesson is given: standard output and input, laid out for their width."""

    def __init__(self) -> None:
        from rich.console import Console

        self._width = Console().width
        self._room = min(Console().height, _LINES) - _PROMPT if sys.stdin.isatty() and sys.stdout.isatty() else inf
        self._written, self._is_blank = 0, False
        self._held = list[str]()  # what stands on the page of the next block
        is_styled = sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in _WITHOUT_ITALICS
        written = ("\x1b[3m", "\x1b[23m") if is_styled else ("*", "*")
        self._emphasis = dict(zip(map(ord, _EMPHASIS), written, strict=True))

    def heading(self, text: str) -> None:
        self._held += ["", typer.style(text, bold=True), "─" * min(len(text), self._width)]

    def prose(self, markdown: str) -> None:
        self._show(_paragraphs(self._set(markdown)))

    def question(self, before: str, markdown: str) -> None:
        self._show([[*(["", *before.splitlines()] if before else []), *self._set(markdown)]])

    def _set(self, markdown: str) -> list[str]:
        """The lines of Markdown."""
        from walkthrough.views.text.description import Marks, lines_of

        marks = Marks(code=lambda text: f"`{text}`", strong=("**", "**"), emphasis=_EMPHASIS)
        markdown = _RELATIVE_LINK.sub(r'"\1"', markdown)
        lines = lines_of(markdown, marks, min(self._width, 80))
        return ["", *(line.translate(self._emphasis) for _, line in lines)]

    def line(self, text: str) -> None:
        self._show([self._wrapped(text)])

    def lead(self, text: str) -> None:
        self._held += self._wrapped(text)

    def _wrapped(self, text: str) -> list[str]:
        from walkthrough.views.text.wrapping import wrap_prose

        return ["", *wrap_prose(text, self._width)]

    def output(self, arguments: Sequence[str]) -> None:
        """The command and what it prints now, in a process of its own."""
        environment = {**os.environ, "COLUMNS": str(self._width)}
        command = [sys.executable, "-m", "walkthrough", *arguments]
        sys.stdout.flush()
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, encoding="utf-8"
        )
        self._held += ["", *_command_lines(arguments, self._width)]
        self._show(_steps(done.stdout.splitlines()))

    def _show(self, blocks: Sequence[Sequence[str]]) -> None:
        """Writes blocks of lines, what is held first; where pages are turned each stands on one that it fits."""
        first, *rest = blocks or [[]]
        held, self._held = self._held, []
        for block in [[*held, *first], *rest]:
            for lines in [block] if len(block) <= self._room else _paragraphs(block):
                if self._written and self._written + len(lines) > self._room:
                    self._turn()
                for line in lines:
                    if self._written >= self._room:
                        self._turn()
                    self._write(line)

    def _write(self, line: str) -> None:
        """Writes a line; of blank ones one is enough, and none on top of a page."""
        if line or not self._is_blank:
            typer.echo(line)
            self._written += 1
        self._is_blank = not line

    def _turn(self) -> None:
        from walkthrough.teaching.lessons.lesson import LeaveError

        if not self.wait():
            raise LeaveError

    def wait(self) -> bool:
        """On a terminal Enter goes on; a pipe need not wait."""
        if not sys.stdin.isatty():
            return True
        drop_typed()
        self._write("")
        typer.echo("Enter: go on; q: leave")
        self._written, self._is_blank = 0, True
        line = sys.stdin.readline()
        return bool(line) and line.strip() != "q"

    def ask(self) -> str | None:
        self._write("")
        self._written, self._is_blank = 0, sys.stdin.isatty()
        drop_typed()
        return read_typed()


def _paragraphs(lines: Sequence[str]) -> list[list[str]]:
    """Lines in paragraphs, each with the blank lines before it, and a heading."""
    found: list[list[str]] = [[]]
    for line in lines:
        if not line and found[-1] and found[-1][-1] and not found[-1][-1].endswith(("═", "─")):
            found.append([])
        found[-1].append(line)
    return found


def _steps(lines: Sequence[str]) -> list[list[str]]:
    """What a command prints, in blocks of a step each, with the headings before it."""
    found: list[list[str]] = [[]]
    for paragraph in _paragraphs(lines):
        if any(line.endswith(("═", "─")) for line in paragraph):
            has_step = any(line.endswith("─") for line in found[-1])
            found += [[]] if has_step else []
        found[-1] += paragraph
    return found


def _command_lines(arguments: Sequence[str], width: int) -> list[str]:
    """A command as it is typed, over several lines where it is longer than one."""
    import shlex

    found = ["$ walkthrough"]
    for word in map(shlex.quote, arguments):
        if len(f"{found[-1]} {word} \\") > width:
            found[-1] += " \\"
            found.append("   ")
        found[-1] += f" {word}"
    return found
