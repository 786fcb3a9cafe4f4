"""Named entities: aune against seqeval and nervaluate on the same files, and SER and ETER on nested spans.

Each contestant runs in a process of its own, reading included, so that time and memory are its own.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOKENS, SENTENCES, TYPES = 1_000_000, 50_000, 18
SPANS = 200_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        key, response = Path(folder, "key.conll"), Path(folder, "response.conll")
        make(key, 0.0)
        make(response, 0.15)
        print(f"{TOKENS:,} tokens, {SENTENCES:,} sentences, {TYPES} types, reading included")
        ours = contest("aune", key, response)
        for rival in ("seqeval", "nervaluate"):
            theirs = contest(rival, key, response)
            if theirs:
                ratio, memory = theirs["seconds"] / ours["seconds"], theirs["megabytes"] / ours["megabytes"]
                print(f"  aune is {ratio:.1f} times as fast as {rival}, in 1/{memory:.1f} of its memory")
    contest("nested")


def make(path: Path, errors: float) -> None:
    """A file of tags; the same entities for every call, with a share of errors."""
    shape, noise = random.Random(1), random.Random(2)
    labels = [f"TYPE{number}" for number in range(TYPES)]
    size = TOKENS // SENTENCES
    with path.open("w", encoding="utf-8") as file:
        for _ in range(SENTENCES):
            tags = ["O"] * size
            for start in sorted(shape.sample(range(0, size - 3, 4), 3)):
                end, label = start + shape.randint(1, 3), shape.choice(labels)
                if noise.random() < errors:
                    start, end, label = noise.choice([(start + 1, end + 1, label), (start, end, noise.choice(labels))])
                tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
            file.writelines(f"word{place}\t{tag}\n" for place, tag in enumerate(tags))
            file.write("\n")


def contest(name: str, *paths: Path) -> dict[str, float]:
    """Run one contestant in its own process, and print what it took."""
    done = subprocess.run(
        [sys.executable, __file__, name, *map(str, paths)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"  {name}: not run ({done.stderr.strip().splitlines()[-1:] or ['failed']})")
        return {}
    took: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {name}: {took['seconds']:.2f} s, {took['megabytes']:.0f} MB, {took['result']}")
    return took


def run_aune(key: str, response: str) -> str:
    import aune

    result = aune.score("entities", key, response, measures=["f_measure", "macro(f_measure,by=label)"])
    result["f_measure"].by("label")
    return f"F {result['f_measure'].f:.6f}"


def tags_of(path: str) -> list[list[str]]:
    sentences: list[list[str]] = [[]]
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            if line == "\n":
                sentences.append([])
            else:
                sentences[-1].append(line.rstrip("\n").rsplit("\t", 1)[1])
    return [sentence for sentence in sentences if sentence]


def run_seqeval(key: str, response: str) -> str:
    from seqeval.metrics import classification_report

    report = classification_report(tags_of(key), tags_of(response), output_dict=True)
    return f"F {report['micro avg']['f1-score']:.6f}"


def run_nervaluate(key: str, response: str) -> str:
    from nervaluate.evaluator import Evaluator

    labels = [f"TYPE{number}" for number in range(TYPES)]
    found = Evaluator(tags_of(key), tags_of(response), tags=labels, loader="list").evaluate()
    return f"F {found['overall']['strict'].f1:.6f}"


def run_nested() -> str:
    import aune

    key, response = nested(0.0), nested(0.2)
    start = time.perf_counter()
    result = aune.score("entities", key, response, measures=["ser", "eter"], typology="quaero")
    took = time.perf_counter() - start
    spans = sum(map(len, key.values()))
    return f"{spans:,} nested spans in {took:.2f} s: SER {result['ser'].ser:.6f}, ETER {result['eter'].eter:.6f}"


def nested(errors: float) -> dict[str, list[tuple[int, int, str]]]:
    """Documents of entities with components, one in three inside another entity."""
    shape, noise = random.Random(3), random.Random(4)
    types = ["pers.ind", "func.ind", "org.ent", "loc.adm.town", "loc.fac", "prod.object"]
    found: dict[str, list[tuple[int, int, str]]] = {}
    total = 0
    while total < SPANS:
        spans, place = [], 0
        for _ in range(50):
            label, size = shape.choice(types), shape.randint(2, 5)
            tree = [(place, place + size, label), (place, place + 1, "kind")]
            inner = (place + 1, place + size, "name")
            tree.append(inner if shape.random() < 0.67 else (*inner[:2], shape.choice(types)))
            if tree[-1][2] != "name":
                tree.append(inner)
            total += len(tree)
            for start, end, name in tree:
                if noise.random() < errors:
                    kind = noise.randrange(4)
                    if kind == 0:
                        continue
                    end, name = (end + 1, name) if kind == 1 else (end, noise.choice([*types, "name", "kind"]))
                spans.append((start, end, name))
            place += size + shape.randint(0, 2)
        found[f"d{len(found)}"] = spans
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        begun = time.perf_counter()
        result = globals()[f"run_{sys.argv[1]}"](*sys.argv[2:])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": time.perf_counter() - begun, "megabytes": peak, "result": result}))
    else:
        main()
