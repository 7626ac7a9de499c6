"""Tables for a terminal: aligned points, bands that fit, and never a digit lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from walkthrough.views.report.grid import Grid
from walkthrough.views.terminal.layout import LONGEST_LABEL, Band, bands


def grid(rows: list[str], columns: list[str], cells: list[list[str]]) -> Grid:
    return Grid(tuple(rows), tuple(columns), tuple(map(tuple, cells)))


def text(band: Band) -> list[str]:
    return ["".join(line) for line in (band.header, *band.lines)]


def test_points_stand_under_each_other() -> None:
    (band,) = bands(grid(["a", "bcd"], ["1", "2"], [["−0.25", "6.03e−06"], ["123.50", "0"]]), 80)
    assert text(band) == [
        "          1         2",
        "  a   −0.25  6.03e−06",
        "bcd  123.50  0       ",
    ]
    assert band.title == ""


def test_words_and_infinities_stand_to_the_right() -> None:
    (band,) = bands(grid(["a", "b"], ["token", "p"], [["tea", "−∞"], ["<end>", "0.500"]]), 80)
    assert text(band) == [
        "   token      p",
        "a    tea     −∞",
        "b  <end>  0.500",
    ]


def test_bands_say_which_columns_they_are() -> None:
    wide = grid(["r"], list("abcde"), [["1.0"] * 5])
    assert [(band.title, text(band)) for band in bands(wide, 12)] == [
        ("columns a to b", ["     a    b", "r  1.0  1.0"]),
        ("columns c to d", ["     c    d", "r  1.0  1.0"]),
        ("column e", ["     e", "r  1.0"]),
    ]


def test_the_gap_of_hidden_columns_is_none_of_them() -> None:
    titles = [band.title for band in bands(grid(["r"], ["1", "2", "…", "8", "9"], [["1", "2", "…", "8", "9"]]), 10)]
    assert titles == ["columns 1 to 2", "columns 8 to 9"]


def test_wide_characters_take_two_columns() -> None:
    (band,) = bands(grid(["日本", "a"], ["語"], [["1.5"], ["22.5"]]), 80)
    assert text(band) == ["        語", "日本   1.5", "   a  22.5"]


def test_a_long_label_is_cut_and_says_so() -> None:
    label = "a-word-that-is-longer-than-any"
    (band,) = bands(grid([label], [label], [["1"]]), 80)
    assert band.lines[0][0] == label[: LONGEST_LABEL - 1] + "…"
    (band,) = bands(grid([label], [label], [["1"]]), 80, "...")
    assert band.lines[0][0] == label[: LONGEST_LABEL - 3] + "..."


def test_long_labels_that_begin_alike_keep_their_ends() -> None:
    rows = ["decoder.1.self_attention.head.1", "decoder.1.self_attention.head.2", "decoder.1.feed_forward.output"]
    (band,) = bands(grid(rows, ["x"], [["1"], ["2"], ["3"]]), 80)
    assert [line[0].strip() for line in band.lines] == [
        "…1.self_attention.head.1",
        "…1.self_attention.head.2",
        "decoder.1.feed_forward.…",
    ]


def test_control_characters_are_harmless() -> None:
    (band,) = bands(grid(["\x1b[31m"], ["a\nb", ""], [["1", "2"]]), 80)
    assert text(band) == ["          a\\nb  ''", "\\x1b[31m     1   2"]


def test_shades_stay_with_their_cells() -> None:
    shaded = Grid(("r",), ("a", "b"), (("0.1", "0.9"),), ((0.1, 0.9),))
    assert [band.shades for band in bands(shaded, 7)] == [((0.1,),), ((0.9,),)]


CELLS = st.sampled_from(["1", "−0.250", "12345.678", "−∞", "?", "1.5e−07", "word", "…"])
TABLES = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=4)
)


@given(TABLES, st.integers(1, 60))
def test_any_table_at_any_width(cells: list[list[str]], width: int) -> None:
    """Every cell is there, whole and in its place; a band is wider than the page only if its one column is."""
    table = grid([f"r{i}" for i in range(len(cells))], [f"c{j}" for j in range(len(cells[0]))], cells)
    found = bands(table, width)
    shown = [[cell.strip() for band in found for cell in band.lines[i][1:]] for i in range(len(cells))]
    assert shown == cells
    for band in found:
        lines = text(band)
        assert len(set(map(cell_len, lines))) == 1
        assert cell_len(lines[0]) <= width or len(band.header) == 2
