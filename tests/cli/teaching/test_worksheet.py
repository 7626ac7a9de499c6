"""`walkthrough worksheet` and `walkthrough mark` as users start them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.program import invoke, refusal, run
from walkthrough.scenario.sources import bundled_scenarios


def written(folder: Path, *arguments: str) -> Path:
    file = folder / "sheet.yaml"
    result = invoke("worksheet", "help-me", "-o", str(file), *arguments)
    assert result.exit_code == 0, result.output
    return file


def test_a_sheet_and_its_key(tmp_path: Path) -> None:
    key = tmp_path / "key.md"
    sheet = yaml.safe_load(written(tmp_path, "--decimals", "2", "--key", str(key)).read_text("utf-8"))
    assert (sheet["scenario"], sheet["decimals"], sheet["seed"]) == ("help-me", 2, None)
    assert [step["digits"] for step in sheet["steps"]] == [2, 2, 2, 2]
    assert "0.62" in key.read_text("utf-8")


def test_a_sheet_for_each_student_and_one_key(tmp_path: Path) -> None:
    names = tmp_path / "class.txt"
    names.write_text("Ada\n\nBo/../Åström\nAda\n", encoding="utf-8")
    folder, key = tmp_path / "sheets", tmp_path / "key.yaml"
    files = ("--students", str(names), "-o", str(folder), "--key", str(key))
    result = invoke("worksheet", "help-me", *files, "--format", "yaml", "--seed", "5")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in folder.iterdir()) == ["1-Ada.yaml", "2-Bo_.._Åström.yaml", "3-Ada.yaml"]
    seeds = [yaml.safe_load(path.read_text("utf-8"))["seed"] for path in sorted(folder.iterdir())]
    assert seeds == [5, 6, 7]
    assert [one["student"] for one in yaml.safe_load_all(key.read_text("utf-8"))] == ["Ada", "Bo/../Åström", "Ada"]
    marks = invoke("mark", str(key), "--format", "json")
    assert [sheet["points"] for sheet in json.loads(marks.stdout)["sheets"]] == [4, 4, 4]


def made_for_a_class(folder: Path, *arguments: str) -> list[str]:
    """The lines on standard error."""
    names = folder / "class.txt"
    names.write_text("Ada\nBo\n", encoding="utf-8")
    result = run("worksheet", "help-me", "--students", str(names), "-o", str(folder / "sheets"), *arguments)
    assert result.returncode == 0, result.stderr
    return result.stderr.splitlines()


def test_sheets_of_a_class_are_html_and_earlier_ones_are_named(tmp_path: Path) -> None:
    assert made_for_a_class(tmp_path, "--format", "markdown") == []
    (tmp_path / "sheets" / "notes.md").write_text("mine", "utf-8")
    (tmp_path / "sheets" / "1-Ada.html").write_text("old", "utf-8")
    (said,) = made_for_a_class(tmp_path)
    assert said == f"not of this run, but in {tmp_path / 'sheets'}: 1-Ada.md, 2-Bo.md"
    found = sorted(path.name for path in (tmp_path / "sheets").iterdir())
    assert found == ["1-Ada.html", "1-Ada.md", "2-Bo.html", "2-Bo.md", "notes.md"]
    assert "<input" in (tmp_path / "sheets" / "1-Ada.html").read_text("utf-8")


def test_a_run_that_fails_leaves_nothing(tmp_path: Path) -> None:
    names, folder = tmp_path / "class.txt", tmp_path / "sheets"
    names.write_text("Ada\n", encoding="utf-8")
    asked = ["worksheet", "help-me", "--students", str(names), "-o", str(folder)]
    for wrong in (["--key", str(tmp_path / "none" / "key.yaml")], ["--decimals", "0", "--vary", "w_q"], ["--full"]):
        refusal(*asked, *wrong)
        assert [path.name for path in tmp_path.iterdir()] == ["class.txt"]
    assert "is a file's name" in refusal(*asked[:-1], f"{folder}.xlsx")
    folder.write_text("a file", "utf-8")
    assert "is a file" in run(*asked).stderr
    assert folder.read_text("utf-8") == "a file"


def test_a_key_for_marking_by_eye_has_a_line_a_step(tmp_path: Path) -> None:
    lines = {
        "md": "- **Attention weights**, A = 0.623 0.378 | 0.223 0.777",
        "html": '<p data-path="attention.head.1.weights"><b>Attention weights</b>, A = 0.623 0.378 | 0.223 0.777</p>',
    }
    for suffix, line in lines.items():
        key, full = tmp_path / f"key.{suffix}", tmp_path / f"full.{suffix}"
        written(tmp_path, "--key", str(key))
        written(tmp_path, "--key", str(full), "--full")
        assert line in key.read_text("utf-8").splitlines()
        assert len(full.read_text("utf-8").splitlines()) > len(key.read_text("utf-8").splitlines())
    key = tmp_path / "class.md"
    made_for_a_class(tmp_path, "--key", str(key), "--language", "de")
    text = key.read_text("utf-8")
    assert (text.count("**Attention-Gewichte**, A = 0,"), "## Ada" in text, "## Bo" in text) == (2, True, True)


def test_the_template_for_answers_on_paper_is_read_back(tmp_path: Path) -> None:
    template = tmp_path / "answers.csv"
    assert run("worksheet", "help-me", "-o", str(template)).returncode == 0
    head, first, *_ = template.read_text("utf-8").splitlines()
    assert (head, first) == ("path,row,column,answer,title", "attention.head.1.scaled_scores,help,help,,Scaled scores")
    template.write_text(template.read_text("utf-8").replace("help,help,,", 'help,help,"1,5",', 1), "utf-8")
    result = run("mark", str(template), "--scenario", "help-me", "--format", "json")
    (sheet,) = json.loads(result.stdout)["sheets"]
    assert [cell["verdict"] for cell in sheet["cells"]][:2] == ["right", "missing"]


def test_labels_in_the_template_are_no_formulas(tmp_path: Path) -> None:
    mine, template = tmp_path / "mine.yaml", tmp_path / "answers.csv"
    mine.write_text(
        "title: x\ntokens: ['=1+1', '-x']\nembeddings: [[1, 0], [0, 1]]\n"
        "attention: {w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}\n",
        "utf-8",
    )
    assert run("worksheet", str(mine), "-o", str(template)).returncode == 0
    assert ",=" not in template.read_text("utf-8")
    filled = template.read_text("utf-8").replace("query,'=1+1,1,,", "query,'=1+1,1,1,")
    template.write_text(filled, "utf-8")
    result = run("mark", str(template), "--scenario", str(mine), "--format", "json")
    assert json.loads(result.stdout)["sheets"][0]["cells"][0]["verdict"] == "right", result.stderr


def test_students_take_seed_1_and_vary_too(tmp_path: Path) -> None:
    assert yaml.safe_load(written(tmp_path, "--vary", "scores").read_text("utf-8"))["seed"] == 1


def test_practice_as_a_page(tmp_path: Path) -> None:
    page = tmp_path / "practice.html"
    result = run("practice", "help-me", "--format", "html", "-o", str(page), "--seed", "7")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert 'data-asked="attention.head.1.scaled_scores ' in page.read_text("utf-8")
    for wrong in (["--format", "pdf"], ["--format", "html"], ["-o", f"{tmp_path}/a.pdf"], ["-o", "-"]):
        refusal("practice", "help-me", *wrong)
    assert [path.name for path in tmp_path.iterdir()] == ["practice.html"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "sheet.pdf"], "end it in .xlsx, .html, .md, .yaml, .csv"),
        (["-o", "sheet.md", "--format", "html"], "contradicts the name"),
        (["-o", "sheet.md", "--full"], "name its file with --key"),
        (["-o", "sheet.yaml", "--blank", "scroes"], "did you mean 'scores'"),
        (["-o", "sheet.yaml", "--blank", "attention.head.1.scores"], "nothing to fill in"),
        (["-o", "sheet.yaml", "--vary", "weights"], "matches no given matrix"),
        (["-o", "x", "--students", "none.txt"], "none.txt"),
        (["-o", "x", "--format", "docx"], "no kind of worksheet"),
    ],
)
def test_what_cannot_be_made_is_said(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in refusal(
        "worksheet", "help-me", *[one.replace("sheet.", f"{tmp_path}/sheet.") for one in arguments]
    )
    assert not list(tmp_path.iterdir())


def test_no_file_is_written_over_one_that_is_read_or_over_another(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(bundled_scenarios()["help-me"].read_text("utf-8"), encoding="utf-8")
    before, sheet = mine.read_text("utf-8"), str(tmp_path / "a.yaml")
    for arguments in ([str(mine), "-o", str(mine)], [str(mine), "-o", sheet, "--key", sheet]):
        result = run("worksheet", *arguments)
        assert (result.returncode, "overwritten" in result.stderr) == (2, True)
    assert mine.read_text("utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]


def test_one_sheet_that_cannot_be_read_stops_none(tmp_path: Path) -> None:
    sheet, broken = written(tmp_path), tmp_path / "broken.yaml"
    broken.write_text("worksheet: 1\nsteps: [", encoding="utf-8")
    result = run("mark", str(broken), str(sheet), str(tmp_path / "none.csv"), "--format", "json")
    assert result.returncode == 2
    sheets = json.loads(result.stdout)["sheets"]
    assert ["error" in one for one in sheets] == [True, False, True]
    assert "broken.yaml" in result.stderr


def test_one_sheet_of_a_file_that_cannot_be_marked_stops_none(tmp_path: Path) -> None:
    text = written(tmp_path).read_text("utf-8")
    both, foreign = tmp_path / "both.yaml", text.replace("path: attention", "path: attentoin")
    both.write_text(f"{foreign}---\n{text}", encoding="utf-8")
    result = run("mark", str(both), "--format", "json")
    assert result.returncode == 2
    assert ["error" in one for one in json.loads(result.stdout)["sheets"]] == [True, False]
    assert result.stderr.count("attentoin") == 1


def test_marks_of_one_sheet(tmp_path: Path) -> None:
    sheet = written(tmp_path)
    text = sheet.read_text("utf-8").replace("help:\n      help:", "help:\n      help: 6", 1)
    sheet.write_text(text, encoding="utf-8")
    result = run("mark", str(sheet))
    assert result.returncode == 0
    assert "Scaled scores S': 1 cell wrong, 0.25 points lost" in result.stdout
    assert "6 for S'[help, help] = 6 / √16 = 1.5" in result.stdout


def test_answers_in_csv_and_feedback(tmp_path: Path) -> None:
    answers, feedback = tmp_path / "ada.csv", tmp_path / "feedback"
    answers.write_text(
        'path;row;column;answer\nscaled_scores;help;help;1,5\nscaled_scores;me;me;"3"\n', encoding="utf-8"
    )
    asked = ("mark", str(answers), "--scenario", "help-me", "--feedback", str(feedback))
    result = run(*asked, "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[1].startswith(f"{answers},,0.25,4,1,0,1,")
    assert 'data-points="0.25" data-of="4"' in (feedback / "ada.html").read_text("utf-8")
    assert run(*asked, "--feedback-format", "markdown").returncode == 0
    assert "Scaled scores S'" in (feedback / "ada.md").read_text("utf-8")
    assert sorted(path.name for path in feedback.iterdir()) == ["ada.html", "ada.md"]
    assert "--scenario" in refusal("mark", str(answers))


def test_german(tmp_path: Path) -> None:
    sheet = written(tmp_path, "--language", "de")
    assert "Skalierte Scores" in sheet.read_text("utf-8")
    result = run("mark", str(sheet))
    assert "0 von 4 Punkten" in " ".join(result.stdout.split())
    assert "fehlt" in result.stdout
    assert "missing" in run("mark", str(sheet), "--language", "en").stdout


def test_a_quiz_is_one_file_with_all_variants(tmp_path: Path) -> None:
    names = tmp_path / "class.txt"
    names.write_text("Ada\nBo\n", encoding="utf-8")
    for arguments, said in ((("--variants", "2"), "Seed 2"), (("--students", str(names)), "Bo")):
        file = tmp_path / "quiz.xml"
        result = run("worksheet", "help-me", "-o", str(file), *arguments)
        assert result.returncode == 0
        assert "nothing is marked from a student's own earlier numbers" in result.stderr
        text = file.read_text("utf-8")
        assert text.count('type="cloze"') == 8
        assert f", {said}</text>" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "a.html", "--variants", "2"), "--variants is for a quiz"),
        (("-o", "a.xml", "--variants", "2", "--students", "CLASS"), "cannot be combined"),
        (("-o", "a.html", "--format", "moodle"), "contradicts"),
        (("-o", "a.html", "--key", "key.xml"), "no answer key"),
        (("-o", "a.xml", "--variants", "1000000"), "1000000 is not in the range 1<=x<=500"),
        (("-o", "a.xml", "--students", "MANY"), "holds 5,001 names; a class has at most 5,000"),
        (("-o", "a.xml", "--variants", "2", "--key", "key.xlsx"), "a single .yaml, .md or .html file"),
    ],
)
def test_what_no_quiz_can_be_leaves_no_file(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    names = tmp_path / "class.txt"
    names.write_text("Ada\n" * (5001 if "MANY" in arguments else 1), encoding="utf-8")
    given = [
        str(names) if one in ("CLASS", "MANY") else str(tmp_path / one) if "." in one else one for one in arguments
    ]
    assert said in refusal("worksheet", "help-me", *given)
    assert list(tmp_path.iterdir()) == [names]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--feedback-format", "html"), "--feedback-format html needs a folder for the feedback: --feedback FOLDER"),
        (("--feedback", "a.csv"), "a.csv is a file; --feedback names a folder"),
        (("--feedback", "out", "--feedback-format", "pdf"), "'pdf' is not one of 'html', 'markdown'"),
        (("--feedback", "out"), "no line fits the sheet; line 2: no step is called 'nothing'"),
    ],
)
def test_what_gives_no_feedback_leaves_no_file(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    answers = tmp_path / "a.csv"
    answers.write_text("path,row,column,answer\nnothing,a,b,1\n", "utf-8")
    given = [str(tmp_path / one) if one in ("out", "a.csv") else one for one in arguments]
    assert said in refusal("mark", str(answers), "--scenario", "help-me", *given)
    assert list(tmp_path.iterdir()) == [answers]
