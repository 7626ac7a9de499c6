"""Tables of numbers as files of other programs have them: with labels or without, between commas or semicolons."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.comparing.matching.files import TensorsError, read_tensors
from walkthrough.comparing.matching.table import TableError, read_table

LABELS = "labels are a first line, or a first column, of words alone"
NUMBERS = [[1.5, -2.0], [0.25, 1e-3]]


@pytest.mark.parametrize(
    "text",
    [
        "1.5,-2\n0.25,1e-3\n",
        "1,5;−2\n0,25;1e-3\n",
        "a,b\n1.5,-2\n0.25,1e-3\n",
        ",a,b\nx,1.5,-2\ny,0.25,1e-3\n",
        "a,b\nx,1.5,-2\ny,0.25,1e-3\n",
        "x;1.5;-2\ny;0.25;1e-3\n",
        '"","a, b",c\n"x","1.5","-2"\n\n"y","0.25","1e-3"\n',
        "word,a,7th\n1st,1.5,-2\n2nd,0.25,1e-3\n",
    ],
)
def test_labels_are_told_from_numbers(text: str) -> None:
    np.testing.assert_array_equal(read_table(text), NUMBERS)


def test_a_column_may_have_a_name() -> None:
    np.testing.assert_array_equal(read_table("mean\n1\n2\n"), [[1.0], [2.0]])
    np.testing.assert_array_equal(read_table("1,−∞,nan\n"), [[1.0, -np.inf, np.nan]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("1,2\n3,4,5\n", "line 2 has 3 cells, line 1 has 2"),
        ("1,2\n3,x\n", "line 2, column 2: expected a number, found 'x'"),
        ("1,2\n3,\n", "line 2, column 2: expected a number, found nothing"),
        *(
            (
                text,
                f"{place}: expected a number, found {found}; {LABELS}",
            )
            for text, place, found in (
                ("1,2,x\n3,4,5\n", "line 1, column 3", "'x'"),
                ("1,x\n3,4\n", "line 1, column 2", "'x'"),
                ("a,7\n3,4\n", "line 1, column 1", "'a'"),
                ("1,2\nx,4\n", "line 2, column 1", "'x'"),
                (",0,1\n0,3,4\n1,5,6\n", "line 1, column 1", "nothing"),
            )
        ),
    ],
)
def test_what_is_no_matrix_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(TableError) as caught:
        read_table(text)
    assert str(caught.value) == message


def test_a_file_of_one_tensor_gives_it_its_name(tmp_path: Path) -> None:
    scores = wt.trace(wt.load_scenario("cooking")).only("scores")
    np.save(tmp_path / "scores.npy", scores.array)
    lines = [",".join(["", *scores.columns])]
    lines += [
        ",".join([name, *map(repr, map(float, row))]) for name, row in zip(scores.rows, scores.array, strict=True)
    ]
    (tmp_path / "weights.csv").write_text("\n".join(lines))
    assert list(read_tensors(tmp_path / "scores.npy")) == ["scores"]
    np.testing.assert_array_equal(read_tensors(tmp_path / "weights.csv")["weights"], scores.array)
    (tmp_path / "bad.csv").write_text("1,2\n3,x\n")
    with pytest.raises(TensorsError, match=r"bad\.csv cannot be read: line 2, column 2"):
        read_tensors(tmp_path / "bad.csv")


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ({"format": "walkthrough-trace", "version": 3}, "of version 3, and this program reads 1 to 2"),
        ({"format": "walkthrough-trace"}, "of version null, and this program reads 1 to 2"),
        ({"format": "walkthrough-check", "version": 1}, "is a walkthrough-check, expected a walkthrough-trace"),
    ],
)
def test_a_trace_of_another_version_is_no_trace(tmp_path: Path, head: dict[str, object], message: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({**head, "steps": [{"path": "x", "values": [[1]]}]}))
    with pytest.raises(TensorsError, match=message):
        read_tensors(file)
    file.write_text(
        json.dumps({"format": "walkthrough-trace", "version": 1, "steps": [{"path": "x", "values": [[1]]}]})
    )
    assert list(read_tensors(file)) == ["x"]
