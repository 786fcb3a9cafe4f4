"""How well measures separate neighbours, against responses that are really damaged and against the paired t test."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.evaluation.pipeline import run_evaluation
from aune.meta.sensitivity import PERFECT, check_severities, damage_counts, sensitivity

KEY = {f"d{number:03d}": [{1, 2, 3}, {4, 5}, {6, 7, 8}] for number in range(60)}
RESPONSE = {name: [{1, 2}, {3}, {4, 5}, {6, 7, 8}] for name in KEY}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples/decisions"


def test_damaged_counts_are_those_of_damaged_documents():
    """The second implementation scores a response whose documents were really exchanged."""
    result = run_evaluation("coref", KEY, {PERFECT: KEY, "A": RESPONSE}, measures=["muc", "lea"]).result
    damaged, _ = damage_counts(result, "A", [0.1, 0.5], "document", 3)
    for severity, number in (("10 %", 6), ("50 %", 30)):
        rows = damaged[severity, "muc"].by("document")
        worse = {name for name, values in rows.items() if values["f1"] < 1}
        assert len(worse) == number
        mixed = {name: RESPONSE[name] if name in worse else chains for name, chains in KEY.items()}
        for measure in ("muc", "lea"):
            expected = aune.score("coref", KEY, mixed, measures=[measure])[measure].values
            assert damaged[severity, measure].values == pytest.approx(expected)


def test_steps_are_nested():
    result = run_evaluation("coref", KEY, {PERFECT: KEY, "A": RESPONSE}, measures=["muc"]).result
    damaged, _ = damage_counts(result, "A", [0.2, 0.4], "document", 1)
    fewer, more = ({name for name, values in damaged[step, "muc"].by("document").items() if values["f1"] < 1}
                   for step in ("20 %", "40 %"))  # fmt: skip
    assert fewer < more


def test_the_gain_in_standard_errors_is_that_of_the_paired_t_test():
    measures = ["macro(muc, by=document)", "muc"]
    outcome = sensitivity("coref", KEY, {"A": RESPONSE}, severities=[0.2, 0.4], measures=measures)
    assert outcome.warnings[0].endswith("an average over documents is left out")
    [entry] = outcome.separations
    values = [
        np.array([step["f1"] for step in outcome.result[name, "muc"].by("document").values()])
        for name in ("20 %", "40 %")
    ]
    expected = stats.ttest_rel(*values)
    assert entry.errors == pytest.approx(expected.statistic, rel=0.03)
    assert entry.separates == (expected.pvalue <= 0.05)


def test_a_measure_that_sees_nothing_saturates():
    """MUC sees no singletons: responses that add more and more of them are all perfect for it."""
    systems = {
        f"s{share}": {name: [*chains, {90}] if int(name[1:]) < share else chains for name, chains in KEY.items()}
        for share in (10, 25, 50)
    }
    outcome = sensitivity("coref", KEY, systems, measures=["b_cubed", "muc"])
    by_measure = {name: [entry for entry in outcome.separations if entry.measure == f"coref.{name}"]
                  for name in ("muc", "b_cubed")}  # fmt: skip
    assert [(entry.better, entry.worse) for entry in by_measure["muc"]] == [("s10", "s25"), ("s25", "s50")]
    assert all(entry.separates and entry.is_most_sensitive for entry in by_measure["b_cubed"])
    assert all(entry.saturates and entry.errors is None for entry in by_measure["muc"])


def test_what_cannot_be_separated_is_refused():
    with pytest.raises(aune.UsageError, match="too few for these steps"):
        sensitivity("coref", dict(list(KEY.items())[:10]), {"A": RESPONSE}, severities=[0.01, 0.02], measures=["muc"])
    few = sensitivity("coref", dict(list(KEY.items())[:3]), {"A": RESPONSE, "B": KEY}, measures=["muc"])
    assert few.separations[0].errors is None and not few.separations[0].separates
    assert "nothing can be shown with fewer than 5" in few.warnings[0]
    for wrong in ([0.1], [0.1, 2.0]):
        with pytest.raises(aune.UsageError, match="expected two severities or more"):
            check_severities(wrong)


def test_the_command_shows_the_steps(capsys):
    arguments = ["meta", "sensitivity", "speech", str(EXAMPLES / "test-key.jsonl"), str(EXAMPLES / "test-old.jsonl")]
    assert run([*arguments, "-m", "wer.wer,sentence_error", "--severities", "10%,40%", "-f", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [entry["better"] for entry in shown["separations"]] == ["10 %", "10 %"]
    assert run([*arguments, str(EXAMPLES / "test-new-1.jsonl"), "-m", "wer.wer"]) == 0
    assert "test-new-1 | test-old" in capsys.readouterr().out
    assert run([*arguments, str(EXAMPLES / "test-new-1.jsonl"), "--severities", "10%,40%"]) == 2
    assert run([*arguments, "--severities", "many"]) == 2
