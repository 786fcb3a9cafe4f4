"""NIST's own expected outputs: the counts of every utterance, from the alignments (.pra) that sclite printed.

Not supported, and why: test1b and test1c (weights from a language model or a list), test2, test4, test5 and test6 (the
Unix diff instead of dynamic programming), test7_1 to test7_4, test11 and test12 (inferring word boundaries from a
lexicon), test9 and test10 (text in the GB encoding, not Unicode), test13 (two ctm files cut at common pauses, or
aligned by time). test1a, test1d and test3c are other reports of the same scores, test16_1 is refused by sclite itself.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import aune

CASE = {"normalise": "case", "optional": False}
MISSING = ["-missall", "-missfile1", "-missfile1chanA", "-missfile1chanb", "-missfile2", "-missfile2chanA",
           "-missfile2chanB", ""]  # fmt: skip
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "test1": ("csrnab.ref", "csrnab.hyp", {**CASE, "ids": "wsj"}),
    "test1e": ("csrnab.ref", "csrnab.hyp", {**CASE, "ids": "wsj"}),
    "test3": ("lvc_ref.stm", "lvc_hyp.ctm", CASE),
    "test3a": ("lvc_refe.stm", "lvc_hyp.ctm", CASE),
    "test7": ("tests.ref", "tests.hyp", {"normalise": "case", "fragments": True}),
    "test7_r": ("tests.hyp", "tests.ref", {"normalise": "case", "fragments": True}),
    "test7_noD": ("tests.ref", "tests.hyp", {**CASE, "fragments": True}),
    "test7_5": ("tests.ref", "tests.hyp", {**CASE, "normalise": "case,hyphens,characters"}),
    "test7_6": ("tests.ref", "tests.hyp", {"normalise": "case", "fragments": True}),
    **{
        f"test7-{form}": (f"tests.ref.{form}", f"tests.hyp.{form}", {"fragments": True})
        for form in ("utf8-2bytes", "utf8-3bytes", "utf8-4bytes")
    },
    "test8": ("csrnab1.ref", "csrnab1.hyp", {**CASE, "normalise": "case,characters"}),
    "test14_a": ("lvc_refr.stm", "lvc_hypr.ctm", {**CASE, "reduce": "both"}),
    "test14_b": ("lvc_ref.stm", "lvc_hypr.ctm", {**CASE, "reduce": "both"}),
    "test14_c": ("lvc_refr.stm", "lvc_hyp.ctm", {**CASE, "reduce": "both"}),
    "test14_d": ("lvc_refr.stm", "lvc_hypr.ctm", {**CASE, "reduce": "response"}),
    "test14_e": ("lvc_refr.stm", "lvc_hypr.ctm", {**CASE, "reduce": "key"}),
    "test15_a": ("test.cantonese.stm", "test.cantonese.ctm", CASE),
    "test15_b": ("test.cantonese.stm", "test.cantonese.ctm", {**CASE, "normalise": "case,hyphens,ideograms"}),
    "test15_c": ("test.turkish.ref", "test.turkish.hyp", CASE),
    "test15_d": ("test.ukranian.ref", "test.ukranian.hyp", CASE),
    **{
        f"test16_{n}": ("stm2ctm_missing.ref.stm", f"stm2ctm_missing.hyp{which}.ctm", CASE)
        for n, which in enumerate(MISSING, 2)
    },
    "test17": ("test.vietnamese.ref.trn", "test.vietnamese.hyp.trn", CASE),
}
PRA = re.compile(r"id: \((.*?)\)\n(?:.*\n)*?Scores: \(#C #S #D #I\) ([\d ]+)")


@pytest.fixture(scope="module")
def suite(data: Path) -> Path:
    return data / "speech" / "sctk-samples" / "sclite_testdata"


def score_sides(suite: Path, key: str, response: str, **options: Any) -> aune.Result:
    forms = {"key_format": "stm" if key.endswith("stm") else "trn"}
    forms |= {"response_format": "ctm" if response.endswith("ctm") else "trn"}
    return aune.score("speech", str(suite / key), str(suite / response), alignment="sclite", **forms, **options)


def utterance_counts(result: aune.Result) -> dict[str, tuple[int, ...]]:
    """Counts by the name that sclite gives to an utterance: its own, or the speaker and a number for segments."""
    rows = result["wer"].rows
    seen: Counter[str] = Counter()
    outcome = {}
    for row, name in enumerate(rows.attributes["utterance"]):
        if "labels" in rows.attributes:
            speaker = rows.attributes["speaker"][row].lower()
            name = f"{speaker}-{seen[speaker]:03d}"
            seen[speaker] += 1
        outcome[name] = tuple(int(count) for count in rows.matrix[row])
    return outcome


@pytest.mark.parametrize("case", CASES)
def test_every_utterance_has_the_counts_of_sclite(case: str, suite: Path) -> None:
    key, response, options = CASES[case]
    printed = (suite / "base" / f"{case}.pra").read_text("utf-8")
    expected = {name.lower(): tuple(map(int, counts.split())) for name, counts in PRA.findall(printed)}
    assert len(expected) > 1
    assert utterance_counts(score_sides(suite, key, response, measures=["wer"], **options)) == expected


def test_confidences_change_nothing(suite: Path) -> None:
    """test3b prints percentages only: 56.9 30.4 12.7 9.6 52.7 98.4."""
    result = score_sides(suite, "lvc_ref.stm", "lvc_hypc.ctm", measures=["wer", "sentence_error"], **CASE)
    wer = result["wer"]
    rates = [wer.recognition, wer.substitutions, wer.deletions, wer.insertions, wer.wer, result["sentence_error"].rate]
    assert " ".join(f"{100 * rate:.1f}" for rate in rates if rate is not None) == "56.9 30.4 12.7 9.6 52.7 98.4"


def test_extra_recordings_are_told(suite: Path) -> None:
    """test16_1: sclite refuses; aune says what is left out."""
    result = score_sides(suite, "stm2ctm_missing.ref.stm", "stm2ctm_missing.hyp-extra.ctm", measures=["wer"], **CASE)
    assert any("9999" in note and "not in the key, ignored" in note for note in result.warnings)


def test_the_marked_utterances_are_left_out_with_a_warning(suite: Path) -> None:
    result = score_sides(suite, "lvc_refe.stm", "lvc_hyp.ctm", measures=["wer"], **CASE)
    assert any("3 utterances are marked as not to be scored" in note for note in result.warnings)


@pytest.mark.parametrize("name", ["lvc_refe.stm", "lvc_refe.notag.stm", "lvc_refe.notag.noat.stm"])
def test_sample_files_are_recognised(name: str, data: Path) -> None:
    folder = data / "speech" / "sctk-samples"
    result = aune.score("speech", str(folder / name), str(folder / "lvc_hyp.ctm"), normalise="case")
    assert result.inputs[0].format == "stm" and result.inputs[1].format == "ctm"
    assert 0.4 < (result["wer"].wer or 0) < 0.7
