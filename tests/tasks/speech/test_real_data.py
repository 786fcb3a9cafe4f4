"""Known figures on real corpora: Earnings-21 calls, and the French triplets of HATS."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import aune

NAMED = {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "EVENT"}


@pytest.fixture(scope="module")
def calls(data: Path) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    key, response = [], []
    with gzip.open(data / "speech" / "earnings21" / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            segment = json.loads(line)
            if segment["eval10"]:
                entities = [
                    (one["start"], one["end"], one["type"]) for one in segment["entities"] if one["type"] in NAMED
                ]
                key.append({"words": segment["ref"], "entities": entities, "document": segment["doc"]})
                response.append({"words": segment["hyps"]["google"]})
    return key, response


def test_earnings_calls(calls: tuple[list[dict[str, object]], list[dict[str, object]]], data: Path) -> None:
    known = json.loads((data / "speech" / "earnings21" / "ner_baseline.json").read_text())["systems"]["google"]
    result = aune.score("speech", *calls, measures=["wer", "ne_wer", "story_wer"], normalise="case")
    assert 100 * (result["wer"].wer or 0) == pytest.approx(known["WER"], abs=0.02)
    entities = result["ne_wer"]
    found = 100 * ((entities.substitutions or 0) + (entities.deletions or 0))
    assert found == pytest.approx(known["NE_WER(S+D on entity words)"], abs=0.5)
    assert len(result["story_wer"].by("document")) == 11


def test_numbers_must_be_normalised(calls: tuple[list[dict[str, object]], list[dict[str, object]]]) -> None:
    """`twenty one` and `21` are one thing: the error rate falls."""
    plain, spelled = (
        aune.score("speech", *calls, measures=["wer"], normalise=chain)["wer"].wer for chain in ("case", "en")
    )
    assert plain is not None and spelled is not None and spelled < 0.85 * plain


def test_people_and_measures_on_french_triplets(data: Path) -> None:
    """On unanimous triplets: WER 63 %, CER 77 %, as published."""
    with (data / "speech" / "hats-fr" / "hats.txt").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = [row for row in rows if 0 in (int(row["nbrA"]), int(row["nbrB"]))]
    key = [row["reference"] for row in rows]
    systems = {"A": [row["hypA"] for row in rows], "B": [row["hypB"] for row in rows]}
    result = aune.evaluate("speech", key, systems, measures=["wer", "cer"])
    votes = np.array([int(row["nbrA"]) > 0 for row in rows])
    for name, published in (("wer", 63), ("cer", 77)):
        a, b = (
            np.array([values[name] for values in result[system, name].by("utterance").values()], float)
            for system in "AB"
        )
        right = np.where(votes, a < b, b < a).mean()
        assert round(100 * right) == pytest.approx(published, abs=1)
