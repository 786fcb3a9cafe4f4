"""Rankings under all combinations of choices, against each combination scored by itself."""

from __future__ import annotations

import gzip
import json
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pytest

import aune
from aune.cli import run
from aune.contract import registry
from aune.meta.robustness import _reversal_share, robustness

WNUT = Path(__file__).resolve().parents[2] / "../shared/data/entities/wnut17"
EARNINGS = Path(__file__).resolve().parents[2] / "../shared/data/speech/earnings21/segments.jsonl.gz"
GENERATOR = np.random.default_rng(7)
KEY = {f"d{number:02d}": [{1, 2, 3}, {4, 5}, {6}] for number in range(12)}


def damage_text(split: float, merge: float):
    """The key with chains split or merged."""
    response = {}
    for name in KEY:
        chains = [{1, 2}, {3}, {4, 5}, {6}] if GENERATOR.random() < split else [{1, 2, 3}, {4, 5}, {6}]
        response[name] = [{1, 2, 3, 4, 5}, {6}] if GENERATOR.random() < merge else chains
    return response


SYSTEMS = {"splits": damage_text(0.9, 0.0), "merges": damage_text(0.0, 0.9), "both": damage_text(0.4, 0.4)}
CHOICES = {
    "measures": ["muc", "b_cubed", "ceaf_e.precision", "lea"],
    "singletons": ["keep", "drop"],
    "mentions": ["conll", "complete"],
    "undefined": ["zero", "one"],
}


@pytest.fixture(scope="module")
def outcome():
    return robustness("coref", KEY, SYSTEMS, CHOICES)


def test_every_combination_is_that_of_a_plain_evaluation(outcome):
    """A second implementation: each combination is scored by itself."""
    for record in outcome.combinations:
        name, _, value = record["measures"].partition(".")
        known = registry.measure(name, "coref").options
        options = {choice: record[choice] for choice in CHOICES if choice != "measures"}
        acting = {choice: setting for choice, setting in options.items() if choice == "singletons" or choice in known}
        result = aune.evaluate("coref", KEY, SYSTEMS, measures=[name], **acting)
        values = {system: result[system, name][value or "f1"] for system in SYSTEMS}
        ordered = sorted(SYSTEMS, key=lambda system: -values[system])
        assert [round(values[name], 9) for name in record["order"]] == [round(values[name], 9) for name in ordered]


def test_shares_are_counted_over_the_combinations(outcome):
    ahead = {(pair.a, pair.b): pair for pair in outcome.pairs}
    assert [*ahead] == [*combinations(SYSTEMS, 2)]
    for pair in outcome.pairs:
        assert pair.a_significant <= pair.a_ahead and pair.b_significant <= pair.b_ahead
        assert pair.a_ahead + pair.b_ahead <= 1 + 1e-9
        assert pair.combinations == len(outcome.combinations) == outcome.settings["combinations"]


def test_an_option_that_does_not_act_makes_no_further_combination():
    """BLANC alone has sorts of links."""
    choices = {"measures": ["muc", "blanc"], "links": ["key", "either"]}
    outcome = robustness("coref", KEY, SYSTEMS, choices)
    assert [(record["measures"], record["links"]) for record in outcome.combinations] == [
        ("muc", "key"), ("blanc", "key"), ("blanc", "either")
    ]  # fmt: skip


def test_the_decisive_choice_reverses_most_orders(outcome):
    pair = outcome.pairs[0]
    assert pair.decisive == "measures"
    assert pair.reversals[0].share == max(reversal.share for reversal in pair.reversals)


def test_reversals_are_counted_over_pairs_that_differ_in_one_choice():
    signs = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, np.nan]])
    assert _reversal_share(signs, 1) == pytest.approx(2 / 4)
    assert _reversal_share(signs, 0) == pytest.approx(1 / 2)
    assert _reversal_share(np.full((2, 2), np.nan), 0) == 0.0


def test_runs_keys_and_units_are_choices_too():
    other_key = {name: [{1, 2}, {3}, {4, 5}, {6}] for name in KEY}
    systems = {"A": aune.Runs([SYSTEMS["splits"], KEY]), "B": SYSTEMS["merges"]}
    choices = {"key": [KEY, other_key], "run": ["mean", "1", "2"], "unit": ["document"], "measures": ["muc"]}
    outcome = aune.robustness("coref", KEY, systems, choices)
    assert outcome.settings["combinations"] == 6
    assert outcome.pairs[0].decisive in ("key", "run")
    with pytest.raises(aune.UsageError, match="run 3: expected mean, or a number from 1 to 2"):
        robustness("coref", KEY, systems, {"run": ["3"]})


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = {
    "coref": EXAMPLES / "coref/key.conll",
    "entities": EXAMPLES / "entities/key.conll",
    "tagging": EXAMPLES / "tagging/key.tsv",
    "speech": EXAMPLES / "speech/key.jsonl",
    "anaphora": EXAMPLES / "anaphora/key.tsv",
}


@pytest.mark.parametrize("task", registry.task_names())
def test_every_task_has_usual_choices_that_act(task):
    definition = registry.task(task)
    choices = definition.extras.usual_choices
    assert choices["measures"] and len(choices) > 1
    outcome = robustness(task, SMALL[task], {"A": SMALL[task], "B": SMALL[task]})
    assert outcome.settings["combinations"] > 4
    assert all(pair.a_ahead == pair.b_ahead == 0 for pair in outcome.pairs)


def test_a_choice_that_is_none_is_refused():
    with pytest.raises(aune.UsageError, match="colour"):
        robustness("coref", KEY, SYSTEMS, {"colour": ["red", "blue"]})
    with pytest.raises(aune.UsageError, match="expected choices with at least one value"):
        robustness("coref", KEY, SYSTEMS, {"measures": []})
    with pytest.raises(aune.UsageError, match="expected at least two systems"):
        robustness("coref", KEY, {"A": KEY}, CHOICES)


def test_the_command_ranks(tmp_path, capsys):
    examples = Path(__file__).resolve().parents[2] / "examples/tagging"
    arguments = ["robustness", "tagging", str(examples / "key.tsv"), str(examples / "neural.tsv"),
                 str(examples / "rules.tsv")]  # fmt: skip
    assert run([*arguments, "--choose", "measures=accuracy,kappa.kappa", "--figure", str(tmp_path / "f.vl.json")]) == 0
    assert "combinations of 1 choices" in capsys.readouterr().out
    assert "Share of " in (tmp_path / "f.vl.json").read_text()
    assert run([*arguments, "--choices", "usual", "--choose", "cases=words", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["choices"]["cases"] == ["words"]
    assert run([*arguments, "--choose", "nonsense"]) == 2


def segments(number: int) -> dict[str, list[dict[str, str]]]:
    """The first segments of Earnings-21, and what two recognisers heard."""
    sides: dict[str, list[dict[str, str]]] = {"key": [], "rev_kaldi": [], "speechmatics": []}
    with gzip.open(EARNINGS, "rt", encoding="utf-8") as lines:
        for line in islice(lines, number):
            segment = json.loads(line)
            name = {"id": f"{segment['doc']}-{int(segment['seg']):05d}", "document": segment["doc"]}
            for side, records in sides.items():
                words = segment["ref"] if side == "key" else segment["hyps"][side]
                records.append({**name, "text": " ".join(words)})
    return sides


@pytest.mark.skipif(not EARNINGS.exists(), reason="Earnings-21 is not here")
def test_conventions_reverse_two_recognisers_of_earnings_21(tmp_path):
    """Whisper's normalisation and that of the Open ASR Leaderboard disagree on who is ahead."""
    paths = {}
    for side, records in segments(6_000).items():
        paths[side] = tmp_path / f"{side}.jsonl"
        paths[side].write_text("".join(json.dumps(record) + "\n" for record in records))
    key = paths.pop("key")
    conventions = ["whisper", "open-asr@2026-08"]
    outcome = robustness("speech", key, paths, {"convention": conventions, "measures": ["wer"]})
    assert [record["order"][0] for record in outcome.combinations] == ["rev_kaldi", "speechmatics"]
    assert outcome.pairs[0].decisive == "convention"


@pytest.mark.skipif(not WNUT.exists(), reason="the systems of WNUT 2017 are not here")
def test_the_ranking_of_wnut_depends_on_the_measure():
    """UH-RITUAL and Arcada change places with the measure and with what counts as a match."""
    systems = {path.stem: path for path in sorted(WNUT.glob("*.conll")) if "gold" not in path.stem}
    outcome = robustness("ner", WNUT / "gold.conll", systems, "usual")
    pair = next(pair for pair in outcome.pairs if (pair.a, pair.b) == ("arcada", "uh_ritual"))
    assert pair.decisive == "measures" and 0 < pair.a_ahead < pair.b_ahead
    assert next(pair for pair in outcome.pairs if pair.b == "drexel_cci").a_ahead == 1.0
