"""A sheet for paper, as one HTML page that prints on A4: answers go into boxes. No script, no request to anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from string import Template
from typing import BinaryIO

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.shapes import shape_text
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.teaching.catalogue import Catalogue, catalogue
from walkthrough.teaching.cells import Cells, is_word
from walkthrough.teaching.instructions import identity, instructions
from walkthrough.teaching.markdown_sheet import named
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.text import printable, visible

SUFFIXES = (".html", ".htm")
HOLDS_CLASS = True
_ACROSS = 8
"""Columns that fit beside each other on paper; a wider table goes on below itself."""

_PAGE = Template("""<!DOCTYPE html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
@page { size: A4; margin: 15mm }
body { font: 11pt/1.35 system-ui, sans-serif; color: #000; background: #fff; max-width: 180mm; margin: 8mm auto; padding: 0 4mm }
h1 { font-size: 17pt; margin: 0 0 3mm } h2 { font-size: 14pt; margin: 7mm 0 2mm; break-after: avoid }
h3 { font-size: 11pt; margin: 0 0 1mm; break-after: avoid } p { margin: 0 0 1mm } ul { margin: 2mm 0 4mm; padding-left: 6mm }
.who { display: flex; flex-wrap: wrap; gap: 1mm 8mm } .who b { font-weight: 600 }
.line { display: inline-block; min-width: 60mm; border-bottom: .3mm solid #000 }
section.step { break-inside: avoid; margin: 0 0 5mm } section.long { break-inside: auto }
.path { color: #444; font: 8.5pt monospace; overflow-wrap: anywhere }
.formula { font: italic 11pt/1.4 "Cambria Math", "STIX Two Math", serif; overflow-wrap: anywhere }
table { border-collapse: collapse; margin: 1.5mm 0 } thead { display: table-header-group } tr { break-inside: avoid }
th { font-weight: 600; font-size: 9.5pt; padding: .6mm 2mm; text-align: center; overflow-wrap: anywhere; max-width: 30mm }
tbody th { text-align: right } td { border: .25mm solid #888; padding: .6mm 2mm; text-align: right; min-width: 12mm;
  font-variant-numeric: tabular-nums } td.box { border: .4mm solid #000; height: 7mm; min-width: 16mm } td.word { text-align: left }
article + article { break-before: page }
</style>
</head>
<body>
$body
</body>
</html>
""")


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes sheets, each beginning on a new page; `solved`: with their answers."""
    body = "\n".join(f"<article>\n{_lines(_article(sheet, solved))}</article>" for sheet in sheets)
    first = sheets[0]
    title = f"{catalogue(first.language)('key' if solved else 'worksheet')}: {first.hand.title}"
    out.write(_PAGE.substitute(language=first.language, title=_text(title), body=body).encode())


def _lines(parts: Iterator[str]) -> str:
    return "".join(f"{part}\n" for part in parts)


def _text(text: str) -> str:
    return escape(visible(text))


def _article(sheet: Sheet, solved: bool) -> Iterator[str]:
    words = catalogue(sheet.language)
    yield f"<h1>{_text(words('key' if solved else 'worksheet'))}: {_text(sheet.hand.title)}</h1>"
    yield '<p class="who">' + "".join(_known_by(name, text) for name, text in identity(sheet, words)) + "</p>"
    yield "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in instructions(sheet, words)) + "</ul>"
    yield f"<h2>{_text(words('given'))}</h2>"
    for value in sheet.given:
        yield f'<section class="step{_long(value)}"><h3>{_text(named(value, words))}</h3>'
        yield f'<p class="path">{_text(value.path)} · {shape_text(value.shape)}</p>'
        yield from _tables(value, Cells(value).rows(), words)
        yield "</section>"
    yield f"<h2>{_text(words('steps'))}</h2>"
    for number, step in enumerate(sheet.steps, 1):
        yield from _step(step, number, solved, words)


def _known_by(name: str, text: str) -> str:
    said = _text(text) if text else '<span class="line">&nbsp;</span>'
    return f"<span><b>{_text(name)}:</b> {said}</span>"


def _long(value: Value) -> str:
    """What takes more than a page may be broken between its rows."""
    return " long" if value.shape[0] * -(-value.shape[1] // _ACROSS) > 25 else ""


def _step(step: Step, number: int, solved: bool, words: Catalogue) -> Iterator[str]:
    value = step.value
    digits = f" · {words('to_digits', digits=words.digits(step.digits))}" if step.is_asked else ""
    yield f'<section class="step{_long(value)}"><h3>{number}. {_text(words.title(value))}</h3>'
    yield f'<p class="path">{_text(value.path)} · {shape_text(value.shape)}{_text(digits)}</p>'
    yield f'<p class="formula">{_text(formula_text(value))}</p>'
    if step.is_left_out:
        yield f"<p>{_text(words('side_by_side'))}</p></section>"
        return
    cells = Cells(value)
    rows = [
        [
            None if step.to_fill[row, column] and not solved else cells.text(row, column)
            for column in range(value.shape[1])
        ]
        for row in range(value.shape[0])
    ]
    yield from _tables(value, rows, words)
    yield "</section>"


def _tables(value: Value, rows: Sequence[Sequence[str | None]], words: Catalogue) -> Iterator[str]:
    """The table of a matrix, in bands where it is wide."""
    for start in range(0, value.shape[1], _ACROSS):
        columns = range(start, min(start + _ACROSS, value.shape[1]))
        header = "".join(f'<th scope="col">{_label(value, at, words)}</th>' for at in columns)
        yield f"<table><thead><tr><th></th>{header}</tr></thead><tbody>"
        for label, row in zip(value.rows, rows, strict=True):
            cells = "".join(_cell(value, at, row[at], words) for at in columns)
            yield f'<tr><th scope="row">{_text(printable(label))}</th>{cells}</tr>'
        yield "</tbody></table>"


def _label(value: Value, column: int, words: Catalogue) -> str:
    label = value.columns[column]
    return _text(words(label) if value.names is not None and label in words.texts else printable(label))


def _cell(value: Value, column: int, text: str | None, words: Catalogue) -> str:
    if text is None:
        return '<td class="box"></td>'
    if is_word(value, column):
        return f'<td class="word">{_text(printable(text))}</td>'
    return f"<td>{_text(words.number(typeset(text)))}</td>"
