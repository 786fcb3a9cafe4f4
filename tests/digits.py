"""Every measure of every task on the bundled examples, to the last digit: what `make floors` compares.

python tests/digits.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aune import evaluate
from aune.core import registry
from aune.core.errors import AuneError
from aune.statistics.intervals import with_intervals

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAIRS = {
    "anaphora": [("key.tsv", "careful.tsv"), ("key.tsv", "nearest.tsv"), ("gap-key.tsv", "gap-response.tsv")],
    "coref": [("key.conll", "strings.conll"), ("key.conll", "neural.conll"), ("key.conll", "recency.conll")],
    "entities": [("key.conll", "rules.conll"), ("key.conll", "tagger.conll"), ("key.ne", "careless.ne")],
    "speech": [("key.jsonl", "north.jsonl"), ("key.jsonl", "south.jsonl"), ("key.trn", "response.trn")],
    "tagging": [("key.tsv", "rules.tsv"), ("key.tsv", "lexicon.tsv"), ("key.conllu", "response.conllu")],
}


def lines() -> Iterator[str]:
    """A value, its interval and its counts on a line each; measures that need what the examples lack are left out."""
    for task, pairs in PAIRS.items():
        for key, response in pairs:
            for measure in registry.measures(task):
                files = str(EXAMPLES / task / key), {"s": str(EXAMPLES / task / response)}
                try:
                    found = with_intervals(evaluate(task, *files, measures=[measure]), draws=200)
                except AuneError:
                    continue
                for score in found:
                    for name, value in score.values.items():
                        bounds = score.intervals.get(name)
                        yield f"{key} {response} {score.name} {name} {value!r} {bounds!r}"


if __name__ == "__main__":
    print("\n".join(lines()))
