"""Options that a project gives, and the words that every command takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.cli import run
from aune.cli._application import commands, flags, options_of_task
from aune.cli._defaults import PRIVILEGED, Project, project, project_options
from aune.contract import registry
from aune.errors import UsageError

KEY, RESPONSE = "w B-PER\nx I-PER\ny O\n", "w B-PER\nx O\ny O\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "key.conll").write_text(KEY)
    (tmp_path / "a.conll").write_text(RESPONSE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


SCORE = ["score", "ner", "key.conll", "a.conll"]


def test_a_project_gives_options_and_the_signature_prints_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.aune]\ndigits = 1\n[tool.aune.entities]\nmeasures = ["f1"]\nmatch = "type"\n'
    )
    assert run(SCORE) == 0
    out, err = capsys.readouterr()
    assert err == f"aune: with --digits=1 --measures=f1 --match=type from {folder / 'pyproject.toml'}\n"
    assert "f_measure      100.0" in out and "|match:type|" in out


def test_what_is_typed_comes_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "aune.toml").write_text('digits = 1\nmeasures = "ser"\nmatch = "type"\n[coref]\nundefined = "one"\n')
    assert run([*SCORE, "-m", "f1", "--digits=3", "--match", "strict", "--signature=long"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "f_measure      0.000" in out and "|match:strict|" in out and "undefined:zero" in out


def test_a_project_is_found_from_below_and_the_nearest_counts(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.aune]\ndigits = 1\n")
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    assert project(below) == Project(folder / "pyproject.toml", {"digits": 1})
    (below / "pyproject.toml").write_text("[tool.other]\n")
    assert project(below) == Project(folder / "pyproject.toml", {"digits": 1})
    (below / "aune.toml").write_text("ci = true\n")
    assert project(below) == Project(below / "aune.toml", {"ci": True})


def test_commands_take_what_they_know() -> None:
    project = Project(
        Path("aune.toml"), {"digits": 1, "ci": True, "tokens": False, "table": {"x": 1}} | {"match": "type"}
    )
    assert project_options(project._replace(options={"digits": 1, "ci": True}), SCORE) == ["--digits=1", "--ci"]
    assert project_options(project._replace(options={"digits": 1, "match": "type"}), ["validate", "ner", "x"]) == []
    assert project_options(project._replace(options={"labels": ["PER", "LOC"]}), SCORE) == ["--labels=PER,LOC"]
    assert project_options(project._replace(options={"measures": ["f1", "ser"]}), SCORE) == [
        "--measures=f1",
        "--measures=ser",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digitz = 1", "unknown option 'digitz': did you mean 'digits'?"),
        ('measures = "os:system"', "--measures os:system: a project names neither code nor addresses: type it"),
        ('measures = "mean(f1, a.b:C.f)"', "a project names neither code nor addresses: type it"),
        ('[score]\nunit = "os:system"', "--unit os:system: a project names neither code nor addresses: type it"),
        ("a = " + "[" * 9000, "nested too deeply, expected TOML: mend it, or move it away"),
        ('typology = "https://x/y"', "--typology https://x/y: a project names neither code nor addresses: type it"),
        ('engine = "dask=10.0.0.1"', "--engine is typed on the command line, and not given by a project"),
        ("raw-cells = true", "--raw-cells is typed on the command line, and not given by a project"),
        ('output = "/tmp/x"', "--output is typed on the command line, and not given by a project"),
        ("digits = 1979-05-27", "--digits: found datetime.date(1979, 5, 27), expected text, a number, true, false"),
        ("digits =", "expected TOML: mend it, or move it away"),
    ],
)  # fmt: skip
def test_a_project_is_no_program(folder: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "aune.toml").write_text(text)
    assert run(SCORE) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"aune: {folder / 'aune.toml'}: ") and message in err


def test_sites_and_campaigns_take_nothing_from_a_project(folder: Path) -> None:
    """A stranger's file opens no door, sends no letter elsewhere, and decides nobody's role."""
    every = {name.lstrip("-") for words, _ in commands() for name in flags(words)} - {"[KEYWORD]"}
    rooms = [words for words, _ in commands() if words[0] in PRIVILEGED]
    scoring = {name.lstrip("-") for words, _ in commands() if words[0] not in PRIVILEGED for name in flags(words)}
    scoring |= {name.lstrip("-") for task in registry.task_names() for name in options_of_task([task])}
    assert {"listen", "smtp", "site", "role", "database", "image"} < every - scoring
    for words in rooms:
        for name in every:
            assert project_options(Project(folder, {name: "x"}), words) == []
        with pytest.raises(UsageError, match=f"a project gives {words[0]} no options"):
            project_options(Project(folder, {words[0]: {"port": 1}}), words)
    for name in every - scoring:
        with pytest.raises(UsageError, match=f"--{name} is typed on the command line"):
            project_options(Project(folder, {name: "x"}), SCORE)


def test_quiet_and_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.conll").write_text("w I-PER\nx O\ny O\n")
    (folder / "aune.toml").write_text("digits = 1\n")
    assert run([*SCORE, "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and len(json.loads(out)["warnings"]) == 1
    assert run(SCORE) == 0
    assert capsys.readouterr().err.count("\n") == 2, "quiet is over"
    assert run([*SCORE, "--quiet", "--metric", "x"]) == 2
    assert "unknown option --metric" in capsys.readouterr().err, "errors are always told"


def test_an_ending_that_nobody_knows_is_refused_before_any_work(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ["score", "coref", "no-key", "no-response", "-o", "scores.xlsx"],
        ["compare", "coref", "no-key", "no-response", "-o", "scores.xlsx"],
        ["describe", "coref", "no-key", "-o", "scores.xlsx"],
    ):
        assert run(words) == 2
        assert "scores.xlsx: nothing here is written as .xlsx" in capsys.readouterr().err
    assert run([*SCORE, "-m", "f1", "-o", "scores.xlsx", "-f", "csv"]) == 0, "the format was named"
    assert run(["report", *SCORE[1:], "-o", "report.pdf"]) == 2
    assert "report.pdf" in capsys.readouterr().err
    assert run(["convert", "ner", "key.conll", "new.xlsx"]) == 2
    assert "new.xlsx: its name does not say the format: expected --to with one of" in capsys.readouterr().err


def test_by_type_is_by_label(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for word in ("label", "type"):
        assert run([*SCORE, "-m", "f1", "--by", word]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] and "PER" in shown[0]
