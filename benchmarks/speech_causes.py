"""What the errors of seven recognisers come from, on 44 earnings calls (Earnings-21, 19,523 segments).

    python benchmarks/speech_causes.py [--normalise none] [--sounds en] [--sample 200] [--every 1]

Prints errors for 100 words of the key by cause and system; the causes add up to the word error rate. `--sample` prints
so many errors, drawn at random from all systems, for people to judge. Needs the data (`AUNE_DATA`, or
../shared/data beside the repository), and gruut for `--sounds en`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aune.tasks.speech.causes import CAUSES
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import errors_by_cause
from aune.tasks.speech.measures import causes as by_cause
from aune.tasks.speech.model import Entity, Utterance

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data")) / "speech" / "earnings21"
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


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--normalise", default="none")
    parser.add_argument("--sounds", default="en")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    chosen = parser.parse_args(arguments)
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
