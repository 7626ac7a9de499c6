"""Draws docs/pictures/architecture.svg: the rooms on their floors, and the way from a scenario to what is shown."""

from __future__ import annotations

from typing import NamedTuple


class Room(NamedTuple):
    """A box on a floor: its name, what it is in one line or two, and where it is from left to right."""

    name: str
    text: tuple[str, ...]
    left: int
    width: int


FLOORS: tuple[tuple[str, tuple[Room, ...]], ...] = (
    (
        "Show and teach",
        (
            Room("views/", ("terminal, live page, workbook, code,", "LaTeX, Markdown, JSON, npz"), 176, 300),
            Room("teaching/", ("worksheets, marking,", "practice"), 488, 160),
            Room("describing/", ("a module of PyTorch,", "as a scenario"), 660, 148),
        ),
    ),
    (
        "Ask the trace",
        (
            Room("explaining/", ("one number,", "worked out"), 176, 92),
            Room("mistakes/", ("what people", "do wrong"), 278, 94),
            Room("judging/", ("printed num-", "bers, judged"), 382, 96),
            Room("drafts/", ("matrices in", "a text"), 488, 88),
            Room("comparing/", ("tensors of", "other code"), 586, 96),
            Room("sizes/", ("parameters,", "multiplications"), 692, 116),
        ),
    ),
    (
        "Calculate",
        (
            Room("scenario/", ("YAML, read", "and checked"), 176, 112),
            Room("transformer/", ("the model, composed", "as in the paper"), 408, 144),
            Room("checkpoints/", ("scenarios for", "real models"), 690, 118),
        ),
    ),
    (
        "Record",
        (
            Room("expressions/", ("arithmetic as text, LaTeX, MathML,", "code, spreadsheet; its bounds"), 176, 226),
            Room("operations/", ("matrix product, softmax, …:", "each defined once"), 414, 190),
            Room("recording/", ("values with path, labels,", "operation and inputs"), 616, 192),
        ),
    ),
)
"""From the top down. A room imports from the floors below its own, and from the rooms to its left."""

ROOF = ("cli/", "library.py", "comparison.py", "description.py")
GROUND = ("records.py", "text.py", "notation.py", "numerals.py", "number_formats.py", "errors.py", "languages/")
"""What every room may use."""

_TOP, _HEIGHT, _STEP = 168, 102, 122
_TINTS = ("#fff8ec", "#f1f8ee", "#eef6ff", "#f6f2fb")
_STYLE = """\
text { font: 14px system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #24292f; text-anchor: middle; }
.room { font-weight: 600; }
.small { font-size: 12px; fill: #57606a; }
.floor { font-size: 12px; fill: #6e7781; text-anchor: start; }
.side { font-size: 13px; text-anchor: start; }
.wall { fill: #f6f8fa; stroke: #d0d7de; }
.box { fill: #fff; stroke: #8c959f; }
.thing { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.2; }
.way { stroke: #0969da; stroke-width: 2.2; fill: none; stroke-linejoin: round; marker-end: url(#house-tip); }
"""
_NAME = (
    "The rooms as floors of a house. A scenario file enters scenario/ and becomes a Scenario, transformer/ calculates "
    "a Trace from it, the rooms above ask the trace, and views/ and teaching/ show the answers"
)


def house() -> str:
    """The picture."""
    floors = [_floor(number, title, rooms) for number, (title, rooms) in enumerate(FLOORS)]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 984 712" role="img" aria-labelledby="house-name">',
            f'<title id="house-name">{_NAME}</title>',
            f"<style>\n{_STYLE}</style>",
            '<defs><marker id="house-tip" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="6" markerHeight="6" '
            'orient="auto"><path d="M0 0 10 5 0 10z" fill="#0969da"/></marker></defs>',
            '<rect width="984" height="712" fill="#fff"/>',
            *(_roof(), *floors, _ground(), *_way()),
            "</svg>\n",
        ]
    )


def _roof() -> str:
    """The ways in, under a gable."""
    names = "".join(
        f'<text class="room" x="{x}" y="128">{name}</text>' for name, x in zip(ROOF, (294, 374, 500, 645), strict=True)
    )
    return f'<path class="wall" d="M492 30 868 154H116z" stroke-linejoin="round"/>{names}' + _text(
        492, 92, "small", "the ways in: commands, and Python"
    )


def _floor(number: int, title: str, rooms: tuple[Room, ...]) -> str:
    top = _TOP + number * _STEP
    wall = f'<rect class="wall" style="fill:{_TINTS[number]}" x="160" y="{top}" width="664" height="{_HEIGHT}" rx="6"/>'
    head = f'<text class="floor" x="176" y="{top + 18}">{title}</text>'
    return wall + head + "".join(_room(room, top + 28) for room in rooms)


def _room(room: Room, top: int) -> str:
    middle, first = room.left + room.width // 2, top + (27 if len(room.text) == 1 else 20)
    box = f'<rect class="box" x="{room.left}" y="{top}" width="{room.width}" height="62" rx="5"/>'
    lines = [_text(middle, first + 3 + 16 * line, "small", text) for line, text in enumerate(room.text, 1)]
    return box + _text(middle, first, "room", room.name) + "".join(lines)


def _ground() -> str:
    top = _TOP + len(FLOORS) * _STEP
    wall = f'<rect class="wall" x="140" y="{top}" width="704" height="38" rx="6"/>'
    return wall + _text(492, top + 24, "small", " · ".join(GROUND))


def _way() -> list[str]:
    """From the file to what comes out."""
    calculate = _TOP + 2 * _STEP + 59
    return [
        f'<g transform="translate(40 {calculate - 38})"><path class="box" d="M0 0h44l16 16v60H0z"/>'
        f'<path class="box" d="M44 0v16h16"/>{_text(30, 50, "small", "YAML")}',
        _text(30, 94, "small", "a scenario") + "</g>",
        f'<path class="way" d="M108 {calculate}h64"/>',
        f'<path class="way" d="M288 {calculate}h116"/>',
        f'<path class="way" d="M552 {calculate}h34"/>',
        _pill(344, calculate, 76, "Scenario"),
        _pill(621, calculate, 62, "Trace"),
        f'<path class="way" d="M621 {calculate - 15}V{_TOP + _STEP + _HEIGHT + 3}"/>',
        f'<path class="way" d="M492 {_TOP + _STEP}V{_TOP + _HEIGHT + 3}"/>',
        f'<path class="way" d="M824 {_TOP + 59}h38"/>',
        *(
            f'<text class="side" x="870" y="{_TOP + 44 + 19 * line}">{text}</text>'
            for line, text in enumerate(("tables, pages,", "workbooks,", "sheets, marks"))
        ),
    ]


def _pill(x: int, y: int, width: int, text: str) -> str:
    box = f'<rect class="thing" x="{x - width // 2}" y="{y - 15}" width="{width}" height="30" rx="15"/>'
    return box + _text(x, y + 5, "", text)


def _text(x: int, y: int, style: str, text: str) -> str:
    return f'<text class="{style}" x="{x}" y="{y}">{text}</text>'
