"""The gravity of an error, estimated from its words alone: the mean cost that ATENE found for similar errors.

An error belongs to a class that needs no annotation: whether it is a substitution, deletion or insertion; whether each
word is a function word, a common one, or a rare one (usually a name); whether two words look alike. The mean harm
of each class on transcripts that ATENE evaluated is the weight of the errors of that class on any transcript. A class
with fewer than twenty errors has the weight of its type, and such a type that of any error. No error is free:
a class weighs at least a tenth of the mean, so that deleting right words never makes a transcript better.

Source: the thesis of Ben Jannet 2015, Perspectives (a taxonomy of errors by their impact, without annotation or model).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from aune.contract.options import cache_while_unchanged
from aune.errors import InputError, Problem, UsageError
from aune.files import parse_json, read_text, write_atomically
from aune.tasks.speech.alignment.words import DELETION, INSERTION, OPTIONAL, Alignment
from aune.tasks.speech.atene.harm import CLOSE_DISTANCE, harm
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.content_wer import stop_words

FORMAT = "aune-severity-1"
COMMON_WORDS = 5000  # the most frequent words of the training text
MIN_SHARE = 0.1  # the minimal cost of an error, relative to the mean harm
MAX_COST = 1000  # a limit that no error reaches: a margin is two at most, and one word affects few margins
MIN_ERRORS = 20  # a class with fewer errors has the weight of its type, and such a type that of any error


ANY_ERROR = "any"  # the key, among the types, of the mean over all errors


@dataclass(frozen=True)
class ErrorWeights:
    """The costs of errors, by class and by type; and the common words."""

    classes: dict[str, float]
    types: dict[str, float]
    common: frozenset[str]
    language: str = "en"
    normalise: str = "none"

    def cost_of(self, name: str) -> float:
        """The cost of an error of a class: as learnt, else that of its type, else that of any error."""
        mean = self.types.get(ANY_ERROR, 0.0)
        return max(self.classes.get(name, self.types.get(name[0], mean)), MIN_SHARE * mean)


def error_classes(comparison: Comparison, alignment: Alignment, common: frozenset[str], language: str) -> list[str]:
    """The class of every error, such as `S rare>common far` or `D grammar`; empty if it is no error."""
    words, stops = comparison.words, stop_words(language)

    def kind_of(word: str) -> str:
        low = word.lower()
        return "grammar" if low in stops else "common" if low in common else "rare"

    named = []
    columns = zip(alignment.kind.tolist(), alignment.key_at.tolist(), alignment.response_at.tolist(), strict=True)
    for kind, key_at, response_at in columns:
        key_word = words[alignment.key.codes[key_at]] if kind != INSERTION and key_at < alignment.key.size else ""
        response_word = words[alignment.response.codes[response_at]] if kind not in (DELETION, OPTIONAL) else ""
        if kind >= OPTIONAL:
            named.append("")
        elif not key_word:
            named.append(f"I {kind_of(response_word)}")
        elif not response_word:
            named.append(f"D {kind_of(key_word)}")
        else:
            near = Levenshtein.normalized_distance(key_word.lower(), response_word.lower()) <= CLOSE_DISTANCE
            named.append(f"S {kind_of(key_word)}>{kind_of(response_word)} {'near' if near else 'far'}")
    return named


def learn(comparisons: Sequence[Comparison], model: str, language: str = "en") -> ErrorWeights:
    """The weights that a model of ATENE gives to errors on annotated transcripts."""
    frequencies: Counter[str] = Counter()
    for comparison in comparisons:
        frequencies.update(word.lower() for key, _ in comparison.pairs for word in key.words)
    common = frozenset(
        word for word, _ in sorted(frequencies.items(), key=lambda pair: (-pair[1], pair[0]))[:COMMON_WORDS]
    )
    sums: dict[str, list[float]] = {}
    for comparison in comparisons:
        alignment = comparison.alignment("similar")
        names = error_classes(comparison, alignment, common, language)
        for name, lost in zip(names, harm(comparison, model).lost.tolist(), strict=True):
            if name:
                for key in (name, name[0], ANY_ERROR):
                    sums.setdefault(key, []).append(lost)
    classes = {
        name: math.fsum(lost) / len(lost) for name, lost in sums.items() if len(name) > 1 and len(lost) >= MIN_ERRORS
    }
    classes.pop(ANY_ERROR, None)
    known = {
        name: lost for name, lost in sums.items() if name == ANY_ERROR or (len(name) == 1 and len(lost) >= MIN_ERRORS)
    }
    types = {name: math.fsum(lost) / len(lost) for name, lost in known.items()}
    if not types.get(ANY_ERROR):
        raise UsageError("no error of these responses costs the models anything: nothing to learn weights from")
    normalise = comparisons[0].normalise if comparisons else "none"
    return ErrorWeights(dict(sorted(classes.items())), dict(sorted(types.items())), common, language, normalise)


def save(weights: ErrorWeights, path: str | Path) -> None:
    """Write weights as JSON."""
    record = {
        "format": FORMAT, "language": weights.language, "normalise": weights.normalise, "types": weights.types,
        "classes": weights.classes, "common": sorted(weights.common),
    }  # fmt: skip
    write_atomically(Path(path), (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())


@cache_while_unchanged
def load(path: str) -> ErrorWeights:
    """Read the weights in a file that `save` wrote."""
    try:
        record = parse_json(read_text(path))
        if record["format"] != FORMAT:
            raise ValueError(f"format {record['format']!r}")
        return ErrorWeights(
            _costs(record["classes"]), _costs(record["types"]),
            frozenset(map(str, record["common"])), str(record["language"]), str(record["normalise"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = Problem.in_file(
            "weights.unreadable",
            path,
            found=f"no weights of errors ({error})",
            expected="a file that `aune speech train severity` wrote",
            remedies=["make it again"],
        )
        raise InputError([problem]) from None


def _costs(record: Mapping[str, Any]) -> dict[str, float]:
    """The costs of errors, each a number in the range of possible margin losses."""
    for name, cost in record.items():
        if not isinstance(cost, int | float) or isinstance(cost, bool) or not 0 <= cost <= MAX_COST:
            raise ValueError(f"{name!r} costs {cost!r}, not a number from 0 to {MAX_COST:,}")
    return {name: float(cost) for name, cost in record.items()}
