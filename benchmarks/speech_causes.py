"""What the errors of seven recognisers come from, on 44 earnings calls (Earnings-21, 19,523 segments).

    python benchmarks/speech_causes.py [--normalise none] [--sounds en] [--sample 200] [--every 1]
    python benchmarks/speech_causes.py --judged

Prints errors for 100 words of the key by cause and system; the causes add up to the word error rate. `--sample` prints
so many errors, drawn at random from all systems, for people to judge. `--judged` compares the causes with those that a
person gave to 200 errors, listed in `speech_causes_judged.tsv` by their places (numbers of words, from 0). Needs the
data (`AUNE_DATA`, or ../shared/data beside the repository), and gruut for `--sounds en`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aune.tasks.speech.alignment.words import DELETION, INSERTION
from aune.tasks.speech.causes import CAUSES, error_causes
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import errors_by_cause
from aune.tasks.speech.measures import causes as by_cause
from aune.tasks.speech.model import Entity, Utterance

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data")) / "speech" / "earnings21"
JUDGED = Path(__file__).with_name("speech_causes_judged.tsv")
NAMES = {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "EVENT"}


def utterances(every: int) -> tuple[list[Utterance], dict[str, list[Utterance]]]:
    """The keys with the entities that are names, and the responses of each system."""
    keys: list[Utterance] = []
    systems: dict[str, list[Utterance]] = {}
    with gzip.open(DATA / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every:
                continue
            segment = json.loads(line)
            name = f"{segment['doc']}-{segment['seg']:05d}"
            entities = tuple(
                Entity(entity["start"], entity["end"], entity["type"])
                for entity in segment["entities"]
                if entity["type"] in NAMES
            )
            keys.append(Utterance(name, segment["ref"], {"document": segment["doc"]}, entities))
            for system, words in segment["hyps"].items():
                systems.setdefault(system, []).append(Utterance(name, words))
    return keys, systems


def compare_with_judgements(sounds: str) -> None:
    """How many of the judged errors have the cause that a person gave them, and the others."""
    with JUDGED.open(encoding="utf-8") as file:
        judgements = list(csv.DictReader(file, delimiter="\t"))
    keys, systems = utterances(1)
    places = {key.id: place for place, key in enumerate(keys)}
    right: Counter[str] = Counter()
    for judgement in judgements:
        place = places[judgement["utterance"]]
        cause = cause_of_error(keys[place], systems[judgement["system"]][place], judgement, sounds)
        right[judgement["cause"]] += cause == judgement["cause"]
        if cause != judgement["cause"]:
            print(f"{judgement['system']} {judgement['utterance']}: {cause or 'no error'}, judged {judgement['cause']}")
    judged = Counter(judgement["cause"] for judgement in judgements)
    print(f"{right.total()} of {judged.total()} errors have the right cause ({right.total() / judged.total():.1%})")
    others, others_right = judged.total() - judged["case"], right.total() - right["case"]
    print(f"without those of case {others_right} of {others} ({others_right / others:.1%})")


def cause_of_error(key: Utterance, response: Utterance, judgement: Mapping[str, str], sounds: Any) -> str:
    """The cause of the error at the places of a judgement; '' where none is there."""
    alignment, causes = error_causes(compare([(key, response)]), sounds)
    for kind, key_at, response_at, cause in zip(
        alignment.kind.tolist(), alignment.key_at.tolist(), alignment.response_at.tolist(), causes, strict=True
    ):
        error = (
            "-" if kind == INSERTION else str(key_at),
            "-" if kind == DELETION else str(response_at),
        )
        if cause >= 0 and error == (judgement["key word"], judgement["response word"]):
            return CAUSES[cause]
    return ""


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--normalise", default="none")
    parser.add_argument("--sounds", default="en")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--judged", action="store_true")
    chosen = parser.parse_args(arguments)
    if chosen.judged:
        compare_with_judgements(chosen.sounds)
        return
    keys, systems = utterances(chosen.every)
    rates: dict[str, Any] = {}
    listed = []
    for system, responses in systems.items():
        comparison = compare(list(zip(keys, responses, strict=True)), normalise=chosen.normalise)
        counts = by_cause.count(comparison, sounds=chosen.sounds)
        totals = by_cause.Counts(*(np.asarray(column.sum()) for column in counts))
        rates[system] = by_cause.score(totals)
        listed += [(system, record) for record in errors_by_cause(comparison, chosen.sounds)] if chosen.sample else []
    print(f"errors for 100 words of the key, normalise {chosen.normalise}, sounds {chosen.sounds}\n")
    print(f"| cause | {' | '.join(rates)} |\n|---|{'---:|' * len(rates)}")
    for name, field in zip(("all (WER)", *CAUSES), by_cause.Score._fields, strict=True):
        print(f"| {name} | {' | '.join(f'{100 * getattr(rate, field):.2f}' for rate in rates.values())} |")
    for system, record in random.Random(31).sample(listed, min(chosen.sample, len(listed))):
        print(json.dumps([system, record.kind, record.context], ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
