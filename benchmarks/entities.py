"""Named entities: aune against seqeval and nervaluate on the same files, and SER and ETER on nested spans."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from benchmarks.harness import in_process, table

TOKENS, SENTENCES, TYPES, SPANS = 1_000_000, 50_000, 18, 200_000
LABELS = [f"TYPE{number}" for number in range(TYPES)]
Spans = list[tuple[int, int, str]]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, name)) for name in ("key.conll", "response.conll")]
        for file, errors in zip(files, (0.0, 0.15), strict=True):
            make(Path(file), errors)
        print(
            f"{TOKENS:,} tokens, {SENTENCES:,} sentences, {TYPES} types, micro, macro and by label, reading included:"
        )
        runs = [
            in_process("aune", "benchmarks.entities", "aune_report", files),
            in_process("seqeval, report", "benchmarks.entities", "seqeval_report", files, 1),
            in_process("nervaluate", "benchmarks.entities", "nervaluate_all", files, 1),
        ]
        table(runs)
    print(f"{SPANS:,} nested spans in documents of 50 entities, in memory:")
    table([in_process("aune, SER and ETER", "benchmarks.entities", "aune_nested", [], 1)])


def make(path: Path, errors: float) -> None:
    """A file of tags; the same entities for every call, with a share of errors."""
    shape, noise = random.Random(1), random.Random(2)
    size = TOKENS // SENTENCES
    with path.open("w", encoding="utf-8") as file:
        for _ in range(SENTENCES):
            tags = ["O"] * size
            for start in sorted(shape.sample(range(0, size - 3, 4), 3)):
                end, label = start + shape.randint(1, 3), shape.choice(LABELS)
                if noise.random() < errors:
                    start, end, label = noise.choice([(start + 1, end + 1, label), (start, end, noise.choice(LABELS))])
                tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
            file.writelines(f"word{place}\t{tag}\n" for place, tag in enumerate(tags))
            file.write("\n")


def aune_report(key: str, response: str) -> str:
    import aune

    result = aune.score("entities", key, response, measures=["f_measure", "macro(f_measure,by=label)"])
    result["f_measure"].by("label")
    return f"F {result['f_measure'].f1:.6f}, macro {result.scores[1].f1:.6f}"


def tags_of(path: str) -> list[list[str]]:
    sentences: list[list[str]] = [[]]
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            if line == "\n":
                sentences.append([])
            else:
                sentences[-1].append(line.rstrip("\n").rsplit("\t", 1)[1])
    return [sentence for sentence in sentences if sentence]


def seqeval_report(key: str, response: str) -> str:
    from seqeval.metrics import classification_report

    report = classification_report(tags_of(key), tags_of(response), output_dict=True)
    return f"F {report['micro avg']['f1-score']:.6f}, macro {report['macro avg']['f1-score']:.6f}"


def nervaluate_all(key: str, response: str) -> str:
    from nervaluate.evaluator import Evaluator

    results = Evaluator(tags_of(key), tags_of(response), tags=LABELS, loader="list").evaluate()
    return f"F {results['overall']['strict'].f1:.6f}"


def aune_nested() -> str:
    import aune

    key, response = nested_entities(0.0), nested_entities(0.2)
    start = time.perf_counter()
    result = aune.score("entities", key, response, measures=["ser", "eter"], typology="quaero")
    took = time.perf_counter() - start
    return f"{took:.2f} s without making the data: SER {result['ser'].ser:.6f}, ETER {result['eter'].eter:.6f}"


def nested_entities(errors: float) -> dict[str, Spans]:
    """Documents of entities with components, one in three inside another entity."""
    shape, noise = random.Random(3), random.Random(4)
    types = ["pers.ind", "func.ind", "org.ent", "loc.adm.town", "loc.fac", "prod.object"]
    documents: dict[str, Spans] = {}
    total = 0
    while total < SPANS:
        spans: Spans = []
        place = 0
        for _ in range(50):
            label, size = shape.choice(types), shape.randint(2, 5)
            inner = (place + 1, place + size)
            tree = [(place, place + size, label), (place, place + 1, "kind"), (*inner, "name")]
            if shape.random() > 0.67:
                tree.append((*inner, shape.choice(types)))
            total += len(tree)
            for start, end, name in tree:
                chance = noise.random() / errors if errors else 4.0
                if chance < 0.25:
                    continue
                longer = end + (0.25 <= chance < 0.5)
                spans.append((start, longer, noise.choice([*types, "name", "kind"]) if 0.5 <= chance < 1 else name))
            place += size + shape.randint(0, 2)
        documents[f"d{len(documents)}"] = spans
    return documents
