"""Real systems: the numbers of the official UD scorer, and those listed for the GRACE-like files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aune import Result, evaluate, score

METRICS = {
    "ud_tokens": "Tokens", "ud_sentences": "Sentences", "ud_words": "Words", "upos": "UPOS", "xpos": "XPOS",
    "feats": "UFeats", "all_tags": "AllTags", "all_tags(parts=universal)": "AllUTags", "lemmas": "Lemmas", "uas": "UAS",
    "las": "LAS", "clas": "CLAS", "mlas": "MLAS", "blex": "BLEX",
}  # fmt: skip
SYSTEMS = [
    "ArmParser",
    "HIT-SCIR-18",
    "IBM-NY",
    "LATTICE-18",
    "NLP-Cube",
    "Stanford-18",
    "UDPipe-Future",
    "Uppsala-18",
    "conll18-baseline",
]


@pytest.fixture(scope="module")
def sequoia(data: Path) -> tuple[Result, dict[str, Any]]:
    folder = data / "tagging" / "conll2018-fr_sequoia"
    files = {name: str(folder / f"{name}.conllu.gz") for name in SYSTEMS}
    result = evaluate("tagging", str(folder / "gold.conllu.gz"), files, measures=list(METRICS))
    return result, json.loads((folder / "reference_scores.json").read_text())


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("measure", METRICS)
def test_equal_to_the_official_scorer(sequoia: tuple[Result, dict[str, Any]], system: str, measure: str) -> None:
    result, reference = sequoia
    found, expected = result[system, measure], reference[system][METRICS[measure]]
    correct = found.counts["aligned" if measure == "ud_words" else "correct"]
    assert (correct, found.counts["key"], found.counts["response"]) == (
        expected["correct"],
        expected["gold"],
        expected["system"],
    )
    assert [round(found[name], 6) for name in ("precision", "recall", "f1")] == [
        expected[name] for name in ("p", "r", "f1")
    ]
    if not measure.startswith("ud_"):
        assert found.counts["aligned"] == expected["aligned"]
        assert found.accuracy == expected["correct"] / expected["aligned"]


def grace(data: Path, key: str, system: str, **options: Any) -> Any:
    folder = data / "tagging" / "grace-like"
    table = {"table": str(folder / options.pop("table"))} if "table" in options else {}
    return score(
        "tagging",
        str(folder / f"{key}.tsv"),
        str(folder / f"{system}.tsv"),
        measures=["precision_decision", "projection"],
        **table,
        **options,
    )


@pytest.mark.parametrize(
    ("key", "system", "options", "precision", "decision"),
    [
        ("gold", "sys1_perceptron_grace", {}, 0.934, 1.0),
        ("gold", "sys3_crf_grace_ambiguous", {}, 0.985, 0.897),
        ("gold", "sys4_lexicon_ambiguous", {}, 0.965, 0.538),
        ("gold", "sys2_crf_ftbtags", {"table": "table_ftb2grace.tsv"}, 0.989, 0.307),
        ("gold", "sys3b_crf_grace_single", {}, 0.947, 1.0),
        ("gold_surface", "sys5_spacytok_perceptron", {}, 0.913, 1.0),
        ("gold_surface", "sys6_spacytok_compounds", {}, 0.913, 1.0),
    ],
)
def test_precision_and_decision_as_listed(
    data: Path, key: str, system: str, options: dict[str, Any], precision: float, decision: float
) -> None:
    precision_decision = grace(data, key, system, **options)["precision_decision"]
    assert (round(precision_decision.precision, 3), round(precision_decision.decision, 3)) == (precision, decision)
    assert precision_decision.p_min <= precision_decision.p_mean <= precision_decision.p_max


def test_another_tokenisation_and_compounds_are_realigned(data: Path) -> None:
    other = grace(data, "gold_surface", "sys5_spacytok_perceptron")["precision_decision"]
    assert (other.counts["cases"], other.counts["noneval"]) == (9738, 91)
    compounds = grace(data, "gold_surface", "sys6_spacytok_compounds")
    assert compounds["precision_decision"].counts["noneval"] == 132, "41 words more, in 22 compounds"
    assert "par" in compounds["precision_decision"].details["not_evaluated"]
    by_parts = grace(data, "gold_surface", "sys6_spacytok_compounds", compounds="parts")["precision_decision"]
    assert by_parts.counts["noneval"] < 91


def test_relative_evaluation_of_the_other_tagset(data: Path) -> None:
    projection = grace(data, "gold", "sys2_crf_ftbtags", table="table_ftb2grace.tsv", tagset="grace")["projection"]
    assert projection.relative_decision == 1.0 and round(projection.relative_precision, 4) == 0.9628
    assert round(projection.precision, 3) == 0.989 and round(projection.decision, 3) == 0.307
    assert projection.counts["table_silences"] == 6959, "every silence comes from the table"
    details = projection.details
    assert details["never_used"] == ["DETWH", "I"] and details["without_entry"] == {} and not details["outside_tagset"]
    assert details["ambiguous"]["DET"] == 23 and "PONCT" not in details["ambiguous"]
    assert sum(details["silences_of_the_table"].values()) == 6959


def test_relative_evaluation_acts_on_every_measure(data: Path) -> None:
    folder = data / "tagging" / "grace-like"
    files = str(folder / "gold.tsv"), str(folder / "sys2_crf_ftbtags.tsv")
    options = {"table": str(folder / "table_ftb2grace.tsv"), "evaluation": "relative"}
    measures = ["precision_decision", "accuracy", "f_measure", "kappa", "operating_zone"]
    result = score("tagging", *files, measures=measures, **options)
    shares = [result["precision_decision"].precision, result["accuracy"].accuracy, result["f_measure"].f1]
    assert [round(share, 4) for share in shares] == [0.9628, 0.9628, 0.9628]
    assert round(result["kappa"].kappa, 4) == 0.9577 and result["operating_zone"].area == 0.0
    assert "NC" in result["f_measure"].by("tag") and "Ncms" not in result["f_measure"].by("tag")


def test_what_is_left_out_counts(data: Path) -> None:
    """About 2 % of the forms resisted realignment in GRACE; here 0.93 %, and they are no one's gain."""
    precision_decision = grace(data, "gold_surface", "sys5_spacytok_perceptron")["precision_decision"]
    assert round(100 * precision_decision.noneval, 2) == 0.93 and round(100 * precision_decision.overall, 2) == 90.47


def test_p_max_of_the_absolute_evaluation_is_what_the_relative_one_finds(data: Path) -> None:
    """A system with one tag per word: settling every silence at best is being right in its own tags."""
    pair = grace(data, "gold", "sys2_crf_ftbtags", table="table_ftb2grace.tsv")
    assert pair["precision_decision"].p_max == pytest.approx(pair["projection"].relative_precision)
