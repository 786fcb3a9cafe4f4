"""Every measure of every task on the bundled examples, to the last digit: what `make floors` compares.

Values, intervals, tests, ranks, agreement and profiles; with `all`, also what other packages have a hand in (scipy's
distributions, what scikit-learn learns, figures and pages), which is the same for the same versions of them.

python tests/digits.py [all]
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

from aune.cli import run
from aune.contract import registry
from aune.errors import AuneError
from aune.evaluation.pipeline import evaluate
from aune.statistics.intervals import with_intervals

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAIRS = {
    "anaphora": [("key.tsv", "careful.tsv"), ("key.tsv", "nearest.tsv"), ("gap-key.tsv", "gap-response.tsv")],
    "coref": [("key.conll", "strings.conll"), ("key.conll", "neural.conll"), ("key.conll", "recency.conll")],
    "entities": [("key.conll", "rules.conll"), ("key.conll", "tagger.conll"), ("key.ne", "careless.ne")],
    "speech": [("key.jsonl", "north.jsonl"), ("key.jsonl", "south.jsonl"), ("key.trn", "response.trn")],
    "tagging": [("key.tsv", "rules.tsv"), ("key.tsv", "lexicon.tsv"), ("key.conllu", "response.conllu")],
}
TESTS = ("randomisation", "bootstrap", "sign", "wilcoxon")
UNITS = {"entities": "sentence", "tagging": "sentence", "speech": "utterance"}
LEARNT = ("train atene train.jsonl --output {}", "train severity key.jsonl north.jsonl --model {} --output {}")


def lines() -> Iterator[str]:
    """A value, its interval and its counts on a line each; measures that need what the examples lack are left out."""
    for task, pairs in PAIRS.items():
        for key, response in pairs:
            for measure in registry.measures(task):
                files = str(EXAMPLES / task / key), {"s": str(EXAMPLES / task / response)}
                try:
                    result = with_intervals(evaluate(task, *files, measures=[measure]), draws=200)
                except AuneError:
                    continue
                for score in result:
                    for name, value in score.values.items():
                        bounds = score.intervals.get(name)
                        yield f"{key} {response} {score.name} {name} {value!r} {bounds!r}"


def commands() -> Iterator[list[str]]:
    """What else prints numbers: tests and rankings, agreement, profiles."""
    for systems, unit in _systems():
        for test in (*TESTS, *registry.task(systems[0]).extras.paired_tests):
            yield ["compare", *systems, "--test", test, "--unit", unit, "--draws", "200", "--format", "json"]
        yield ["agreement", *systems, "--ci", "--draws", "200", "--format", "json"]
        yield ["describe", *systems, "--format", "json"]


def others(folder: Path) -> Iterator[list[str]]:
    """What is computed, learnt or drawn with the help of others."""
    for systems, unit in _systems():
        yield ["anova", *systems, "--by", unit, "--format", "json"]
        for ending in ("svg", "pdf", "png"):
            yield ["figure", "scores", *systems, "--output", str(folder / f"{systems[0]}.{ending}")]
        yield ["report", *systems, "--draws", "100", "--output", str(folder / f"{systems[0]}.html")]
    if find_spec("sklearn"):
        model, weights = str(folder / "model.npz"), str(folder / "weights.json")
        yield ["speech", *LEARNT[0].format(model).split()]
        yield ["speech", *LEARNT[1].format(model, weights).split()]
        yield ["errors", "speech", "key.jsonl", "north.jsonl", "--model", model, "--format", "json"]


def _systems() -> Iterator[tuple[list[str], str]]:
    """A task with its key and two systems, and what is drawn."""
    for task, [(key, item), (_, other), *_] in PAIRS.items():
        yield [task, key, item, other], UNITS.get(task, "document")


def printed_lines(everything: bool) -> Iterator[str]:
    """What these commands print, line by line, and the digests of what they write."""
    with tempfile.TemporaryDirectory() as home:
        for words in (*commands(), *(others(Path(home)) if everything else ())):
            os.chdir(EXAMPLES / next(word for word in words if word in PAIRS))
            output = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
            with redirect_stdout(output), redirect_stderr(StringIO()):
                code = run(words)
            shown = " ".join(word.replace(home, "") for word in words)
            text = output.buffer.getvalue().decode()
            yield from (f"{shown} {code} {line}" for line in text.replace(home, "").splitlines() or [""])
        for path in sorted(Path(home).iterdir()):
            yield f"{path.name} {sha256(path.read_bytes()).hexdigest()}"


if __name__ == "__main__":
    print("\n".join([*lines(), *printed_lines("all" in sys.argv[1:])]))
