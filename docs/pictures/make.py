"""Draws lines of a script (code.svg), the rooms (architecture.svg), and pictures that the program draws itself.

python -m docs.pictures.make
"""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import walkthrough
from docs.pictures.house import house
from walkthrough.views import formats
from walkthrough.views.options import Options

HERE = Path(__file__).parent
SCENARIO = "chai"
FIRST, LAST = "# encoder.1.attention.head.1.query", "# encoder.1.attention.w_o"
"""The lines of the script that are shown: from the first to before the last."""
_COMMENT, _NUMBER = (
    re.compile(r"^#.*", re.MULTILINE),
    re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?=[,\])\n]|$)", re.MULTILINE),
)
LIGHT = TerminalTheme(
    (255, 255, 255),
    (36, 41, 47),
    [
        (36, 41, 47),
        (207, 34, 46),
        (17, 99, 41),
        (77, 45, 0),
        (9, 105, 218),
        (130, 80, 223),
        (3, 98, 110),
        (87, 96, 106),
    ],
)
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="{unique_id}-name">
<title id="{unique_id}-name">Lines of a Python script: an attention head, one line a step</title>
<style>
.{unique_id}-matrix {{
  font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}}
.{unique_id}-title {{ font: bold 18px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def code_picture() -> str:
    """Lines of a script, the same text on every machine."""
    script = formats.to_bytes(walkthrough.trace(walkthrough.load_scenario(SCENARIO)), Options(), "python").decode()
    lines = Text(script[script.index(FIRST) : script.index(LAST)].rstrip())
    for pattern, style in ((_NUMBER, "blue"), (_COMMENT, "green")):
        lines.highlight_regex(pattern, style)
    console = Console(
        record=True,
        file=io.StringIO(),
        width=84,
        height=100,  # without it a dumb terminal is 80 wide, whatever the width
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    console.print(lines)
    svg = console.export_svg(title=f"{SCENARIO}.py", theme=LIGHT, code_format=FORMAT, unique_id="code")
    svg = svg.replace("rgba(255,255,255,0.35)", "#d0d7de")  # rich frames dark windows only
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def drawn(scenario: str, kind: str, *steps: str) -> str:
    """A picture that the program draws."""
    return walkthrough.trace(walkthrough.load_scenario(scenario)).picture(kind, steps)


PICTURES = {
    "code.svg": code_picture,
    "architecture.svg": house,
    "poster.svg": partial(drawn, "cooking-multihead", "poster"),
    "equation.svg": partial(drawn, "chai", "equation", "scores"),
    "arcs.svg": partial(drawn, "cooking-multihead", "arcs"),
}

if __name__ == "__main__":
    for file, drawn in PICTURES.items():
        (HERE / file).write_text(drawn(), encoding="utf-8")
