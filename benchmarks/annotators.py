"""Systems beside people on public data with several annotators.

Persons in six English novels by two people (novels-ner, Apache-2.0): the version on which they agreed afterwards, and
every capitalised word as a system. Coreference in one act of a German play by three people (GerDraCor-Coref, CC0): a
system that puts the same strings into one chain, on the mentions of one of the three. Transcripts are left out: their
annotators are hundreds of workers of whom each text has a few.

    python benchmarks/annotators.py

Needs the data (`AUNE_DATA`, or ../shared/data beside the repository).
"""

from __future__ import annotations

import csv
import os
import tempfile
from pathlib import Path
from typing import Any

from aune.cli import run
from aune.reports import render_tables
from aune.reports.annotator_scores import annotator_tables
from aune.statistics.annotator_keys import AnnotatorScores, evaluate_annotators

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data")) / "annotators"
NOVELS = ("AliceInWonderland", "DavidCopperfield", "Emma", "Frankenstein", "HuckleberryFinn", "MobyDick")
ACT = {name: f"Emilia-{name}_Act1.conll.gz" for name in ("IV", "LF", "SE")}


def main() -> None:
    """Print both tables."""
    for result in (novels(), play()):
        print(render_tables(annotator_tables(result), "table"))


def novels() -> AnnotatorScores:
    """Two annotators of persons, the agreed version and capitalised words."""
    keys = {f"annotator {number}": {name: record(name, f"annotator{number}") for name in NOVELS} for number in (1, 2)}
    systems = {"agreed": {name: record(name, "gold") for name in NOVELS}}
    systems["capitals"] = {name: capitals(keys["annotator 1"][name]["tokens"]) for name in NOVELS}
    return evaluate_annotators("entities", keys, systems, measures=["f_measure"], ci=True)


def record(novel: str, version: str) -> dict[str, Any]:
    with (DATA / "novels-ner" / f"{novel}.{version}.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {"tokens": [row["original_word"] for row in rows], "ner_tags": [row["ner"] for row in rows]}


def capitals(tokens: list[str]) -> dict[str, Any]:
    """Every capitalised word that does not begin a sentence as a person's name."""
    before = ["", *tokens]
    names = [
        token[:1].isupper() and previous not in ("", *".!?“\"'")
        for previous, token in zip(before, tokens, strict=False)
    ]
    return {"tokens": tokens, "ner_tags": ["B-PERSON" if is_name else "O" for is_name in names]}


def play() -> AnnotatorScores:
    """Three annotators of one act, and the same strings as chains."""
    keys = {name: str(DATA / "gerdracor-coref" / file) for name, file in ACT.items()}
    with tempfile.TemporaryDirectory() as folder:
        response = str(Path(folder, "same-string.conll"))
        run(["baseline", "coref", "same_string", keys["SE"], response])
        systems = {"same string": response}
        return evaluate_annotators(
            "coref", keys, systems, measures=["pairs", "conll"], duplicates="merge", realign="words"
        )


if __name__ == "__main__":
    main()
