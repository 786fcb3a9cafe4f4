"""Coreference: a corpus like OntoNotes, one very long document, and very many short ones.

The Perl scorer, coval and corefud-scorer take part when AUNE_PERL_SCORER (the folder of scorer.pl), AUNE_COVAL or
AUNE_COREFUD_SCORER name their checkouts.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Run, in_process, table

EXAMPLE = Path(__file__).parent.parent / "examples" / "coref"
MEASURES = ["muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "conll", "mentions"]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        key, response = ontonotes_like(Path(folder))
        print("350 documents, 170,000 tokens, reading included:")
        runs = [
            in_process("aune, every measure", "benchmarks.coref", "aune_all", [key, response]),
            in_process("aune, CoNLL measures", "benchmarks.coref", "aune_some", [key, response]),
            in_process("scorch (read by aune)", "benchmarks.coref", "scorch_all", [key, response], 1),
            *checkouts(key, response),
        ]
        table(runs)
    small = [str(EXAMPLE / name) for name in ("key.conll", "neural.conll")]
    print("the bundled example, 2 documents of 21 mentions (metametric needs minutes for one document of the above):")
    names = {"aune, every measure": "aune_all", "scorch": "scorch_all", "metametric": "metametric_all"}
    table([in_process(name, "benchmarks.coref", function, small) for name, function in names.items()])
    print("one document, 30,000 mentions in 3,000 chains, every measure:")
    table(
        [
            in_process(f"aune, {kind} response", "benchmarks.coref", "aune_long", [kind], 1)
            for kind in ("good", "random")
        ]
    )
    print("50,000 documents of 30 mentions, in memory, every measure:")
    table([in_process("aune", "benchmarks.coref", "aune_many", [], 1)])
    print("aune --help:")
    table([time_start()])


def aune_all(key: str, response: str) -> str:
    return _aune(key, response, ["all"])


def aune_some(key: str, response: str) -> str:
    return _aune(key, response, MEASURES)


def _aune(key: str, response: str, measures: list[str]) -> str:
    import aune

    result = aune.score("coref", key, response, measures=measures)
    return " ".join(f"{name} {100 * result[name].f1:.2f}" for name in ("muc", "b_cubed", "ceaf_e", "lea"))


def aune_long(kind: str) -> str:
    import aune

    key, response = long_document(kind)
    aune.measures("coref")  # imports are not what is measured
    started = time.perf_counter()
    result = aune.score("coref", key, response, measures=["all"])
    values = f"conll {100 * result['conll'].f1:.2f}"
    return f"{values}, scoring alone {time.perf_counter() - started:.2f} s"


def aune_many() -> str:
    import aune
    from aune.tasks.coref.model import documents

    rng = random.Random(1)
    aune.measures("coref")
    key, response = (documents({f"d{i}": _random(rng, 30, 10) for i in range(50_000)}) for _ in range(2))
    started = time.perf_counter()
    result = aune.score("coref", key, response, measures=["all"])
    values = f"conll {100 * result['conll'].f1:.2f}"
    return f"{values}, scoring alone {time.perf_counter() - started:.2f} s"


def scorch_all(key: str, response: str) -> str:
    from scorch import scores

    sums: dict[str, list[float]] = {}
    for key_chains, response_chains in _clusters(key, response):
        for name in ("muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc"):
            sums.setdefault(name, []).append(getattr(scores, name)(key_chains, response_chains)[2])
    return "mean over documents: " + " ".join(f"{name} {100 * sum(v) / len(v):.2f}" for name, v in sums.items())


def metametric_all(key: str, response: str) -> str:
    from metametric.metrics.coref import coref_suite
    from metametric.structures.ie import Entity, EntitySet, Mention

    suite = coref_suite.new()
    for sides in _clusters(key, response):
        key_entities, response_entities = (
            EntitySet([Entity([Mention(*mention) for mention in chain]) for chain in side])  # type: ignore[misc]
            for side in sides
        )
        suite.update_single(response_entities, key_entities)
    scores = suite.compute()
    return " ".join(f"{name} {100 * scores[f'{name}-f1']:.2f}" for name in ("muc", "b_cubed", "ceaf_phi4"))


def _clusters(key: str, response: str) -> list[tuple[list[set[object]], list[set[object]]]]:
    from aune.contract import registry
    from aune.reading.corpus import read

    task = registry.task("coref")
    sides = [read(task, path).documents for path in (key, response)]
    return [
        tuple([set(chain) for chain in document.clusters()] for document in pair)  # type: ignore[misc]
        for pair in zip(*sides, strict=True)
    ]


def checkouts(key: str, response: str) -> list[Run | None]:
    """The official scorers, where their checkouts are given."""
    commands = {
        "AUNE_PERL_SCORER": ["perl", "scorer.pl", "all", key, response, "none"],
        "AUNE_COVAL": [sys.executable, "scorer.py", key, response],
        "AUNE_COREFUD_SCORER": [sys.executable, "corefud-scorer.py", key, response],
    }
    runs: list[Run | None] = []
    for variable, command in commands.items():
        home = os.environ.get(variable)
        if home is None:
            print(f"({variable} not set: left out)")
            continue
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        runs.append(Run(variable.removeprefix("AUNE_").lower(), time.perf_counter() - begin, 0, last))
    return runs


def time_start() -> Run:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "aune", "--help"], capture_output=True, check=True)
        times.append(time.perf_counter() - begin)
    return Run("aune --help", min(times), 0, "")


def ontonotes_like(folder: Path) -> tuple[str, str]:
    """350 documents of about 486 tokens and 90 mentions, and a response that gets a fifth of the mentions wrong."""
    rng = random.Random(7)
    texts: tuple[list[str], list[str]] = ([], [])
    for number in range(350):
        length = rng.randint(300, 672)
        spans = sorted(
            {
                (start, min(length, start + rng.choice((1, 1, 2, 3, 6))))
                for start in rng.sample(range(length), length // 5)
            }
        )
        chains = _grow_sizes(rng, len(spans))
        other = [chain if rng.random() > 0.2 else rng.randrange(max(chains) + 2) for chain in chains]
        is_kept = [rng.random() > 0.1 for _ in spans]
        key = list(zip(spans, chains, strict=True))
        response = [item for item, keep in zip(zip(spans, other, strict=True), is_kept, strict=True) if keep]
        for text, mentions in zip(texts, (key, response), strict=True):
            text += _conll(f"bench/{number:04}", length, mentions)
    paths = folder / "key.conll", folder / "response.conll"
    for path, text in zip(paths, texts, strict=True):
        path.write_text("\n".join(text) + "\n")
    return str(paths[0]), str(paths[1])


def _grow_sizes(rng: random.Random, count: int) -> list[int]:
    """Chains that grow with their size, as people's do."""
    chains: list[int] = []
    for _ in range(count):
        new = not chains or rng.random() < 0.25
        chains.append(max(chains, default=-1) + 1 if new else rng.choice(chains))
    return chains


def _conll(name: str, length: int, mentions: list[tuple[tuple[int, int], int]]) -> list[str]:
    cells: list[list[str]] = [[] for _ in range(length)]
    for (start, end), chain in sorted(mentions, key=lambda item: (item[0][0], -item[0][1])):
        cells[start].append(f"({chain})" if end == start + 1 else f"({chain}")
    for (start, end), chain in sorted(mentions, key=lambda item: -item[0][0]):
        if end > start + 1:
            cells[end - 1].append(f"{chain})")
    lines = [f"#begin document ({name}); part 000"]
    for index, cell in enumerate(cells):
        lines.append(f"{name}\t0\t{index % 25}\tword{index % 997}\tNN\t-\t-\t-\t-\t-\t*\t{'|'.join(cell) or '-'}")
        if index % 25 == 24:
            lines.append("")
    return [*lines, "", "#end document"]


def long_document(kind: str) -> tuple[list[list[int]], list[list[int]]]:
    rng = random.Random(3)
    key = _random(rng, 30_000, 3_000)
    if kind == "random":
        return key, _random(rng, 30_000, 3_000)
    moved = [[mention for mention in chain if rng.random() > 0.2] for chain in key]
    placed = {mention for chain in moved for mention in chain}
    for mention in range(30_000):
        if mention not in placed:
            rng.choice(moved).append(mention)
    return key, [chain for chain in moved if chain]


def _random(rng: random.Random, mentions: int, chains: int) -> list[list[int]]:
    grouped: list[list[int]] = [[] for _ in range(chains)]
    for mention in range(mentions):
        grouped[rng.randrange(chains)].append(mention)
    return [chain for chain in grouped if chain]


if __name__ == "__main__":
    main()
