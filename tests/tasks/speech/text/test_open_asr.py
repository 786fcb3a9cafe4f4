"""The Open ASR Leaderboard: its tables, its normaliser on pairs of texts, and the errors of seven recognisers."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.tasks.speech.text.normalisation import Normaliser
from aune.tasks.speech.text.open_asr import COMPOUNDS, OTHERWISE, UNLISTED, names
from aune.tasks.speech.text.spelling import listed_spellings

BOARD = "open-asr@2026-08"
PARTS = 1 if os.environ.get("AUNE_FULL") else 6  # of the segments, one is scored in a usual run
SYSTEMS = ("microsoft", "rev_kaldi")


@pytest.fixture(scope="module", autouse=True)
def package() -> None:
    pytest.importorskip("whisper_normalizer", reason="whisper-normalizer is not installed")


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_tables_are_those_of_the_board(data: Path) -> None:
    tables = read(data / "speech" / "open-asr" / "tables-en.json")
    listed = listed_spellings("this test")
    assert names() == tables["names"]
    remaining = {word: spelling for word, spelling in listed.items() if word not in UNLISTED}
    assert remaining | OTHERWISE == tables["spellings"]
    patterns = {r"\b" + r"\s+".join(parts.split()) + r"\b": whole for parts, whole in COMPOUNDS.items()}
    assert patterns == dict(tables["compounds"])


def test_all_pairs_of_texts(data: Path) -> None:
    steps = Normaliser(BOARD)
    with gzip.open(data / "speech" / "open-asr" / "pairs-en.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            assert steps(pair["text"].split())[0] == pair["normalised"].split(), pair["text"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The B.B.C. has 5 G here, a i said U.H.F.", "the bbc has 5g here a i said uhf"),
        ("The company's wi-fi; it's Kathryn's e-mail", "the company s wifi it is catherine s email"),
        ("kinda, 'cause I dunno", "kinda cause i dunno"),
        ("ah, eh, OK, okay: mm", "okay okay"),
        ("at five p.m. the white paper", "at 5 pm the white paper"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert " ".join(Normaliser(BOARD)(text.split())[0]) == expected


def test_until_april_2026_the_rules_are_those_of_openai() -> None:
    steps, package = Normaliser("open-asr@2025"), Normaliser("whisper")
    spoken = "kinda sorta dunno 'cause it's the colour of Mr. Lee's twenty one theatres"
    text = spoken.split()
    assert " ".join(steps(text)[0]) == "kinda sorta dunno cause it is the color of mister lee is 21 theaters"
    assert " ".join(package(text)[0]).startswith("kind of sort of do not know because")


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_errors_of_recognisers(data: Path, system: str) -> None:
    """The board's totals with and without compounds; on a part of the segments, those of kaldialign."""
    key, response = {}, {}
    with gzip.open(data / "speech" / "earnings21" / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % PARTS == 0:
                segment = json.loads(line)
                key[str(number)] = segment["ref"]
                response[str(number)] = segment["hyps"].get(system, [])
    expected = read(data / "speech" / "open-asr" / "earnings21-segments.json")[system]
    for name, compounds in (("merged", True), ("plain", False)):
        counts = aune.score("speech", key, response, measures=["wer"], convention=BOARD, compounds=compounds)[
            "wer"
        ].counts
        total = counts["substitutions"] + counts["deletions"] + counts["insertions"]
        if PARTS == 1:
            assert total == expected[name]["total"]
            assert total + counts["correct"] - counts["insertions"] == expected[name]["ref_len"]
        else:
            assert total == kaldialign_total(key, response, compounds)


def kaldialign_total(key: dict[str, list[str]], response: dict[str, list[str]], compounds: bool) -> int:
    distance = pytest.importorskip("kaldialign", reason="kaldialign is not installed").edit_distance
    steps = Normaliser(BOARD)
    return sum(
        distance(steps(key[name])[0], steps(response[name])[0], merge_compounds=compounds)["total"] for name in key
    )
