"""`aune errors` and `aune report`, as a user calls them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from aune.cli import run
from aune.explain.analysis import study
from aune.reports.errors import write
from aune.reports.tabular import Table
from aune.reports.text import width

Capture = pytest.CaptureFixture[str]


def files(examples: Path, *names: str) -> list[str]:
    return [str(examples / "coref" / f"{name}.conll") for name in names]


def test_table(examples: Path, capsys: Capture) -> None:
    assert run(["errors", "coref", *files(examples, "key", "neural"), "--limit", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("coref: errors of neural\nkind")
    assert "conll f1 alone" in out and "more: --limit" in out


@pytest.mark.parametrize("screen", [60, 80, 400])
def test_the_list_fits_the_screen_and_loses_nothing(examples: Path, screen: int) -> None:
    result = study("coref", *files(examples, "key"), files(examples, "recency"), measures=["conll"])
    cases = [("", case) for case in result.cases["recency"]]
    title = Table("", ("kind", "errors"), [("all", str(len(cases)))])
    lines = write(title, cases, {}, [], "table", None, width=screen).splitlines()
    assert max(map(width, lines)) <= screen
    flat = " ".join(" ".join(lines).split())
    assert all(" ".join(case.context.split()) in flat and case.document in flat for _, case in cases)


def test_json_and_kinds(examples: Path, capsys: Capture) -> None:
    arguments = ["errors", "coref", *files(examples, "key", "recency"), "--format", "json"]
    assert run(arguments) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["shown"] == len(whole["cases"]) == sum(kind["errors"] for kind in whole["kinds"])
    kind = whole["kinds"][0]["kind"]
    assert run([*arguments, "--kind", kind.replace(" ", "-")]) == 0
    some = json.loads(capsys.readouterr().out)
    assert {case["kind"] for case in some["cases"]} == {kind}
    assert len(some["cases"]) == whole["kinds"][0]["errors"]


def test_csv_lists_all(examples: Path, capsys: Capture) -> None:
    assert run(["errors", "coref", *files(examples, "key", "strings"), "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) > 20 and set(rows[0]) == {"document", "place", "kind", "key", "response", "cost", "context"}


def test_versus(examples: Path, capsys: Capture) -> None:
    key, first, second = files(examples, "key", "strings", "neural")
    assert run(["errors", "coref", key, first, "--versus", second, "-f", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["versus"] == "neural" and set(data["counts"]) == {"fixed", "broken", "both"}
    assert sum(data["counts"].values()) == len(data["cases"])
    assert {case["status"] for case in data["cases"]} <= {"fixed", "broken", "both"}


def test_only_a_document(examples: Path, capsys: Capture) -> None:
    arguments = ["errors", "coref", *files(examples, "key", "strings"), "-f", "json"]
    assert run([*arguments, "--document", "museum"]) == 0
    assert {case["document"] for case in json.loads(capsys.readouterr().out)["cases"]} == {"museum"}
    assert run([*arguments, "--document", "nowhere"]) == 2


def test_wrong_calls(examples: Path, capsys: Capture) -> None:
    arguments = ["errors", "coref", *files(examples, "key", "strings")]
    assert run([*arguments, "--kind", "typo"]) == 2
    assert "unknown kind of coref error" in capsys.readouterr().err
    assert run([*arguments, "--format", "yaml"]) == 2
    assert run(["errors", "coref", "nowhere.conll", "nowhere.conll"]) == 3


def test_report(examples: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "report.html"
    arguments = ["report", "coref", *files(examples, "key", "strings", "neural"), "-o", str(output)]
    assert run([*arguments, "--draws", "100", "--title", "A <title>"]) == 0
    text = output.read_text()
    assert "<h1>A &lt;title&gt;</h1>" in text and 'id="view-figures"' in text
    assert "open it in a browser" in capsys.readouterr().err


def test_figures_are_listed(capsys: Capture) -> None:
    assert run(["list", "figures"]) == 0
    assert "recall-precision" in capsys.readouterr().out


def test_texts_cannot_steer_a_terminal(tmp_path: Path, capsys: Capture) -> None:
    lines = ["#begin document (d); part 000", *(f"d 0 {n} w\x1b[31m{n} - - - - - - * {c}" for n, c in enumerate("ab"))]
    (tmp_path / "key.conll").write_text(
        "\n".join([*lines, "", "#end document", ""]).replace("* a", "* (1)").replace("* b", "* (1)")
    )
    (tmp_path / "response.conll").write_text(
        "\n".join([*lines, "", "#end document", ""]).replace("* a", "* (1)").replace("* b", "* -")
    )
    assert run(["errors", "coref", str(tmp_path / "key.conll"), str(tmp_path / "response.conll")]) == 0
    out = capsys.readouterr().out
    assert "missing mention" in out and "\x1b" not in out
