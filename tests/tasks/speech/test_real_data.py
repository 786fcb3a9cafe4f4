"""Known figures on real corpora: Earnings-21 calls, and the French triplets of HATS."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import aune
from aune.tasks.speech.atene.harm import harm
from aune.tasks.speech.atene.projection import project_trees
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.model import outermost_entities
from tests.tasks.speech.strategies import tiny_model
from tests.tasks.speech.test_downstream import consonants, letters, pair_sides, slow_place

NAMED = {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "EVENT"}


@pytest.fixture(scope="module")
def calls(data: Path) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    key, response = [], []
    with gzip.open(data / "speech" / "earnings21" / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            segment = json.loads(line)
            if segment["eval10"]:
                entities = [
                    (entity["start"], entity["end"], entity["type"])
                    for entity in segment["entities"]
                    if entity["type"] in NAMED
                ]
                key.append({"words": segment["ref"], "entities": entities, "document": segment["doc"]})
                response.append({"words": segment["hyps"]["google"]})
    return key, response


def test_earnings_calls(calls: tuple[list[dict[str, object]], list[dict[str, object]]], data: Path) -> None:
    known = json.loads((data / "speech" / "earnings21" / "ner_baseline.json").read_text())["systems"]["google"]
    result = aune.score("speech", *calls, measures=["wer", "ne_wer", "story_wer"], normalise="case")
    assert 100 * (result["wer"].wer or 0) == pytest.approx(known["WER"], abs=0.02)
    entities = result["ne_wer"]
    outcome = 100 * ((entities.substitutions or 0) + (entities.deletions or 0))
    assert outcome == pytest.approx(known["NE_WER(S+D on entity words)"], abs=0.5)
    assert len(result["story_wer"].by("document")) == 11


def test_numbers_must_be_normalised(calls: tuple[list[dict[str, object]], list[dict[str, object]]]) -> None:
    """`twenty one` and `21` are one thing: the error rate falls."""
    plain, spelled = (
        aune.score("speech", *calls, measures=["wer"], normalise=chain)["wer"].wer for chain in ("case", "en")
    )
    assert plain is not None and spelled is not None and spelled < 0.85 * plain


def test_words_out_of_a_vocabulary(
    calls: tuple[list[dict[str, object]], list[dict[str, object]]], tmp_path: Path
) -> None:
    """Words that the first five calls do not have are wrong more often; with the others they are all words."""
    key, response = calls
    first = sorted({str(item["document"]) for item in key})[:5]
    known = {word.lower() for item in key if item["document"] in first for word in cast("list[str]", item["words"])}
    path = tmp_path / "vocabulary.txt"
    path.write_text("\n".join(sorted(known)))
    later = [place for place, item in enumerate(key) if item["document"] not in first]
    sides = [key[place] for place in later], [response[place] for place in later]
    result = aune.score("speech", *sides, measures=["wer", "oov_wer"], normalise="case", vocabulary=str(path))
    whole, apart = result["wer"], result["oov_wer"]
    words = [word.lower() for side in sides[0] for word in cast("list[str]", side["words"])]
    assert apart.counts["unknown"] == sum(word not in known for word in words)
    assert apart.counts["known"] == sum(word in known for word in words)
    assert (apart.oov_wer or 0) > (whole.wer or 0) > 0


@pytest.mark.parametrize("shown", [letters, consonants])
def test_entities_are_projected_where_the_slow_search_puts_them(
    calls: tuple[list[dict[str, object]], list[dict[str, object]]], shown: Callable[[Sequence[str]], list[str]]
) -> None:
    """The entities of a real call on a real transcript of it."""
    rows = [place for place, call in enumerate(calls[0]) if call["document"] == calls[0][0]["document"]]
    key, response = ([{"id": str(place), **side[place]} for place in rows] for side in calls)
    comparison = compare(pair_sides(key, response))
    found = project_trees(comparison, comparison.alignment("similar"), shown, lambda label: False)
    answers, starts = comparison.alignment("similar").answers.tolist(), comparison.alignment("similar").key.starts
    firsts = comparison.alignment("similar").response.starts.tolist()
    placed = 0
    for unit, (expected, heard) in enumerate(comparison.pairs):
        own_value = [
            answer - firsts[unit] if answer >= 0 else -1 for answer in answers[starts[unit] : starts[unit + 1]]
        ]
        last = 0
        for entity, place in zip(outermost_entities(expected.entities), found[unit], strict=True):
            slow = slow_place(
                list(expected.words), list(heard.words), own_value, (entity.start, entity.end), last, shown
            )
            assert slow in (None, (place.start, place.end))
            placed += slow is not None
            last = place.end
    assert placed > 50


def test_labels_chosen_from_real_calls(
    calls: tuple[list[dict[str, object]], list[dict[str, object]]],
) -> None:
    """NE-WER of the organisations is that of a key where nothing else is marked."""
    key, response = ([*side[:1500]] for side in calls)
    only = [{**item, "entities": [e for e in cast("list[Any]", item["entities"]) if e[2] == "ORG"]} for item in key]
    chosen, alone = (
        aune.score("speech", expected, response, measures=["ne_wer"], normalise="case", **options)["ne_wer"]
        for expected, options in ((key, {"labels": ("ORG",)}), (only, {}))
    )
    assert chosen.counts == alone.counts and chosen.counts["correct"] > 100


def test_words_put_in_inside_real_entities(
    calls: tuple[list[dict[str, object]], list[dict[str, object]]],
) -> None:
    key, response = ([{"id": str(place), **item} for place, item in enumerate(side[:1500])] for side in calls)
    comparison = compare(pair_sides(key, response))
    kinds = zip(harm(comparison, tiny_model()).kind, comparison.alignment("similar").kind.tolist(), strict=True)
    inside = sum(kind == "split name" for kind, what in kinds if what == 2)
    counts = aune.score("speech", key, response, measures=["ne_wer"])["ne_wer"].counts
    assert inside == counts["insertions"] > 0


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
