"""The command line as its users meet it: what is printed where, what is written, and the exit code."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import aune
from aune.cli import run

ROOT = Path(__file__).resolve().parents[2]
KEY = "1 2\n3 4 5\n6 7 8 9 10 11 12\n"
RESPONSE = "1 2 6\n3 4 5 7\n8 9\n"


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Aune = Callable[..., Outcome]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("AUNE_DEBUG", "1")  # an internal error is a traceback here
    (tmp_path / "key.txt").write_text(KEY)
    (tmp_path / "a.txt").write_text(RESPONSE)
    (tmp_path / "b.txt").write_text(KEY)
    return tmp_path


@pytest.fixture
def run_aune(here: Path, capsys: pytest.CaptureFixture[str]) -> Aune:
    def call(*arguments: str) -> Outcome:
        code = run(arguments)
        return Outcome(code, *capsys.readouterr())

    return call


# score


def test_score(run_aune: Aune) -> None:
    code, out, err = run_aune("score", "coref", "key.txt", "a.txt")
    assert code == 0 and err == ""
    lines = out.split("\n")
    assert lines[0] == "coref: key.txt (partition), 1 document: a"
    assert lines[1].split() == ["measure", "recall", "precision", "f1"]
    assert lines[3].split() == ["muc", "44.44", "66.67", "53.33"]


def test_score_several_named_systems(run_aune: Aune) -> None:
    code, out, _ = run_aune("score", "coref", "key.txt", "first=a.txt", "b.txt", "-m", "muc")
    assert code == 0 and out.split("\n")[1].split() == ["measure", "value", "first", "b"]


def test_measures_in_several_ways(run_aune: Aune) -> None:
    code, out, _ = run_aune(
        "score", "coref", "key.txt", "a.txt", "-m", "muc,macro(lea, by=document)", "-m", "mean(muc.f1, lea.f1)",
        "-f", "json",
    )  # fmt: skip
    names = [score["measure"] for score in json.loads(out)["scores"]]
    assert code == 0
    assert names == ["coref.muc", "macro(coref.lea,by=document)", "mean(coref.muc.f1,coref.lea.f1)"]


def test_all_measures(run_aune: Aune) -> None:
    _, out, _ = run_aune("score", "coref", "key.txt", "a.txt", "-m", "all", "--format", "jsonl")
    scores = [record for record in map(json.loads, out.splitlines()) if record["record"] == "score"]
    assert len(scores) >= 19


def test_options_of_the_task_and_its_measures(run_aune: Aune) -> None:
    _, out, _ = run_aune(
        "score", "coref", "key.txt", "a.txt", "-m", "b_cubed", "--singletons", "drop", "--weights=chain",
        "--convention", "partition", "-f", "json",
    )  # fmt: skip
    signature = json.loads(out)["scores"][0]["signature"]
    assert "singletons:drop" in signature and "weights:chain" in signature and "mentions:complete" in signature


def test_standard_input_as_key_and_as_response(run_aune: Aune, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (("key.txt", "-"), ("-", "a.txt"), ("key.txt", "in=-")):
        text = KEY if arguments[0] == "-" else RESPONSE
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(text.encode()))))
        code, out, err = run_aune("score", "coref", *arguments, "-m", "muc", "-f", "tsv")
        assert (code, err) == (0, "") and "\t0.5333333333333333\t" in out
    assert "\nin\t" in out


def test_standard_input_only_once(run_aune: Aune) -> None:
    assert run_aune("score", "coref", "-", "-") == (2, "", "aune: standard input (-) can be only one of the files\n")


def test_by_document(run_aune: Aune) -> None:
    code, out, _ = run_aune("score", "coref", "key.txt", "a.txt", "--by", "document", "-m", "muc")
    assert code == 0 and out.split("\n")[3].split() == ["document", "9", "44.44", "66.67", "53.33"]


def test_output_file_is_whole_and_alone(run_aune: Aune, here: Path) -> None:
    before = sorted(here.iterdir())
    code, out, err = run_aune("score", "coref", "key.txt", "a.txt", "-o", "scores.json")
    assert (code, out, err) == (0, "", "")
    assert json.loads((here / "scores.json").read_text())["schema"] == 2
    assert sorted(here.iterdir()) == sorted([*before, here / "scores.json"])
    run_aune("score", "coref", "key.txt", "a.txt", "-o", "scores.json")
    assert json.loads((here / "scores.json").read_text())["task"] == "coref"


def test_output_that_cannot_be_written(run_aune: Aune) -> None:
    assert run_aune("score", "coref", "key.txt", "a.txt", "-o", "no/where.json") == (
        2, "", "aune: no/where.json: there is no folder no: make it first\n",
    )  # fmt: skip


def test_output_to_a_dash_is_standard_output(run_aune: Aune, here: Path) -> None:
    code, out, _ = run_aune("score", "coref", "key.txt", "a.txt", "-m", "muc", "-f", "csv", "-o", "-")
    assert code == 0 and out.startswith("system,") and not (here / "-").exists() and len(list(here.iterdir())) == 3


def test_warnings_are_told_apart_from_results(run_aune: Aune, here: Path) -> None:
    (here / "twice.txt").write_text("1 2\n2 3\n11 12\n")
    code, out, err = run_aune("score", "coref", "key.txt", "twice.txt", "--duplicates", "first", "-f", "json")
    assert code == 0
    assert err == "aune: warning: twice: 1 repeated mention of the response dropped (--duplicates first)\n"
    assert json.loads(out)["warnings"] == ["twice: 1 repeated mention of the response dropped (--duplicates first)"]


# gates


@pytest.mark.parametrize("gate", ["conll.f1=0.6", "conll=0.6", "coref.conll.f1=60%", "muc.recall=0.4"])
def test_gates_that_hold(run_aune: Aune, gate: str) -> None:
    code, _, err = run_aune("score", "coref", "key.txt", "a.txt", "--fail-under", gate)
    assert (code, err) == (0, "")


def test_gates_that_fail(run_aune: Aune, here: Path) -> None:
    code, _, err = run_aune(
        "score", "coref", "key.txt", "a.txt", "b.txt", "--fail-under", "conll.f1=0.99", "--fail-under", "muc=0.9",
        "-o", "scores.json",
    )  # fmt: skip
    assert code == 1
    assert err == "aune: a: conll.f1 is 0.601316, worse than 0.99\naune: a: muc.f1 is 0.533333, worse than 0.9\n"
    assert (here / "scores.json").exists(), "the scores are written all the same"


def test_gates_know_which_way_is_better(run_aune: Aune) -> None:
    arguments = ("score", "coref", "key.txt", "a.txt", "-m", "variation_of_information,distribution,kappa")
    assert run_aune(*arguments, "--fail-under", "variation_of_information.vi=2").code == 0
    assert run_aune(*arguments, "--fail-under", "variation_of_information.vi=1.9").code == 1
    assert run_aune(*arguments, "--fail-under", "distribution=-0.9").code == 0
    assert run_aune(*arguments, "--fail-under", "distribution=0.1").code == 1


def test_an_undefined_value_does_not_pass(run_aune: Aune, here: Path) -> None:
    (here / "one.txt").write_text("1 2\n")
    code, _, err = run_aune("score", "coref", "one.txt", "one.txt", "-m", "kappa", "--fail-under", "kappa=0.1")
    assert (code, err) == (
        1,
        "aune: warning: one: the key itself is among the responses\n"
        "aune: one: kappa.kappa is undefined, worse than 0.1\n",
    )


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("lea=x", "aune: --fail-under lea=x: expected MEASURE.VALUE=NUMBER, such as conll.f1=0.7"),
        ("0.7", "aune: --fail-under 0.7: expected MEASURE.VALUE=NUMBER, such as conll.f1=0.7"),
        ("muc=nan", "aune: --fail-under muc=nan: expected MEASURE.VALUE=NUMBER, such as conll.f1=0.7"),
        ("kappa=1", "aune: --fail-under kappa: not among the values scored (muc.f1): add its measure with -m"),
    ],
)
def test_gates_that_cannot_be(run_aune: Aune, here: Path, gate: str, message: str) -> None:
    code, out, err = run_aune(
        "score", "coref", "key.txt", "a.txt", "-m", "muc", "--fail-under", gate, "-o", "scores.json"
    )
    assert (code, out, err) == (2, "", message + "\n")
    assert not (here / "scores.json").exists()


def test_a_bare_threshold_above_one_is_refused_for_values_shown_times_100(run_aune: Aune, here: Path) -> None:
    (here / "key.stm.txt").write_text("one two three four\n")
    (here / "bad.txt").write_text("uno two three\n")
    arguments = ("score", "speech", "key.stm.txt", "bad.txt", "--input-format", "lines", "-m", "wer", "--fail-under")
    code, out, err = run_aune(*arguments, "wer=60")
    assert (code, out) == (2, "")
    assert err == (
        "aune: --fail-under wer=60: wer.wer is shown × 100, so this is 6000 %: write 0.6, or 60%, "
        "or 6000% if that is meant\n"
    )
    assert run_aune(*arguments, "wer=60%").code == 0 and run_aune(*arguments, "wer=49%").code == 1
    assert run_aune(*arguments, "wer=150%").code == 0 and run_aune(*arguments, "wer=1").code == 0


def test_signatures_on_the_screen_and_in_files(run_aune: Aune, here: Path) -> None:
    arguments = ("score", "coref", "key.txt", "a.txt", "-m", "muc,b_cubed")
    out = run_aune(*arguments).out
    assert out.count("|v:") == 1 and "match:exact" not in out
    assert "match:exact" in run_aune(*arguments, "--signature", "long").out
    assert "|v:" not in run_aune(*arguments, "--signature", "none").out
    for name in ("table.txt", "table.tex", "table.md", "table.html"):
        run_aune(*arguments, "-o", name)
        assert "match:exact" in (here / name).read_text("utf-8"), name
    refused = run_aune(*arguments, "--signature", "short", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "aune: --signature short: acts on table, markdown, latex, html, not on json\n"
    two = ("key.txt", "a.txt", "b.txt")
    for command in (
        ("compare", "coref", *two),
        ("agreement", "coref", *two),
        ("score", "coref", *two, "--by", "chain"),
    ):
        assert "\nshort: " not in run_aune(*command).out, command
        assert "\nshort: " in run_aune(*command, "--signature", "long").out, command
        assert "|v:" not in run_aune(*command, "--signature", "none").out, command


# exit codes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("score corf key.txt a.txt", "unknown task 'corf': did you mean 'coref'?"),
        ("score coref key.txt", "expected at least one response to score"),
        ("score coref key.txt a.txt -m mucc", "unknown coref measure 'mucc': did you mean 'muc'?"),
        ("score coref key.txt a.txt --match fuzzy", "--match fuzzy: expected exact | partial | head"),
        ("score coref key.txt a.txt --by genre", "unknown attribute to group by 'genre': expected one of: document"),
        ("score coref key.txt a.txt --convention 1999", "unknown convention of coref '1999': expected one of: conll"),
        ("score coref key.txt a.txt --input-format conll", "unknown coref format 'conll': did you mean 'conllua'?"),
        ("score coref key.txt a.txt -f xml", "unknown output format 'xml': expected one of: table, json"),
        ("score coref key.txt a.txt a.txt a.txt", "two systems are called 'a': name them with name=path"),
        ("score coref key.txt a.txt --weights chain", "option 'weights' is one of coref.b_cubed, not of the measures"),
        ("explain xyz", "unknown name 'xyz': see aune list measures"),
        ("explain coref.mucc", "unknown coref measure 'mucc': did you mean 'muc'?"),
        ("validate coref", "expected at least one file to validate"),
        ("describe coref", "expected at least one file to describe"),
        (
            "convert coref key.txt out.xyz",
            "out.xyz: its name does not say the format: expected --to with one of brat, conll2012",
        ),
        ("convert coref key.txt out.xyz --to xyz", "unknown coref format 'xyz': expected one of: "),
        ("list measures corf", "unknown task 'corf': did you mean 'coref'?"),
    ],
)
def test_wrong_usage(run_aune: Aune, arguments: str, message: str) -> None:
    arguments_given = arguments.replace("a.txt --weights", "a.txt -m muc --weights").split()
    code, out, err = run_aune(*arguments_given)
    assert (code, out) == (2, "") and err.startswith(f"aune: {message}")


@pytest.mark.parametrize("arguments", ["score", "score coref", "nothing", "list nothing", "score coref a b --digits x"])
def test_wrong_usage_that_the_parser_sees(run_aune: Aune, arguments: str) -> None:
    code, _, _ = run_aune(*arguments.split())
    assert code == 2


def test_invalid_input(run_aune: Aune, here: Path) -> None:
    (here / "bad.txt").write_text("{1 2\n")
    code, out, err = run_aune("score", "coref", "nowhere.txt", "bad.txt", "--input-format", "partition", "-o", "x.json")
    assert (code, out) == (3, "") and not (here / "x.json").exists()
    lines = err.split("\n")
    assert lines[0].startswith("bad.txt:1:1: found '{1 2', expected chains in braces")
    assert lines[1].startswith("nowhere.txt: found no readable file (No such file or directory)")
    assert lines[2] == "aune: 2 problems in the input"


def test_nothing_to_score(run_aune: Aune, here: Path) -> None:
    (here / "none.txt").write_text("# nothing but a remark\n")
    code, _, err = run_aune("score", "coref", "none.txt", "a.txt", "--input-format", "partition")
    assert (code, err) == (4, "aune: none.txt contains no document: nothing to score\n")


def test_interruption_leaves_nothing(run_aune: Aune, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = sorted(here.iterdir())
    monkeypatch.setattr(Path, "replace", raise_interrupt)
    code, out, err = run_aune("score", "coref", "key.txt", "a.txt", "-o", "x.json")
    assert (code, out, err) == (130, "", "aune: interrupted, nothing is half written\n")
    assert sorted(here.iterdir()) == before


def test_an_internal_error_is_reported(run_aune: Aune, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.delenv("AUNE_DEBUG")
    monkeypatch.setattr("aune.evaluation.pipeline.evaluate", broken)
    code, _, err = run_aune("score", "coref", "key.txt", "a.txt")
    assert code == 70 and err.startswith("aune: internal error: ZeroDivisionError: oh\n")


# the other commands


def test_list(run_aune: Aune) -> None:
    _, out, _ = run_aune("list")
    assert re.search(r"^coref +Reference resolution", out, re.MULTILINE)
    _, out, _ = run_aune("list", "measures", "coref")
    assert re.search(r"^coref\.muc +recall, precision, f1 +MUC: the links .* Vilain et al\. 1995$", out, re.MULTILINE)
    _, out, _ = run_aune("list", "formats")
    assert re.search(r"^coref\.conll2012 +yes +yes +CoNLL-2012:", out, re.MULTILINE)
    _, out, _ = run_aune("list", "options", "coref")
    assert re.search(r"^coref +--only +- +text,… +keep mentions", out, re.MULTILINE)


def test_every_measure_and_format_is_listed_in_one_line(run_aune: Aune) -> None:
    from aune.contract import registry

    _, out, _ = run_aune("list", "measures")
    assert len(out.splitlines()) == 1 + sum(len(registry.measures(task)) for task in registry.task_names())


def test_explain(run_aune: Aune) -> None:
    _, out, _ = run_aune("explain", "coref.b_cubed")
    assert out.startswith("coref.b_cubed\n=============\n\nB³: how much")
    assert "Source: Bagga and Baldwin" in out and ">>> MEASURE" in out and "--weights" in out
    assert run_aune("explain", "b_cubed").out == out
    assert run_aune("explain", "coref.partition").out.startswith("Partition: one chain per line")
    assert run_aune("explain", "coref").out.startswith("Reference resolution")
    assert run_aune("explain", "mean(coref.muc,coref.lea)").out.startswith("mean(coref.muc.f1,coref.lea.f1)\n")


def test_explain_as_json(run_aune: Aune) -> None:
    measure, form = json.loads(run_aune("explain", "coref.muc", "--json").out)
    assert (measure["kind"], measure["name"], form["kind"]) == ("measure", "coref.muc", "format")
    assert [value["value"] for value in measure["values"]] == ["recall", "precision", "f1"]
    assert {"option", "default", "values", "what it does"} == set(measure["options"][0])
    assert json.loads(run_aune("explain", "ner.conll", "--json").out)[0]["name"] == "entities.conll"


def test_explain_a_name_that_is_a_measure_and_a_format(run_aune: Aune) -> None:
    _, out, _ = run_aune("explain", "coref.muc")
    assert out.startswith("coref.muc\n") and "\ncoref.muc, the format\n" in out


def test_validate(run_aune: Aune, here: Path) -> None:
    assert run_aune("validate", "coref", "key.txt", "a.txt") == (
        0, "key.txt: valid partition, 1 document\na.txt: valid partition, 1 document\n", "",
    )  # fmt: skip
    (here / "twice.txt").write_text("1 2\n2 3\n11 12\n")
    code, out, err = run_aune("validate", "coref", "key.txt", "twice.txt")
    assert (code, out) == (3, "key.txt: valid partition, 1 document\n")
    assert err == (
        "twice.txt:2:1: found token 2 of document 'document' in two chains, expected every span once: "
        "mend the file, or keep the first with --duplicates first, or merge the chains with --duplicates merge, "
        "or do as the CoNLL scorer with --duplicates conll\naune: 1 problem in the input\n"
    )
    code, out, err = run_aune("validate", "coref", "key.txt", "twice.txt", "nowhere.txt", "--json")
    good, bad, absent = json.loads(out)["files"]
    assert (code, err, good["valid"], good["format"], good["documents"]) == (3, "", True, "partition", 1)
    assert not bad["valid"] and (bad["problems"][0]["line"], bad["problems"][0]["severity"]) == (2, "error")
    assert not absent["valid"] and "nowhere.txt" in absent["problems"][0]["path"]


def test_validate_goes_on_after_what_cannot_be_read(run_aune: Aune, here: Path) -> None:
    (here / "bad.ne").write_text("<loc.fac> gare\n<kind> ministre </kind>\n<loc.moon> x </loc.moon>\n")
    code, _, err = run_aune("validate", "entities", "bad.ne")
    assert code == 3 and [line.split(" ", 1)[0] for line in err.splitlines()] == [
        "bad.ne:1:1:", "bad.ne:2:1:", "bad.ne:3:1:", "aune:",
    ]  # fmt: skip


def test_an_option_of_a_format_that_was_not_read(run_aune: Aune, here: Path) -> None:
    (here / "key.tsv").write_text("TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\nJean\tB-pers\tB-pers.ind\n")
    code, out, err = run_aune("score", "entities", "key.tsv", "key.tsv", "--column", "3")
    assert (code, out) == (2, "")
    assert err.endswith("aune: option 'column' is one of the formats conll, table, not of hipe, which was read\n")
    assert run_aune("score", "entities", "key.tsv", "key.tsv", "--columns", "3").code == 0


def test_convert(run_aune: Aune, here: Path) -> None:
    assert run_aune("convert", "coref", "key.txt", "out.jsonl") == (0, "", "")
    assert json.loads((here / "out.jsonl").read_text())["clusters"][0] == [[1, 1], [2, 2]]
    code, out, _ = run_aune("convert", "coref", "out.jsonl", "-", "--to", "partition")
    assert code == 0 and out.split("\n")[1:4] == KEY.split("\n")[:3]
    assert run_aune("score", "coref", "key.txt", "out.jsonl", "--fail-under", "conll=1").code == 0


def test_convert_says_what_is_lost(run_aune: Aune, here: Path) -> None:
    (here / "in.jsonl").write_text('{"doc_key": "d", "tokens": ["Ann", "her"], "clusters": [[[0, 0], [1, 1]]]}\n')
    code, _, err = run_aune("convert", "coref", "in.jsonl", "out.partition")
    assert code == 0 and err == "aune: warning: partition cannot represent tokens: 2 lost\n"


def test_describe(run_aune: Aune) -> None:
    code, out, _ = run_aune("describe", "coref", "key.txt", "mine=a.txt")
    assert code == 0 and out.split("\n")[1].split() == ["key", "mine"]
    assert re.search(r"^mentions +12 +9$", out, re.MULTILINE)
    assert re.search(r"^mentions per chain +4\.00 +3\.00$", out, re.MULTILINE)
    _, out, _ = run_aune("describe", "coref", "key.txt", "-f", "json")
    assert json.loads(out)["profiles"]["key"]["chains"] == 3
    for form in ("csv", "markdown", "latex", "html", "tsv"):
        assert "mentions per chain" in run_aune("describe", "coref", "key.txt", "-f", form).out


def test_help_and_version(run_aune: Aune) -> None:
    assert run_aune("--version").out == f"aune {aune.__version__}\n"
    code, out, _ = run_aune("--help")
    assert code == 0 and all(name in out for name in ("convert", "describe", "explain", "list", "score", "validate"))
    assert "--fail-under" in run_aune("score", "--help").out


def test_the_paper_s_tables_on_the_example_files(run_aune: Aune, examples: Path) -> None:
    folder = examples / "coref" / "paper-1999"
    if not folder.is_dir():
        pytest.skip("no examples here")
    measures = "muc,b_cubed,core,exclusive_core,entropy,kappa,overlap"
    expected = {
        ("key-1", "response-1"): [85, 79, 74, 49, 77, 50, 53, 59, 55, 37, -18, 76.5],
        ("key-2", "response-2a"): [0, 100, 20, 100, 0, 100, 20, 100, 30, 100, 0, 20],
        ("key-2", "response-2b"): [100, 89, 100, 50, 100, 44, 50, 50, 100, 0, 0, 50],
    }
    for (key, response), figures in expected.items():
        _, out, _ = run_aune(
            "score", "coref", str(folder / f"{key}.txt"), str(folder / f"{response}.txt"), "-m", measures,
            "--convention", "partition", "-f", "json",
        )  # fmt: skip
        found = [
            100 * number
            for score in json.loads(out)["scores"]
            for value, number in score["values"].items()
            if value != "f1"
        ]
        assert [
            round(number, 1) if figure == 76.5 else round(number) for number, figure in zip(found, figures, strict=True)
        ] == figures


# real processes, few of them


def process(*arguments: str, here: Path, **options: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **options}
    return subprocess.run([sys.executable, *arguments], capture_output=True, cwd=here, env=environment, check=False)


def test_help_is_quick_because_nothing_heavy_is_imported(here: Path) -> None:
    done = process("-X", "importtime", "-m", "aune", "--help", here=here)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.decode().splitlines()}
    assert done.returncode == 0 and b"score" in done.stdout
    assert "cyclopts" in imported and not imported & {"numpy", "scipy", "pandas", "rapidfuzz", "msgspec", "jinja2"}


def test_a_terminal_that_lacks_letters(here: Path) -> None:
    done = process("-m", "aune", "explain", "coref.kappa", here=here, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0 and b"\\u03ba: agreement on links" in done.stdout


def test_the_exit_code_is_the_process_s(here: Path) -> None:
    done = process("-m", "aune", "score", "coref", "nowhere.txt", "a.txt", here=here)
    assert done.returncode == 3 and done.stdout == b"" and b"Traceback" not in done.stderr


def test_key_and_response_in_the_wrong_order(run_aune: Aune, here: Path) -> None:
    (here / "gold.txt").write_text(KEY)
    err = run_aune("score", "coref", "a.txt", "gold.txt", "-m", "muc").err
    assert (
        err == "aune: warning: gold.txt is named like a key and a.txt is not: the key comes first, then the responses\n"
    )
    assert run_aune("score", "coref", "gold.txt", "a.txt", "-m", "muc").err == ""
    assert run_aune("score", "coref", "key.txt", "gold.txt", "-m", "muc").err == "", "both are named like keys"
