"""Draws docs/pictures/chai.svg, the picture in README.md: what the terminal shows, with its colours.

python docs/pictures/make.py
"""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

import walkthrough
from walkthrough.views.document import Options
from walkthrough.views.terminal import show

PICTURE = Path(__file__).parent / "chai.svg"
SCENARIO, STEPS = "chai", ("scores", "weights")
TITLE = "walkthrough run chai --step scores --step weights"
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
<title id="{unique_id}-name">NAME</title>
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
""".replace("NAME", f"The output of {TITLE}: two matrices, each with its formula and one number worked out")


def picture() -> str:
    """The picture, the same text on every machine."""
    trace = walkthrough.trace(walkthrough.load_scenario(SCENARIO))
    console = Console(
        record=True,
        file=io.StringIO(),
        width=84,
        height=100,  # without it a dumb terminal is 80 wide, whatever the width
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    show(trace, Options(steps=STEPS), console)
    svg = console.export_svg(title=TITLE, theme=LIGHT, code_format=FORMAT, unique_id="chai")
    svg = svg.replace("rgba(255,255,255,0.35)", "#d0d7de")  # rich frames dark windows only
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
