"""Does `aune doubts` find known errors of keys? Precision among the first 100 items, share of errors in the first 5 %.

    python -m benchmarks.doubts

Keys that were corrected years after publication, with systems: two sets of tags, and transcripts of earnings calls. For
entities, the work of one annotator of novels as the key, and what both agreed on as its correction; there are no
systems, so the evidence is the key itself, and then the other annotator too. For coreference there is no key with
known corrections here.

Needs the data (`AUNE_DATA`, or ../shared/data beside the repository).
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune.doubtful_items.evidence import KINDS
from aune.doubtful_items.ranking import weigh_items
from aune.explain.correction_effects import read_runs
from aune.tasks.entities.model import documents as entity_documents

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data"))
FIRST, SHARE = 100, 0.05
DRAWS = 200  # random orders
HEADER = ("key", "evidence", "items", "errors", "first 100", "in 5 %", "random: first 100", "in 5 %")


class Trial(NamedTuple):
    """A key with known errors."""

    name: str
    task: str
    key: Mapping[str, Any]
    systems: Mapping[str, Any]
    annotators: Mapping[str, Any]
    errors: set[tuple[str, int, int]]
    """The places of the errors: an item is one if it meets any of them."""


def trials() -> Iterator[Trial]:
    yield from (tags(*row) for row in TAGS)
    yield earnings()
    for annotator, other in (("annotator1", "annotator2"), ("annotator2", "annotator1")):
        yield novels(f"novels, {annotator}", annotator, ())
        yield novels(f"novels, {annotator} and the other", annotator, (other,))


TAGS = (
    ("English Web Treebank, 2018", "ud-ewt-upos", ("2018", "2025"), ("perceptron", "crf")),
    ("Oct27 tweets, 0.2", "twitter-pos-oct27", ("v0.2", "v0.3"), ("perceptron", "crf", "mostfrequent")),
)


def tags(name: str, folder: str, versions: tuple[str, str], systems: tuple[str, ...]) -> Trial:
    home = DATA / "corrected" / folder
    old, new = (read_tags(home / f"key.{version}.tsv.gz") for version in versions)
    errors = {
        (document, place, place + 1)
        for document, words in old.items()
        for place, (word, corrected) in enumerate(zip(words, new[document], strict=True))
        if word != corrected
    }
    return Trial(name, "tagging", old, {system: read_tags(home / f"{system}.tsv.gz") for system in systems}, {}, errors)


def read_tags(path: Path) -> dict[str, list[tuple[str, str]]]:
    sentences: dict[str, list[tuple[str, str]]] = {}
    name = ""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, tab, tag = line.rstrip("\n").partition("\t")
            if tab:
                sentences[name].append((word, tag))
            elif word.startswith("# "):
                name = word
                sentences[name] = []
    return sentences


def earnings() -> Trial:
    path = DATA / "corrected" / "earnings21-references" / "docs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        calls = [json.loads(line) for line in lines]
    old, new = ({call["doc"]: call[key].lower() for call in calls} for key in ("key_2021", "key_2024"))
    systems = {name: {call["doc"]: call["systems"][name].lower() for call in calls} for name in calls[0]["systems"]}
    errors = {place for call in old for place in changed_words(call, old[call].split(), new[call].split())}
    return Trial("Earnings-21, 2021", "speech", old, systems, {}, errors)


def commonest_correction(trial: Trial, new: Mapping[str, list[tuple[str, str]]]) -> str:
    """The corrections of tags that come most often: the tags, and the words.

    "33 of 36 corrections are D that becomes O: that (16), this (11) …"
    """
    words: dict[tuple[str, str], Counter[str]] = {}
    for document, place, _ in trial.errors:
        (word, before), (_, after) = trial.key[document][place], new[document][place]
        words.setdefault((before, after), Counter())[word.lower()] += 1
    (before, after), counts = max(words.items(), key=lambda item: (item[1].total(), item[0]))
    first = ", ".join(f"{word} ({number})" for word, number in counts.most_common(2))
    return f"{counts.total()} of {len(trial.errors)} corrections are {before} that becomes {after}: {first} …"


def changed_words(call: str, old: list[str], new: list[str]) -> Iterator[tuple[str, int, int]]:
    for tag, start, end, _, _ in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "insert":
            yield call, start, start
        elif tag != "equal":
            yield from ((call, place, place + 1) for place in range(start, end))


def novels(name: str, annotator: str, others: tuple[str, ...]) -> Trial:
    home = DATA / "annotators" / "novels-ner"
    texts = sorted({path.name.partition(".")[0] for path in home.glob("*.tsv")})
    versions = {
        version: {text: read_novel(home / f"{text}.{version}.tsv") for text in texts}
        for version in ("gold", annotator, *others)
    }
    old, new = (
        {document.id: set(document.triples()) for document in entity_documents(versions[version])}
        for version in (annotator, "gold")
    )
    errors = {(text, start, end) for text in texts for start, end, _ in old[text] ^ new[text]}
    return Trial(name, "entities", versions[annotator], {}, {other: versions[other] for other in others}, errors)


def read_novel(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [(word or "_", tag) for word, tag, *_ in rows[1:]]


def is_error(trial: Trial, document: str, place: tuple[int, int]) -> bool:
    start, end = place
    if (document, start, end) in trial.errors:
        return True
    return trial.task == "entities" and any(
        name == document and first < end and start < last for name, first, last in trial.errors
    )


def rows(trial: Trial) -> Iterator[tuple[str, ...]]:
    """A row for each kind of evidence, and for all together."""
    runs = read_runs(trial.task, trial.key, {**trial.systems, **trial.annotators} or {"key": trial.key}, [], {})
    ranked = weigh_items(runs, list(trial.systems), list(trial.annotators)).items
    known = np.array([is_error(trial, entry.item.document, entry.item.place) for entry in ranked], bool)
    values = [entry.evidence.by_kind for entry in ranked]
    shown = [kind for kind in KINDS if any(value[kind] is not None for value in values)]
    for kind in ["all", *shown]:
        strength = [entry.score if kind == "all" else entry.evidence.by_kind[kind] or 0.0 for entry in ranked]
        order = np.argsort(-np.array(strength), kind="stable")
        yield (trial.name, kind, *figures(known[order]))


def figures(known: Any) -> tuple[str, ...]:
    """Precision among the first items and the share of errors in the first part, of an order and at random."""
    errors, part = int(known.sum()), int(SHARE * len(known))
    generator = np.random.default_rng(1)
    drawn = [generator.permutation(known) for _ in range(DRAWS)]
    return (
        f"{len(known):,}", str(errors), f"{known[:FIRST].mean():.2f}", f"{known[:part].sum() / errors:.2f}",
        f"{np.mean([order[:FIRST].mean() for order in drawn]):.3f}",
        f"{np.mean([order[:part].sum() / errors for order in drawn]):.2f}",
    )  # fmt: skip


def main() -> None:
    print("| " + " | ".join(HEADER) + " |")
    print("|---" * len(HEADER) + "|")
    for trial in trials():
        for row in rows(trial):
            print("| " + " | ".join(row) + " |", flush=True)
    for name, folder, versions, systems in TAGS:
        new = read_tags(DATA / "corrected" / folder / f"key.{versions[1]}.tsv.gz")
        print(f"{name}: {commonest_correction(tags(name, folder, versions, systems), new)}")


if __name__ == "__main__":
    main()
