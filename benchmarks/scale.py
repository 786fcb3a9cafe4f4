"""Time and memory of one evaluator at every size: pieces, processes, shuffled responses, rows on disk, accumulators."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import aune

WORK = """
import re, resource, sys, time
import aune
started = time.time()
result = aune.evaluate(sys.argv[1], sys.argv[2], {"A": sys.argv[3]}, workers=int(sys.argv[4]))
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
peak = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(time.time() - started, cpu, peak)
"""


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--utterances", type=int, default=1_000_000)
    parser.add_argument("--megabytes", type=int, default=100, help="of coreference, for each side")
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for share in (9, 3, 1):
            size = asked.utterances // share
            key, response = utterances(folder, size)
            report(f"{size:,} utterances", "speech", key, response)
        report(f"{size:,} utterances, two processes", "speech", key, response, 2)
        lines = response.read_text().splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        response.write_text("".join(lines))
        report(f"{size:,} utterances, the response shuffled", "speech", key, response)
        key, response = documents(folder, asked.megabytes)
        report(f"coreference, {asked.megabytes} MB each", "coref", key, response)
        report(f"coreference, {asked.megabytes} MB each, two processes", "coref", key, response, 2)
        stored(folder, asked.rows)
    accumulated()


def utterances(folder: Path, size: int) -> tuple[Path, Path]:
    """As many lines of JSON as utterances, ten words each, one in ten of them wrong."""
    rng = random.Random(3)
    words = [f"w{number}" for number in range(3000)]
    paths = folder / "key.jsonl", folder / "response.jsonl"
    with paths[0].open("w") as key, paths[1].open("w") as response:
        for number in range(size):
            said = rng.choices(words, k=10)
            given = [word if rng.random() < 0.9 else "x" for word in said]
            for file, text in ((key, said), (response, given)):
                file.write(json.dumps({"id": f"utt-{number:08d}", "text": " ".join(text)}) + "\n")
    return paths


def documents(folder: Path, megabytes: int) -> tuple[Path, Path]:
    """Documents of 500 words and some hundred mentions."""
    rng = random.Random(4)
    paths = folder / "key-coref.jsonl", folder / "response-coref.jsonl"
    number = written = 0
    with paths[0].open("w") as key, paths[1].open("w") as response:
        while written < megabytes * 1_000_000:
            sentences = [[f"w{rng.randint(0, 5000)}" for _ in range(20)] for _ in range(25)]
            for file in (key, response):
                places = rng.sample(range(495), 110)
                clusters = [
                    [[place, place + rng.randint(0, 3)] for place in places[i : i + 4]] for i in range(0, 110, 4)
                ]
                line = json.dumps({"doc_key": f"d{number}", "sentences": sentences, "clusters": clusters}) + "\n"
                file.write(line)
            written += len(line)
            number += 1
    return paths


def report(what: str, task: str, key: Path, response: Path, workers: int = 1) -> None:
    command = [sys.executable, "-c", WORK, task, str(key), str(response), str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, cpu, peak = map(float, done.stdout.split())
    whose = "" if workers == 1 else " in the process that collects"  # the others are children of the fork server
    print(f"{what}: {wall:.1f} s, {cpu:.1f} CPU s, {peak:.0f} MB{whose}")


def stored(folder: Path, size: int) -> None:
    """Rows as Parquet: how large, and how long intervals take from them."""
    texts = {f"utt-{number:08d}": "one two three four five" for number in range(1000)}
    result = aune.score("speech", texts, dict.fromkeys(texts, "one two tree four"), measures=["wer", "cer"])
    from dataclasses import replace

    from aune.core.rows import Rows
    from aune.statistics.intervals import with_intervals

    scores = []
    names = {"document": [f"utt-{number:08d}" for number in range(size)]}
    for score in result:
        matrix = score.rows.matrix[[number % 1000 for number in range(size)]]
        scores.append(
            replace(score, rows=Rows(names, [[column.astype("u1") for column in matrix.T]], score.rows.layout))
        )
    aune.save(replace(result, scores=scores), folder / "rows")
    held = sum(file.stat().st_size for file in (folder / "rows").iterdir())
    started = time.process_time()
    with_intervals(aune.load(folder / "rows"))
    print(f"{size:,} rows on disk: {held / 1e6:.1f} MB, intervals in {time.process_time() - started:.1f} CPU s")


def accumulated() -> None:
    rng = random.Random(5)
    words = [f"w{number}" for number in range(500)]
    key = [" ".join(rng.choices(words, k=10)) for _ in range(32)]
    response = [text.replace("w1", "x") for text in key]
    scores = aune.accumulate("speech", measures=["wer"])
    times = []
    for _ in range(300):
        started = time.perf_counter()
        scores.add(key, response)
        times.append(time.perf_counter() - started)
    print(f"a batch of 32 utterances added to an accumulator: {1000 * sorted(times)[150]:.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
