"""Do measures prefer the transcript that people prefer? HATS, 1,000 French triplets (Bañeras-Roux et al. 2023, MIT).

Each triplet is a reference and two transcripts with errors; about seven people said which of the two is better. For
each measure: how often it prefers the one that most people prefer, a tie of the measure counting as a wrong answer
(and, in brackets, as half a right one): on all triplets, where 70 % of people agree, and on the unanimous ones.

    python benchmarks/hats.py

Needs the data (`AUNE_DATA`, or ../shared/data beside the repository), and gruut with its French lexicon for `per`.
"""

from __future__ import annotations

import csv
import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from aune import evaluate

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data")) / "speech" / "hats-fr"
PUBLISHED = {"wer": "63 53 49", "cer": "77 64 60", "per": "80 69 64"}
AGREEMENT = {"unanimous": 1.0, "70 %": 0.7, "all": 0.0}


class Triplet(NamedTuple):
    """A reference, two transcripts, and how many people preferred each."""

    reference: str
    first: str
    second: str
    for_first: int
    for_second: int


def triplets() -> list[Triplet]:
    with (DATA / "hats.txt").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Triplet(row["reference"], row["hypA"], row["hypB"], int(row["nbrA"]), int(row["nbrB"])) for row in rows]


def preferences(measures: list[str], judged: list[Triplet], **options: str) -> dict[str, np.ndarray]:
    """By measure, the value of the second transcript less that of the first, such that above 0 prefers the first."""
    key = {str(number): triplet.reference for number, triplet in enumerate(judged)}
    systems = {
        "first": {str(number): triplet.first for number, triplet in enumerate(judged)},
        "second": {str(number): triplet.second for number, triplet in enumerate(judged)},
    }
    result = evaluate("speech", key, systems, measures=measures, **options)
    differences = {}
    for name in measures:
        values = []
        for system in systems:
            score = result[system, name]
            rows = score.by("utterance")
            sign = -1 if score.measure.better == "higher" else 1
            values.append(np.array([sign * (rows[number][score.measure.headline] or 0.0) for number in key]))
        differences[name] = values[1] - values[0]
    return differences


def main() -> None:
    judged = triplets()
    votes = np.array([triplet.for_first - triplet.for_second for triplet in judged])
    share = np.array(
        [max(triplet.for_first, triplet.for_second) / (triplet.for_first + triplet.for_second) for triplet in judged]
    )
    measures = ["wer", "mer", "wil", "word_prf", "cer", "content_wer(stop=fr)"]
    columns = preferences(measures, judged)
    if find_spec("gruut") and find_spec("gruut_lang_fr"):
        columns |= preferences(["per"], judged, language="fr")
    print(f"{len(judged)} triplets" + "".join(f"{name:>20}" for name in AGREEMENT) + "   published")
    for name, difference in columns.items():
        cells = []
        for least in AGREEMENT.values():
            is_decided = (share >= least) & (votes != 0)
            right = np.sign(difference[is_decided]) == np.sign(votes[is_decided])
            half = right + 0.5 * (difference[is_decided] == 0)
            cells.append(f"{100 * right.mean():9.1f} ({100 * half.mean():5.1f})")
        print(f"{name:13}" + "".join(f"{cell:>20}" for cell in cells) + f"   {PUBLISHED.get(name, '')}")
    print("triplets:    " + "".join(f"{((share >= least) & (votes != 0)).sum():>20}" for least in AGREEMENT.values()))


if __name__ == "__main__":
    main()
