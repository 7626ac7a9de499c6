"""How tables are printed."""

from walkthrough.views.page.print_bands import print_bands

TEXTS = [["−1.801"] * 5] * 5


def test_labels_of_wide_letters_have_the_room_that_they_take() -> None:
    plain, wide = (["Der", "Fuchs", "springt", f"{one}@4", f"{one}@5"] for one in ("leise", "<pad>"))
    assert [print_bands(labels, labels, TEXTS).place for labels in (plain, wide)] == ["", "small"]


def test_a_column_of_short_numbers_takes_less_room_than_one_of_long_ones() -> None:
    assert print_bands(["1"], ["a", "b"], [["1", "1"]]).width < print_bands(["1"], ["a", "b"], [["1", "−1.801"]]).width


def test_long_labels_of_columns_are_turned_where_that_takes_fewer_bands() -> None:
    labels = [f"no-juice@{at}" for at in range(24)]
    bands = print_bands(labels, labels, [["0.000"] * 24] * 24)
    assert (bands.bands, bands.place) == (2, "small page long turned")
    assert print_bands(labels[:4], labels[:4], [["0.000"] * 4] * 4).place == "small"


def test_bands_of_a_wide_table_are_about_as_wide_as_one_another() -> None:
    columns = [str(at) for at in range(1, 17)]
    bands = print_bands(["window"], columns, [["−1.801"] * 16])
    assert (bands.columns, bands.bands) == (8, 2)  # fifteen fit, and the last one stood alone
