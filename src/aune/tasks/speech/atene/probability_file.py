"""A JSON-lines file with the probabilities of another entity recogniser, used in place of ATENE's models.

    {"words": ["in", "paris"], "begin": [{}, {"LOC": 0.9}], "inside": [{}, {"LOC": 0.9}], "end": [{}, {"LOC": 0.8}]}

A line describes the words of one text, of the key or of any response, after normalisation. For each word, it gives the
probability that an entity of each type begins there, that the word is inside one, and that one ends there. The
remaining probability is that of outside. The file must contain every scored text. `tag_probabilities` makes such lines
from the classes of a tagger (B-LOC, I-LOC, O), `span_probabilities` from the entities of a parser's beam.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from aune.contract.options import cache_while_unchanged
from aune.errors import InputError, Problem, UsageError
from aune.files import read_text
from aune.numeric.arrays import Floats, Ints
from aune.tasks.speech.atene.maxent import MODELS, ModelName

Entry = dict[str, Any]


class ProbabilityTable:
    """The probabilities in a file; without features, so it cannot attribute harm to errors."""

    def __init__(self, path: str, entries: Sequence[Entry]) -> None:
        self.path = path
        self.labels = tuple(
            sorted({label for entry in entries for name in MODELS for row in entry[name] for label in row})
        )
        self._first: dict[tuple[str, ...], int] = {}
        rows: dict[str, list[Mapping[str, float]]] = {name: [] for name in MODELS}
        for entry in entries:
            words = tuple(entry["words"])
            if words not in self._first:
                self._first[words] = len(rows["begin"])
                for name in MODELS:
                    rows[name] += entry[name]
        self._tables = {name: self._table(rows[name]) for name in MODELS}

    @cached_property
    def classes(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels, 1)}

    def _table(self, rows: Sequence[Mapping[str, float]]) -> Floats:
        """(words, classes): the first class is outside."""
        table = np.zeros((len(rows), len(self.labels) + 1))
        for number, row in enumerate(rows):
            for label, probability in row.items():
                table[number, self.classes[label]] = probability
        table[:, 0] = 1 - table[:, 1:].sum(axis=1)
        return table

    def indices(self, texts: Sequence[Sequence[str]]) -> Ints:
        """(words, 1): the row of every word of some texts."""
        rows: list[int] = []
        for text in texts:
            first = self._first.get(tuple(text)) if len(text) else 0
            if first is None:
                raise UsageError(
                    f"{self.path}: found no line for the text {' '.join(text)[:60]!r}, expected one for every text of "
                    "key and responses, after normalisation: add it"
                )
            rows += range(first, first + len(text))
        return np.array(rows, np.int64).reshape(-1, 1)

    def probabilities(self, which: ModelName, rows: Ints) -> Floats:
        """(words, classes): the probability of each class."""
        table: Floats = self._tables[which][rows[:, 0]]
        return table


def is_probability_file(path: str) -> bool:
    """Whether a model file is text, rather than the arrays that aune writes."""
    return path.endswith((".jsonl", ".json", ".jsonl.gz"))


@cache_while_unchanged
def read_probabilities(path: str) -> ProbabilityTable:
    """The probabilities in a file."""
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--model {path}: expected JSON lines with words, begin, inside and end ({error})") from None
    problems, entries = [], []
    for number, line in enumerate(lines, 1):
        if line.strip():
            entry, fault = _parse_line(line)
            if fault:
                expected = "words, and for begin, inside and end as many objects of probabilities by type"
                problems.append(
                    Problem.in_file(
                        "probabilities.malformed", path, number, found=fault, expected=expected, remedies=["correct it"]
                    )
                )
            else:
                entries.append(entry)
    if problems:
        raise InputError(problems)
    return ProbabilityTable(path, entries)


def _parse_line(line: str) -> tuple[Entry, str]:
    """The entry of a line, and a description of its errors."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {}, f"no JSON ({error})"[:80]
    words = entry.get("words") if isinstance(entry, dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return {}, "no list of words"
    for name in MODELS:
        rows = entry.get(name)
        if not isinstance(rows, list) or len(rows) != len(words) or not all(map(_are_probabilities, rows)):
            return {}, f"another {name} than {len(words)} objects of probabilities that add up to 1 at most"
    return entry, ""


def _are_probabilities(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and all(
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 for value in row.values()
        )
        and sum(row.values()) <= 1 + 1e-6
    )


def tag_probabilities(words: Sequence[str], probabilities: Sequence[Sequence[float]], tags: Sequence[str]) -> Entry:
    """A line of the file from the probabilities of tags (B-LOC, I-LOC, O…) for each word.

    An entity begins with the probability of B; a word is inside with B or I; an entity ends if the word is inside and
    the next word does not continue it.

    >>> line = tag_probabilities(["in", "paris"], [[0.0, 0.1, 0.9], [0.8, 0.1, 0.1]], ["B-LOC", "I-LOC", "O"])
    >>> [round(row["LOC"], 2) for row in line["inside"]], [round(row["LOC"], 2) for row in line["end"]]
    ([0.1, 0.9], [0.09, 0.9])
    """
    labels = sorted({tag.partition("-")[2] for tag in tags if "-" in tag})
    columns = {tag: [float(row[place]) for row in probabilities] for place, tag in enumerate(tags)}
    nothing = [0.0] * len(words)
    entry: Entry = {"words": list(words), "begin": [], "inside": [], "end": []}
    for place in range(len(words)):
        begin = {label: columns.get(f"B-{label}", nothing)[place] for label in labels}
        goes_on = {label: columns.get(f"I-{label}", nothing) for label in labels}
        inside = {label: min(begin[label] + goes_on[label][place], 1.0) for label in labels}
        after = {label: goes_on[label][place + 1] if place + 1 < len(words) else 0.0 for label in labels}
        entry["begin"].append(begin)
        entry["inside"].append(inside)
        entry["end"].append({label: inside[label] * (1 - after[label]) for label in labels})
    return entry


def span_probabilities(words: Sequence[str], spans: Mapping[tuple[int, int, str], float]) -> Entry:
    """A line of the file from the probabilities of entities, by first word, word after the last and label.

    >>> line = span_probabilities(["new", "york"], {(0, 2, "LOC"): 0.75, (1, 2, "LOC"): 0.25})
    >>> line["begin"], line["inside"], line["end"]
    ([{'LOC': 0.75}, {'LOC': 0.25}], [{'LOC': 0.75}, {'LOC': 1.0}], [{}, {'LOC': 1.0}])
    """
    rows: dict[ModelName, list[dict[str, float]]] = {name: [{} for _ in words] for name in MODELS}

    def add(name: ModelName, place: int, label: str, probability: float) -> None:
        row = rows[name][place]
        row[label] = min(row.get(label, 0.0) + probability, 1.0)

    for (start, end, label), score in spans.items():
        add("begin", start, label, float(score))
        add("end", end - 1, label, float(score))
        for place in range(start, end):
            add("inside", place, label, float(score))
    return {"words": list(words), "begin": rows["begin"], "inside": rows["inside"], "end": rows["end"]}
