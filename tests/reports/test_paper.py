"""Tables for papers: every value of every system, sorted, marked, in every format, from one piece of code."""

from __future__ import annotations

import ast
import csv
import io
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest

import aune
from aune.cli import run
from aune.contract.registry import chosen_values
from aune.errors import UsageError, make_visible
from aune.reports import latex, render_tables
from aune.reports.delimited import delimited_text, escape_formula
from aune.reports.paper import Value, letters_of, paper_tables, ranking_value, without_baselines
from aune.reports.tabular import Table
from aune.reports.text import parts_that_fit, width
from aune.statistics.comparison import Order, compare_systems
from aune.statistics.intervals import with_intervals

HOSTILE = [
    "=1+1",
    "[red]bold[/red]",
    "\x1b[31mred",
    "a|b & c_d",
    "-dash",
    "@at",
    "+plus",
    "日本語",
    "two\nlines",
    "\u202eevil",
]
KEY = {f"d{n}": [{1, 2, 3}, {4, 5}, {6, 7 + n}] for n in range(6)}


def response(wrong: int) -> dict[str, Any]:
    """The key with the chains of some documents cut."""
    return {
        name: [{1, 2}, {3}, {4, 5}, {6, 7 + index}] if index < wrong else chains
        for index, (name, chains) in enumerate(KEY.items())
    }


@pytest.fixture(scope="module")
def twenty() -> aune.Result:
    systems = {f"system-{number:02}": response(number % 7) for number in range(20)}
    return aune.evaluate("coref", KEY, systems, measures=["mentions", "muc", "b_cubed", "conll"])


def test_nothing_is_dropped_at_any_number_of_systems(twenty: aune.Result) -> None:
    [table] = paper_tables(twenty)
    assert len(table.rows) == 20 and {row[1] for row in table.rows} == set(twenty.systems)
    for row in table.rows:
        cells = dict(zip(table.flat_header, row, strict=True))
        for scored in twenty:
            if scored.system == row[1]:
                short = scored.name.removeprefix("coref.")
                for value, number in scored.values.items():
                    assert cells[f"{short} {value}"] == f"{100 * (number or 0):.2f}"


def test_systems_are_sorted_by_the_measure_that_ranks(twenty: aune.Result) -> None:
    [table] = paper_tables(twenty)
    column = table.flat_header.index("conll f1")
    values = [float(row[column]) for row in table.rows]
    assert values == sorted(values, reverse=True) and ranking_value(twenty).measure.name == "coref.conll"
    assert {row for row, place in table.best if place == column} == {
        row for row, value in enumerate(values) if value == max(values)
    }
    recall = Value(next(measure for measure in twenty.measures if measure.name == "coref.muc"), "recall")
    [other] = paper_tables(twenty, rank_by=recall)
    values = [float(row[other.flat_header.index("muc recall")]) for row in other.rows]
    assert values == sorted(values, reverse=True)


def test_ties_share_their_rank(twenty: aune.Result) -> None:
    [table] = paper_tables(twenty)
    assert [row[0] for row in table.rows[:4]] == ["1", "1", "1", "4"]


def test_where_lower_is_better_the_lowest_is_first() -> None:
    words = {"a": ["one two three"] * 5, "b": ["one two"] * 5}
    [table] = paper_tables(aune.evaluate("speech", ["one two three"] * 5, words, measures=["wer"]))
    assert [row[1] for row in table.rows] == ["a", "b"]


def test_letters_and_open_ranks() -> None:
    key = {str(n): [{1, 2, 3}] for n in range(20)}
    worse = {name: [{1, 2}, {3}] for name in key}
    result = aune.evaluate("coref", key, {"good": key, "same": key, "bad": worse}, measures=["muc"])
    result = with_intervals(result, draws=200)
    test = compare_systems(result, draws=500)
    [table] = paper_tables(result, test=test)
    assert [row[:3] for row in table.rows] == [("1 (1–2)", "good", "a"), ("1 (1–2)", "same", "a"), ("3", "bad", "b")]
    low = 100 * 0.025 ** (1 / len(key))
    assert table.rows[0][-1] == f"100.00 [{low:.2f}, 100.00]" and "[" in table.rows[0][-2], (
        "every value has its interval"
    )
    assert "[low, high]: 95 % confidence interval (effective number of documents)" in table.notes
    assert any("do not differ significantly" in note for note in table.notes)
    assert "ranked by muc f1; in parentheses, the ranks that the tests leave open" in table.notes
    assert letters_of(Order("m", "v", [], [[str(n)] for n in range(28)]))["27"] == ",28"


def test_baselines_stand_apart_and_take_no_part() -> None:
    systems = {"base": response(0), "good": response(2), "bad": response(6)}
    result = aune.evaluate("coref", KEY, systems, measures=["muc"])
    [table] = paper_tables(result, baselines=["base"])
    assert [row[:2] for row in table.rows] == [("1", "good"), ("2", "bad"), ("baseline", "base")] and table.parts == (
        2,
    )
    assert all(row == 0 for row, column in table.best if column > 3)
    assert without_baselines(result, ["base"]).systems == ["good", "bad"]
    with pytest.raises(UsageError, match="baseline"):
        paper_tables(result, baselines=["nobody"])


def test_labels_with_their_support() -> None:
    key = {"d": {"tokens": list("abcdef"), "spans": [(0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")]}}
    by_name = {"d": {"tokens": list("abcdef"), "spans": [(0, 1, "PER"), (2, 3, "LOC"), (5, 6, "ORG")]}}
    [table] = paper_tables(aune.evaluate("entities", key, {"s": by_name}, measures=["f_measure", "ser"]), by="label")
    assert table.header[:2] == ("label", "support")
    assert [row[:2] for row in table.rows] == [("PER", "2"), ("LOC", "1"), ("ORG", "0")]
    assert table.flat_header[2:5] == ("f_measure precision", "f_measure recall", "f_measure f1")
    assert table.rows[0][2:5] == ("100.00", "50.00", "66.67")


def test_support_is_that_of_the_measure_that_ranks(examples: Path) -> None:
    """Words of each label, and not the utterances of another measure; words without a label have a name too."""
    folder = examples / "speech"
    result = aune.evaluate("speech", folder / "key.jsonl", {"n": folder / "north.jsonl"})
    [table] = paper_tables(result, by="label")
    assert [row[:2] for row in table.rows] == [("(none)", "78"), ("PER", "9"), ("LOC", "6"), ("ORG", "6")]


def test_chosen_values(capsys: pytest.CaptureFixture[str], examples: Path) -> None:
    assert chosen_values("coref", ["coref.muc.f1", "coref.lea"]) == (["coref.muc", "coref.lea"], {"coref.muc": ["f1"]})
    assert chosen_values("coref", ["muc.f1", "muc"])[1] == {}, "asked for whole, shown whole"
    files = [str(examples / "coref" / f"{name}.conll") for name in ("key", "neural", "recency")]
    assert run(["score", "coref", *files, "-m", "muc.precision,lea.f1", "--layout", "paper"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["rank", "system", "support", "precision", "f1"]
    assert run(["score", "coref", *files, "-m", "muc.precision,lea.f1"]) == 0
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[2:4]]
    assert lines == [["muc", "precision"], ["lea", "f1"]]
    assert run(["score", "coref", *files, "-m", "muc.wrong"]) == 2


@pytest.fixture(scope="module")
def hostile() -> Table:
    result = aune.evaluate(
        "coref", KEY, {name: response(n % 7) for n, name in enumerate(HOSTILE)}, measures=["muc", "conll"]
    )
    [table] = paper_tables(result, baselines=HOSTILE[:2])
    return table


def test_csv_for_spreadsheets(hostile: Table) -> None:
    def names(text: str) -> set[str]:
        return {row["system"] for row in csv.DictReader(io.StringIO(text))}

    shown = names(render_tables(hostile, "csv"))
    assert "\x1b" not in render_tables(hostile, "csv")
    assert {"'=1+1", "'-dash", "'@at", "'+plus", "[red]bold[/red]"} <= shown
    assert names(render_tables(hostile, "csv", raw=True)) == set(HOSTILE)
    assert not [cell for row in csv.reader(io.StringIO(render_tables(hostile, "csv"))) for cell in row
                if cell.startswith(("=", "@"))]  # fmt: skip


def test_numbers_stay_numbers_in_csv(examples: Path) -> None:
    result = aune.evaluate("coref", {"d": [{1, 2}, {3, 4}]}, {"=x": {"d": [{1, 3}, {2, 4}]}}, measures=["kappa"])
    [row] = csv.DictReader(io.StringIO(result.to("csv")))
    assert row["system"] == "'=x" and float(row["score"]) < 0
    [row] = csv.DictReader(io.StringIO(result.to("csv", raw=True)))
    assert row["system"] == "=x"


def test_a_terminal_is_not_steered(hostile: Table) -> None:
    text = render_tables(hostile, "table")
    assert "\x1b" not in text and "\\x1b[31mred" in text and "[red]bold[/red]" in text and "\\u202eevil" in text
    assert make_visible("👩‍👩‍👧 e\u0301") == "👩‍👩‍👧 e\u0301"


def test_headings_stand_above_their_columns(twenty: aune.Result) -> None:
    [table] = paper_tables(twenty)
    over, header, *_ = render_tables(table, "table").splitlines()[1:]
    assert header.find("precision", over.find("muc")) > over.find("muc") > header.find("f1")
    assert width(over) <= width(header)


class Cells(HTMLParser):
    """The widths of the rows of a table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += int(dict(attrs).get("colspan") or 1)


def test_html_is_a_rectangle(hostile: Table) -> None:
    cells = Cells()
    cells.feed(render_tables(hostile, "html"))
    assert set(cells.rows) == {len(hostile.header)} and len(cells.rows) == 2 + len(hostile.rows)


def test_markdown_is_a_rectangle(hostile: Table) -> None:
    lines = [line for line in render_tables(hostile, "markdown").splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(hostile.rows)
    assert {line.replace("\\|", "").count("|") for line in lines} == {len(hostile.header) + 1}


def own_signs() -> set[str]:
    """The signs and Greek letters in what our own code says, docstrings apart."""
    home = Path(aune.__file__).parent
    files = [
        path for room in ("reports", "cli", "statistics", "explain", "meta") for path in (home / room).rglob("*.py")
    ]
    texts = [node.value for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
    return {
        sign for sign in "".join(texts) if sign > "\u00ff" and (category(sign) in ("Sm", "So") or "α" <= sign <= "ω")
    }


def test_latex_knows_the_signs_that_we_write() -> None:
    assert own_signs() <= set(latex.SPECIAL), "pdflatex would stop at them"


def test_latex_compiles(hostile: Table, twenty: aune.Result, tmp_path: Path) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("no LaTeX: apt-get install texlive-latex-recommended")
    ascii_only = hostile._replace(rows=[row for row in hostile.rows if all(map(str.isascii, row))], parts=())
    bodies = [render_tables(entry, "latex") for entry in (ascii_only, *paper_tables(twenty, baselines=["system-03"]))]
    bodies.append("".join(latex.SPECIAL.values()))
    text = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\\tiny\n" + "\n\n".join(bodies)
    (tmp_path / "paper.tex").write_text(text + "\\end{document}\n")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_command_prints_letters_and_baselines(capsys: pytest.CaptureFixture[str], examples: Path) -> None:
    files = [str(examples / "coref" / f"{name}.conll") for name in ("key", "neural", "recency", "strings")]
    outcome = ["-m", "muc,conll", "--layout", "paper", "--ci", "--draws", "99", "--baselines", "strings"]
    assert run(["score", "coref", *files, *outcome, "-f", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["system"] for row in rows] == ["neural", "recency", "strings"]
    assert [row["group"] for row in rows] == ["a", "a", ""] and rows[2]["rank"] == "baseline"
    assert run(["score", "coref", *files, "--layout", "poster"]) == 2


# Tables on a screen


@pytest.mark.parametrize("screen", [40, 60, 80, 100, 200])
def test_tables_fit_the_terminal_and_lose_no_cell(twenty: aune.Result, screen: int) -> None:
    [table] = paper_tables(twenty, baselines=["system-03"])
    parts = parts_that_fit(table, screen)
    for part in parts:
        lines = render_tables(part._replace(title="", notes=()), "table", signature="none").splitlines()
        assert max(map(width, lines)) <= screen
        names = [name for name, _ in part.over if name]
        assert lines[0].split() == names, "names above the columns stand apart"
    flat = [name for part in parts for name in part.flat_header[part.names :]]
    assert flat == list(table.flat_header[table.names :]), "every column once"
    for row in range(len(table.rows)):
        assert [cell for part in parts for cell in part.rows[row][part.names :]] == [*table.rows[row][table.names :]]
    marks = {(row, part.flat_header[column]) for part in parts for row, column in part.best}
    assert marks == {(row, table.flat_header[column]) for row, column in table.best}


def test_long_text_is_folded_and_none_of_it_lost() -> None:
    text = "what a measure says of a response that is longer than a line of a terminal has room for"
    table = Table("", ("name", "what", "number"), [("a", text, "1"), ("b", "short", "2")], best=frozenset({(1, 2)}))
    [part] = parts_that_fit(table, 40)
    assert " ".join(filter(None, (row[1] for row in part.rows))) == f"{text} short"
    (row, column) = next(iter(part.best))
    assert part.rows[row][0] == "b" and part.rows[row][column] == "2"


def test_a_breakdown_says_what_it_leaves_out(twenty: aune.Result) -> None:
    assert "the main value of each measure: --layout paper shows all" in twenty.to("table", by="document")
    only = aune.evaluate("coref", KEY, {"a": response(1)}, measures=["muc"])
    assert "main value" not in only.to("table", by="document")


def test_chosen_values_have_their_intervals(twenty: aune.Result) -> None:
    drawn = with_intervals(twenty, draws=50)
    [table] = paper_tables(drawn, values={"coref.muc": ["precision"]})
    assert "[" in table.rows[0][table.flat_header.index("muc precision")]


def test_the_report_can_tell_twenty_systems_apart() -> None:
    """With as few draws as intervals need, no corrected p-value could be small enough: the tests draw more."""
    from aune.explain.analysis import study
    from aune.reports.confidence import with_confidence

    key = {f"d{n}": [{1, 2, 3}] for n in range(40)}
    cut = {name: [{1, 2}, {3}] for name in key}
    systems = {f"s{n:02}": key if n == 0 else cut for n in range(20)}
    _, test = with_confidence(study("coref", key, systems, measures=["muc"]), level=0.95, draws=200, seed=1)
    assert test is not None and not test.warnings
    order = next(item for item in test.orders if item.value == "f1")
    assert letters_of(order)["s00"] == "a" and letters_of(order)["s01"] == "b"
    few = compare_systems(test.result, draws=200)
    assert few.warnings == ["200 draws cannot tell any of 20 systems apart after Holm's correction: --draws 3799 can"]


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize("before", ["", " ", "\t", "\n", "\n \t", "a;", "a; ", ";;"])
def test_no_cell_is_computed(before: str, sign: str) -> None:
    """Blanks may be taken away, and where a comma is in numbers a semicolon ends a cell."""
    cells = delimited_text([[f"{before}{sign}1+cmd|' /C calc'!A0"]], ",")
    assert not any(cell.strip(' "\n\t').startswith(sign) for cell in cells.split(";"))
    assert cells.count("'") == 3


def test_a_cell_that_begins_with_a_tab_is_text_whatever_follows() -> None:
    assert [escape_formula(cell) for cell in ("\tx", "\nx", " x", "a\tb", "-1", "a=1")] == [
        "'\tx",
        "'\nx",
        " x",
        "a\tb",
        "-1",
        "a=1",
    ]
