from __future__ import annotations

import csv
import gzip
import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import aune
from aune.cli import run
from aune.meta.impact import MEAN, Score, best_predictors, impact, increases, read_scores

DATA = Path(os.environ.get("AUNE_DATA", Path(__file__).parents[3] / "shared" / "data"))
BASELINE = DATA / "speech" / "earnings21" / "ner_baseline.json"


def simulate_systems(seed=1, documents=15, systems=6, takers=7):
    """Seven downstream systems whose quality follows one of two upstream measures."""
    generator = np.random.default_rng(seed)
    quality = generator.random((documents, systems))
    above = [
        Score(f"asr{s}", measure, 50 * (1 - quality[d, s]) + noise * generator.normal(), f"show{d}", better="lower")
        for measure, noise in (("good", 3.0), ("bad", 30.0))
        for d in range(documents)
        for s in range(systems)
    ]
    below = [
        Score(f"asr{s}", "f1", quality[d, s] + 0.1 * generator.normal(), f"show{d}", f"ner{t}")
        for t in range(takers)
        for d in range(documents)
        for s in range(systems)
    ]
    return above, below


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_tables_5_3_to_5_8(coefficient):
    """Per document and downstream system, then the mean over documents, then over downstream systems."""
    above, below = simulate_systems()
    entries = impact(above, below, coefficient=coefficient, draws=300)
    function = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}[coefficient]
    known = {(entry.measure, entry.downstream, entry.document, entry.system): entry.score for entry in [*above, *below]}
    for measure in ("good", "bad"):
        means = []
        for taker in range(7):
            each = [
                function(
                    [-known[measure, "", f"show{d}", f"asr{s}"] for s in range(6)],
                    [known["f1", f"ner{taker}", f"show{d}", f"asr{s}"] for s in range(6)],
                ).statistic
                for d in range(15)
            ]
            means.append(np.mean(each))
            ours = next(entry for entry in entries if (entry.measure, entry.downstream) == (measure, f"ner{taker}"))
            assert ours.correlation == pytest.approx(means[-1])
            assert ours.ci[0] <= ours.correlation <= ours.ci[1]
            assert (ours.documents, ours.systems) == (15, 6)
        overall = next(entry for entry in entries if (entry.measure, entry.downstream) == (measure, MEAN))
        assert overall.correlation == pytest.approx(np.mean(means))
        assert overall.ci[0] < overall.correlation < overall.ci[1]
    assert set(best_predictors(entries).values()) == {"good"}


def test_scores_best_when_low_are_turned():
    above = [Score(s, "wer", x, better="lower") for s, x in zip("ABCD", (1, 2, 3, 4), strict=True)]
    below = [Score(s, "eter", x, downstream="t", better="lower") for s, x in zip("ABCD", (1, 2, 3, 4), strict=True)]
    assert impact(above, below)[0].correlation == 1.0


def test_pae():
    """Eq. 5.2, with counts summed over documents."""
    rows = [("REF", "d1", 10), ("REF", "d2", 10), ("A", "d1", 15), ("A", "d2", 10), ("B", "d1", 5), ("B", "d2", 5)]
    below = [Score(s, "insertions", n, d, "tagger") for s, d, n in rows]
    by_name = {entry.system: entry for entry in increases([Score("A", "wer", 20.0)], below, "REF")}
    assert {name: entry.pae for name, entry in by_name.items()} == {"A": 25.0, "B": -50.0}
    assert by_name["A"].upstream == {"wer": 20.0}
    none = increases([], [Score("REF", "x", 0, downstream="t"), Score("A", "x", 3, downstream="t")], "REF")
    assert none[0].pae is None


@given(
    st.lists(
        st.tuples(st.sampled_from("MAB"), st.sampled_from("de"), st.integers(0, 9)),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
def test_growth_of_errors_count_by_count(rows):
    """Eq. 5.2 with fractions: counts summed over the documents that a system has."""
    totals = {name: sum(number for system, _, number in rows if system == name) for name in "MAB"}
    below = [Score(system, "insertions", number, document, "T") for system, document, number in rows]
    if not any(system == "M" for system, _, _ in rows):
        return
    for entry in increases([], below, "M"):
        grown = Fraction(totals[entry.system] - totals["M"]) / totals["M"] * 100 if totals["M"] else None
        assert entry.pae == (None if grown is None else pytest.approx(float(grown)))


def tidy(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "measure", "score", "downstream", "better"])
        writer.writerows(rows)


@pytest.mark.skipif(not BASELINE.exists(), reason="needs earnings21 of ../shared/data")
def test_seven_recognisers_of_earnings21(tmp_path, capsys):
    """Which of WER and NE-WER orders the recognisers as an entity tagger does on their output: NE-WER."""
    data = json.loads(BASELINE.read_text())
    rows = []
    for system, scores in data["systems"].items():
        rows.append([system, "WER", scores["WER"], "", "lower"])
        rows.append([system, "NE-WER", scores["NE_WER(S+D on entity words)"], "", "lower"])
        rows.append([system, "F", scores["F"], "tagger", "higher"])
        outcome = data["gold_entities"] * scores["R"] / 100
        rows.append([system, "missed", data["gold_entities"] - outcome, "tagger", "lower"])
        rows.append([system, "spurious", outcome * (100 / scores["P"] - 1), "tagger", "lower"])
    tidy(tmp_path / "scores.csv", rows)
    arguments = ["meta", "impact", str(tmp_path / "scores.csv"), "--target", "F", "--manual", "REF"]
    assert run([*arguments, "--pae", "missed,spurious", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    table = {entry["measure"]: entry for entry in shown["impact"] if entry["downstream"] == "tagger"}
    systems = [name for name in data["systems"] if name != "REF"]
    for measure, column in (("WER", "WER"), ("NE-WER", "NE_WER(S+D on entity words)")):
        expected = stats.spearmanr(
            [-data["systems"][name][column] for name in systems], [data["systems"][name]["F"] for name in systems]
        ).statistic
        assert table[measure]["correlation"] == pytest.approx(expected)
        assert table[measure]["systems"] == 7
    assert table["NE-WER"]["correlation"] > table["WER"]["correlation"]
    assert shown["best"] == {"tagger": "NE-WER", "mean": "NE-WER"}
    assert {(entry["system"], entry["error"]) for entry in shown["pae"]} == {
        (s, e) for s in systems for e in ("missed", "spurious")
    }
    assert all(entry["pae"] > 0 for entry in shown["pae"] if entry["error"] == "missed")
    assert run([*arguments, "--pae", "missed,spurious"]) == 0
    assert "best for tagger: NE-WER" in capsys.readouterr().out


@pytest.mark.skipif(not BASELINE.exists(), reason="needs earnings21 of ../shared/data")
def test_earnings21_with_the_scores_of_aune(tmp_path, capsys):
    """Upstream scored by aune's own word error rates; downstream the tagger's F on each type of entity."""
    pytest.importorskip("aune.tasks.speech.model", reason="needs the speech task")
    data = json.loads(BASELINE.read_text())
    systems = [name for name in data["systems"] if name != "REF"]
    with gzip.open(BASELINE.parent / "segments.jsonl.gz", "rt", encoding="utf-8") as file:
        segments = [item for item in map(json.loads, file) if item["eval10"]]

    def texts(words):
        return {
            f"{segment['doc']}-{segment['seg']}": {"text": " ".join(words(segment)).lower(), "document": segment["doc"]}
            for segment in segments
        }

    key = texts(lambda entry: entry["ref"])
    responses = {name: texts(lambda this_item, name=name: this_item["hyps"].get(name, [])) for name in systems}
    result = aune.evaluate("speech", key, responses, measures=["wer"])
    for name in systems:
        assert 100 * result[name, "wer"].wer == pytest.approx(data["systems"][name]["WER"], abs=0.05)
    (tmp_path / "asr.json").write_text(result.to_json())
    types = [kind for kind in data["systems"]["REF"]["by_type_F"] if kind != "PROD"]
    rows = [[name, "F", data["systems"][name]["by_type_F"][kind], kind, "higher"] for name in systems for kind in types]
    tidy(tmp_path / "ner.csv", rows)
    assert run(["meta", "impact", str(tmp_path / "asr.json"), str(tmp_path / "ner.csv"), "--format", "json"]) == 0
    shown = {item["downstream"]: item for item in json.loads(capsys.readouterr().out)["impact"]}
    each = []
    for kind in types:
        scores = [data["systems"][name]["by_type_F"][kind] for name in systems]
        each.append(stats.spearmanr([-result[name, "wer"].wer for name in systems], scores).statistic)
        assert shown[kind]["correlation"] == pytest.approx(each[-1])
    assert shown["mean"]["correlation"] == pytest.approx(np.mean(each))


def test_results_of_aune_are_read(tmp_path, capsys):
    """Upstream and downstream given as results of aune score."""
    key = {name: [{1, 2, 3}, {4, 5}] for name in "abc"}
    systems = {
        "good": key,
        "fair": {name: [{1, 2}, {3}, {4, 5}] for name in key},
        "poor": {name: [{1}, {2}, {3}, {4}, {5}] for name in key},
    }
    up = aune.evaluate("coref", key, systems, measures=["b_cubed", "variation_of_information"], convention="partition")
    down = aune.evaluate("coref", key, systems, measures=["ceaf_e"], convention="partition")
    (tmp_path / "up.json").write_text(up.to_json(by="document"))
    (tmp_path / "down.json").write_text(down.to_json(by="document"))
    paths = [str(tmp_path / "up.json"), f"taker={tmp_path / 'down.json'}"]
    assert run(["meta", "impact", *paths, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["impact"]
    assert [
        (entry["measure"], entry["correlation"], entry["documents"])
        for entry in shown
        if entry["downstream"] == "taker"
    ] == [
        ("coref.b_cubed", 1.0, 3),
        ("coref.variation_of_information", 1.0, 3),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,measure\nA,wer\n", "1:1: found the columns system, measure, expected one called score"),
        ("system,measure,score\nA,wer,1\nB,wer,x\n", "3:1: found 'x' as score, expected a number"),
        ("system,measure,score,better\nA,wer,1,up\n", "2:1: found 'up' as better"),
        ('{"x": 1}', "expected a result of aune score"),
    ],
)
def test_bad_tables_are_told(tmp_path, text, message):
    path = tmp_path / "scores"
    path.write_text(text)
    with pytest.raises(aune.InputError, match=message):
        read_scores(str(path))


@pytest.mark.parametrize(("measure", "better"), [("WER", "lower"), ("ne_wer", "lower"), ("F1", "higher"),
                                                 ("eter.eter_i", "lower"), ("d_error", "zero")])  # fmt: skip
def test_what_is_better_is_known_by_name(tmp_path, measure, better):
    """A table that does not say it: nobody means that more errors are better."""
    path = tmp_path / "scores.csv"
    path.write_text(f"system,measure,score\nA,{measure},1\n")
    rows = []
    assert read_scores(str(path), tell=rows.append)[0].better == better
    assert not rows


def test_what_nobody_knows_is_told(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    lines = [f"{s},blue,{n},\n{s},f1,{n},T" for n, s in enumerate("ABC")]
    path.write_text("\n".join(["system,measure,score,downstream", *lines]) + "\n")
    assert run(["meta", "impact", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert "nothing says whether higher is better for blue" in err
    assert json.loads(out)["impact"][0]["correlation"] == 1.0
    assert run(["meta", "impact", str(path), "--lower", "blue", "--json"]) == 0
    out, err = capsys.readouterr()
    assert not err and json.loads(out)["impact"][0]["correlation"] == -1.0
    assert run(["meta", "impact", str(path), "--lower", "blu"]) == 2


def test_two_scores_of_the_same_are_refused(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    lines = [f"{s},wer,{n},\n{s},f1,{n},T" for n, s in enumerate("ABC")]
    path.write_text("\n".join(["system,measure,score,downstream", *lines, "A,wer,9,"]) + "\n")
    assert run(["meta", "impact", str(path)]) == 3
    assert "scores.csv:8:1: found a second score of A by wer" in capsys.readouterr().err
    above = [Score(s, "wer", 1.0) for s in "ABCA"]
    with pytest.raises(aune.UsageError, match="2 scores of A by wer: expected one"):
        impact(above, [Score(s, "f1", 1.0, downstream="t") for s in "ABC"])


def test_documents_without_a_correlation_are_told(tmp_path, capsys):
    """A mean over fewer documents is not the mean that the others have, and documents of one side are not compared."""
    path = tmp_path / "scores.csv"
    lines = ["system,measure,score,document,downstream"]
    for document in "xyz":
        for number, system in enumerate("ABC"):
            lines += [f"{system},wer,{number},{document},", f"{system},cer,{number * (document == 'x')},{document},"]
            lines += [f"{system},f1,{-number},{document},T"] if document != "z" else []
    path.write_text("\n".join(lines) + "\n")
    assert run(["meta", "impact", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "cer: 1 of 2 correlations left out of the means" in out and "wer: " not in out
    assert "documents with scores upstream only, left out: z" in err


def test_too_little_to_correlate():
    above = [Score(s, "wer", 1.0) for s in "AB"]
    below = [Score(s, "f1", 1.0, downstream="t") for s in "AB"]
    with pytest.raises(aune.UsageError, match="at least three"):
        impact(above, below)
    with pytest.raises(aune.UsageError, match="no score of a downstream system"):
        impact(above, [])
    with pytest.raises(aune.UsageError, match="several measures"):
        impact(above, [*below, Score("A", "recall", 1.0, downstream="t")])


def test_a_table_without_downstream_scores_is_told(tmp_path, capsys):
    tidy(tmp_path / "scores.csv", [["a", "WER", 10.0, "", "lower"]])
    assert run(["meta", "impact", str(tmp_path / "scores.csv")]) == 2
    assert "no scores of downstream systems" in capsys.readouterr().err


def test_the_experiment_of_the_thesis_as_one_command(tmp_path, capsys):
    """§5.6.3: per document and downstream system, both coefficients, symbolic systems apart, a second corpus."""
    orders = {"REN-1": (1, 2, 3, 4), "REN-6": (4, 3, 2, 1)}
    for corpus, documents in (("etape", "ab"), ("quaero", "c")):
        lines = ["system,measure,score,document,downstream,better"]
        for document in documents:
            for number, system in enumerate(("RAP-1", "RAP-2", "RAP-3", "RAP-4")):
                lines.append(f"{system},wer,{number},{document},,lower")
                lines += [f"{system},eter,{order[number]},{document},{taker},lower" for taker, order in orders.items()]
        (tmp_path / f"{corpus}.csv").write_text("\n".join(lines) + "\n")
    command = [
        "meta",
        "impact",
        str(tmp_path / "etape.csv"),
        "--corpus",
        f"quaero={tmp_path / 'quaero.csv'}",
        "--draws",
        "50",
    ]
    command += ["--coefficient", "spearman,kendall", "--group", "symbolic=REN-6", "--group", "statistical=REN-1"]
    assert run([*command, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["impact"]
    values = {(row["corpus"], row["coefficient"], row["downstream"]): row["correlation"] for row in rows}
    for corpus in ("", "quaero"):
        for coefficient in ("spearman", "kendall"):
            assert values[corpus, coefficient, "statistical"] == pytest.approx(1.0)
            assert (
                values[corpus, coefficient, "symbolic"] == values[corpus, coefficient, "REN-6"] == pytest.approx(-1.0)
            )
            assert values[corpus, coefficient, "mean"] == pytest.approx(0.0)
    assert run(command) == 0
    assert "quaero: kendall" in capsys.readouterr().out
    assert run([*command, "--group", "other=REN-9"]) == 2


def test_printed_means_are_those_of_their_lines():
    """Table 5.3: seven recognisers of entities, and the mean; REN-6 goes by rules, and is foretold as well."""
    table = {
        "WER": (0.57, 0.52, 0.29, 0.55, 0.51, 0.48, 0.53, 0.49),
        "NE-WER": (0.79, 0.68, 0.31, 0.64, 0.60, 0.67, 0.59, 0.61),
        "WIL": (0.47, 0.42, 0.23, 0.47, 0.46, 0.38, 0.45, 0.41),
        "ATENE": (0.70, 0.79, 0.47, 0.80, 0.64, 0.73, 0.71, 0.69),
        "ATENE affixes": (0.74, 0.82, 0.45, 0.77, 0.66, 0.78, 0.73, 0.71),
    }
    for *systems, mean in table.values():
        assert sum(systems) / 7 == pytest.approx(mean, abs=0.01)
    for name in ("ATENE", "ATENE affixes"):
        by_rules, others = table[name][5], [*table[name][:5], table[name][6]]
        assert by_rules > sum(others) / 6
