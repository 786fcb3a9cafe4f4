"""Results as text, in every format, also when names are hostile."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest

import aune
from aune.contract.signature import expand_signature, parse_signature_line, signature_line
from aune.errors import UsageError
from aune.reports import FORMATS, format_of
from aune.reports.latex import escape as latex_escaped
from aune.reports.markdown import escape as markdown_escaped
from aune.reports.text import align_columns, width
from aune.statistics.intervals import with_intervals

KEY = {"a": [{1, 2, 3}, {4}], "b|_*\n& 50%": [{1, 2}]}
RESPONSE = {"a": [{1, 2}, {3, 4}], "b|_*\n& 50%": [{1, 2}]}
HOSTILE = ["_x^2$", "a|b", "{brace}", "100% & #1", "back\\slash`tick`", "<b>", "[0]", "*star", "日本", "two\nlines"]


@pytest.fixture
def single() -> aune.Result:
    return aune.score("coref", KEY, RESPONSE, measures=["muc", "kappa", "distribution"])


@pytest.fixture
def several() -> aune.Result:
    return aune.evaluate("coref", KEY, {"A": RESPONSE, "B": KEY}, measures=["muc", "kappa"])


def test_table_of_one_system(single: aune.Result) -> None:
    blocks = single.to("table").split("\n\n")
    assert blocks[0] == (
        "coref: 2 documents: response\nmeasure  recall  precision     f1\nmuc       66.67      66.67  66.67"
    )
    assert [line.split()[:2] for line in blocks[1].split("\n")[1:]] == [["kappa", "kappa"], ["distribution", "d_error"]]
    assert "values × 100" in single.to("table") and single.to("table").endswith("\n")


def test_table_of_several_systems(several: aune.Result) -> None:
    lines = several.to("table").split("\n")
    assert lines[0] == "coref: 2 documents"
    assert lines[1].split() == ["measure", "value", "A", "B"]
    assert lines[2].split() == ["muc", "recall", "66.67", "100.00"]
    assert not any(line != line.rstrip() for line in lines)


def test_many_systems_get_a_row_each() -> None:
    systems = {f"S{index}": RESPONSE for index in range(8)}
    lines = aune.evaluate("coref", KEY, systems, measures=["muc", "kappa"]).to("table").split("\n")
    assert lines[1].split() == ["muc", "kappa"]
    assert lines[2].split() == ["rank", "system", "support", "recall", "precision", "f1", "kappa"]
    assert lines[3].split()[:6] == ["1", "S0", "3", "66.67", "66.67", "66.67"], "no value is dropped"


def test_undefined_is_a_dash_with_a_note() -> None:
    text = aune.score("coref", [{1, 2}], [{1, 2}], measures=["muc", "kappa"]).to("table")
    assert "kappa    kappa      –" in text
    assert "– kappa.kappa: chance alone agrees on every link: there is nothing to exceed" in text


def test_negative_zero_and_minus_signs() -> None:
    text = aune.score("coref", [{1, 2}, {3, 4}], [{1, 3}, {2, 4}], measures=["kappa", "distribution"]).to("table")
    assert "−200.00" in text and "-0.00" not in text


def test_the_best_are_marked(several: aune.Result) -> None:
    assert "| **100.00** |" in several.to("markdown") and "\\textbf{100.00}" in several.to("latex")
    assert "<strong>100.00</strong>" in several.to("html")
    assert "\x1b[1m100.00\x1b[0m" in several.to("table", colour=True) and "\x1b" not in several.to("table")


def test_lower_is_better_where_it_is() -> None:
    result = aune.evaluate("coref", KEY, {"A": RESPONSE, "B": KEY}, measures=["variation_of_information"])
    row = next(line for line in result.to("markdown").split("\n") if "| vi |" in line)
    assert row.endswith("| **0.0000** |")


def test_digits(single: aune.Result) -> None:
    assert "66.6667" in single.to("table", digits=4) and "67 " in single.to("table", digits=0)


def test_by_document(several: aune.Result) -> None:
    lines = several.to("table", by="document").split("\n")
    assert lines[1].split() == ["muc", "kappa"]
    assert lines[2].split() == ["document", "system", "support", "f1", "kappa"]
    assert lines[3].split()[:2] + lines[3].split()[3:4] == ["a", "A", "50.00"]
    assert lines[5].startswith("b|_* & 50%")
    rows = list(csv.DictReader(io.StringIO(several.to("csv", by="document"))))
    assert {row["document"] for row in rows} == set(KEY) and rows[0]["score"] == "0.5"


def test_csv_and_tsv_are_in_full_precision(single: aune.Result) -> None:
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.DictReader(io.StringIO(single.to(form)), delimiter=delimiter))
        assert list(rows[0]) == ["system", "measure", "value", "score", "signature"]
        assert float(rows[0]["score"]) == 2 / 3 and rows[0]["measure"] == "coref.muc"


def test_undefined_is_empty_in_csv() -> None:
    result = aune.score("coref", [{1, 2}], [{1, 2}], measures=["kappa"])
    [row] = csv.DictReader(io.StringIO(result.to("csv")))
    assert row["score"] == ""


def test_json_is_the_documented_envelope(several: aune.Result) -> None:
    envelope = json.loads(several.to("json"))
    assert list(envelope) == ["schema", "tool", "task", "inputs", "scores", "warnings"]
    score = envelope["scores"][0]
    assert {"system", "measure", "signature", "values", "counts", "better"} <= set(score)
    assert score["values"] == {"recall": 2 / 3, "precision": 2 / 3, "f1": pytest.approx(2 / 3)}
    assert score["counts"] == {"common_links": 2, "key_links": 3, "response_links": 3}
    assert score["better"] == "higher"
    assert [item["role"] for item in envelope["inputs"]] == ["key", "response", "response"]
    groups = json.loads(several.to("json", by="document"))["groups"]
    assert len(groups) == 8
    assert groups[0]["values"] == several.scores[0].by("document")[groups[0]["document"]]


def test_json_says_what_is_undefined() -> None:
    result = aune.score("coref", [{1, 2}], [{1, 2}], measures=["kappa"])
    [score] = json.loads(result.to_json())["scores"]
    assert score["values"] == {"kappa": None} and list(score["undefined"]) == ["kappa"]
    assert "NaN" not in result.to_json()


def test_json_is_the_same_bytes() -> None:
    def once(key: Any, response: Any) -> str:
        return aune.score("coref", key, response, measures=["all"]).to_json()

    first = once(KEY, RESPONSE)
    assert once(KEY, RESPONSE) == first
    turned = {name: [set(chain) for chain in chains[::-1]] for name, chains in RESPONSE.items()}
    assert once(KEY, turned) == first


def test_json_lines(several: aune.Result) -> None:
    records = [json.loads(line) for line in several.to("jsonl", by="document").splitlines()]
    assert [record["record"] for record in records] == ["run"] + ["score"] * 4 + ["group"] * 8
    assert records[0]["schema"] == 2 and records[0]["inputs"][0]["role"] == "key"


def test_groups_in_json() -> None:
    from aune.tasks.coref.model import Mention, make_document

    key = [
        make_document(name, [Mention(0, 1, "a"), Mention(1, 2, "a")], attributes={"genre": genre})
        for name, genre in (("a", "news"), ("b", "web"), ("c", "web"))
    ]
    result = aune.score("coref", key, key, measures=["muc"])
    groups = json.loads(result.to("json", by="genre"))["groups"]
    assert [(group["genre"], group["counts"]["key_links"]) for group in groups] == [("news", 1), ("web", 2)]
    assert result["muc"].by("genre")["web"]["f1"] == 1


def columns(line: str) -> int:
    """How many columns a line of a LaTeX table fills."""
    spanned = [int(number) - 1 for number in re.findall(r"\\multicolumn\{(\d+)\}", line)]
    return 1 + len(re.findall(r"(?<!\\)&", line)) + sum(spanned)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_in_their_cell(name: str) -> None:
    result = aune.evaluate("coref", {name: [{1, 2}], "x": [{1}]}, {name: {name: [{1, 2}], "x": [{1}]}, "B": {"x": []}},
                           measures=["muc"])  # fmt: skip
    for by in (None, "document"):
        latex = result.to("latex", by=by)
        body = [line for line in latex.split("\n") if not line.startswith("%") and line.endswith(r"\\")]
        assert len({columns(line) for line in body}) == 1, latex
        assert latex.count("{") - latex.count("\\{") == latex.count("}") - latex.count("\\}")
        assert not any(line.startswith(("[", "*")) for line in latex.split("\n"))
        tabular = latex[: latex.index(r"\end{tabular}")].split("\n")
        assert all(line[0] in "%\\" or line.endswith(r"\\") for line in tabular if line), latex
        markdown = [line for line in result.to("markdown", by=by).split("\n") if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in markdown}) == 1, markdown
        assert result.to("html", by=by).count("<b>") == 0
        assert len(list(csv.reader(io.StringIO(result.to("csv", by=by))))) > 1
    assert json.loads(result.to("json"))["scores"][0]["system"] == name


@pytest.mark.parametrize(
    ("text", "latex", "markdown"),
    [
        ("b_cubed", r"b\_cubed", r"b\_cubed"),
        ("50%", r"50\%", "50%"),
        ("a\\b", r"a\textbackslash{}b", r"a\\b"),
        ("−1 × 2", r"$-$1 $\times$ 2", "−1 × 2"),
        ("[x]", "{[}x]", r"\[x]"),
        ("two\nlines", "two lines", "two lines"),
    ],
)
def test_escapes(text: str, latex: str, markdown: str) -> None:
    assert latex_escaped(text) == latex
    assert markdown_escaped(text) == markdown


def test_wide_letters_are_aligned() -> None:
    assert width("日本") == 4
    assert align_columns([("name", "score"), ("日本", "1"), ("a", "22")]) == [
        "name  score",
        "日本      1",
        "a        22",
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_text(form: str, single: aune.Result, several: aune.Result) -> None:
    for result in (single, several):
        assert result.to(form).endswith("\n")
        assert result.to(form, by="document").endswith("\n")


def test_unknown_format(single: aune.Result) -> None:
    with pytest.raises(aune.UsageError) as error:
        single.to("jsn")
    assert str(error.value) == "unknown output format 'jsn': did you mean 'json'?"


def test_the_file_name_decides() -> None:
    from pathlib import Path

    names = {"a.json": "json", "a.jsonl": "jsonl", "a.csv": "csv", "a.tsv": "tsv", "a.md": "markdown", "a.tex": "latex",
             "a.html": "html", "a.txt": "table", "a": "table"}  # fmt: skip
    assert {name: format_of(Path(name)) for name in names} == names and format_of(None) == "table"
    with pytest.raises(aune.UsageError, match=r"a.xlsx: nothing here is written as .xlsx: expected one of .json, .*"):
        format_of(Path("a.xlsx"))


# Signatures, captions and labels


def test_a_screen_gets_short_signatures_on_one_line_and_files_the_long(several: aune.Result) -> None:
    lines = several.to("table").rstrip("\n").split("\n")
    assert [line for line in lines if "|v:" in line] == [lines[-1]] and str(several).endswith(lines[-1])
    short = parse_signature_line(lines[-1])
    assert short == [several["A", name].signature.short for name in ("muc", "kappa")]
    assert [expand_signature(entry) for entry in short] == [several["A", n].signature for n in ("muc", "kappa")]
    for format in ("markdown", "latex", "html"):
        assert str(several["A", "muc"].signature) in several.to(format), format
        assert "|v:" not in several.to(format, signature="none") and "coref.muc|d:" in several.to(format)
        text = several.to(format, signature="short")
        assert lines[-1] in text and str(several["A", "muc"].signature) not in text
    assert str(several["A", "muc"].signature) in several.to("table", signature="long")


def test_signatures_are_chosen_where_they_are_printed_only(several: aune.Result) -> None:
    for format in ("json", "jsonl", "csv", "tsv"):
        with pytest.raises(UsageError, match=f"signature none: acts on table, markdown, latex, html, not on {format}"):
            several.to(format, signature="none")
    with pytest.raises(UsageError, match="unknown signature 'full': expected one of: long, short, none"):
        several.to("table", signature="full")


def test_the_line_of_signatures_keeps_expressions_apart() -> None:
    names = ["muc", "lea", "macro(muc, by=document)", "mean(muc.f1, lea.f1)", "b_cubed(weights=chain)", "error(muc)"]
    result = aune.score("coref", KEY, RESPONSE, measures=names, undefined="one")
    assert parse_signature_line(signature_line([scored.signature for scored in result])) == [
        scored.signature.short for scored in result
    ]


def test_a_latex_table_has_caption_label_and_note(several: aune.Result, single: aune.Result) -> None:
    text = with_intervals(several, draws=50).to("latex", name="paper", test=aune.compare(several, draws=50))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\caption{") == 1
    assert r"\label{tab:coref}" in text and "Reference resolution: scores (2 documents)." in text
    note = text.partition(r"\begin{minipage}")[2].partition(r"\end{minipage}")[0]
    for sentence in ("Bold: the best value.", "Systems that share a letter do not differ significantly", "leave open.",
                     "{[}low, high]: 95 \\% confidence interval", "Support: ", "Values $\\times$ 100."):  # fmt: skip
        assert sentence in note, sentence
    assert "|" not in note, "signatures are comments"
    pair = single.to("latex")
    assert pair.count(r"\begin{tabular}") == 2 and pair.count(r"\begin{table}") == 1, "one float for one result"
    assert r"\label{tab:coref-by-document}" in single.to("latex", by="document")
