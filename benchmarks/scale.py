"""CPU seconds and real peak memory of the evaluator at every size: pieces, workers, any order, rows, accumulators.

`python -m benchmarks.scale --share 0.1` runs everything at a tenth of the sizes that the targets are for.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import aune

EVALUATE = """
import sys, time, aune
if __name__ == "__main__":
    task, key, response, workers = sys.argv[1:]
    started = time.perf_counter()
    aune.evaluate(task, key, {"A": response}, workers=int(workers))
    print(time.perf_counter() - started)
"""
DASK = """
import sys, time, aune
from distributed import Client, LocalCluster
if __name__ == "__main__":
    task, key, response, workers = sys.argv[1:]
    with LocalCluster(n_workers=int(workers), threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            started = time.perf_counter()
            aune.evaluate(task, key, {"A": response}, engine=client)
            print(time.perf_counter() - started)
"""
INTERVALS = """
import sys, aune
from aune.statistics.intervals import with_intervals
with_intervals(aune.load(sys.argv[1]))
"""
READING = """
import sys, time
from aune.core import registry
from aune.core.corpus import read
task, *paths = sys.argv[1:]
home = registry.task(task)
registry.formats(task), registry.measures(task)
started = time.process_time()
for path in paths:
    read(home, path)
print(time.process_time() - started)
"""
SCORING = """
import sys, time, aune
from aune.core import registry
task, key, response = sys.argv[1:]
registry.formats(task), registry.measures(task)
started = time.process_time()
aune.evaluate(task, key, {"A": response})
print(time.process_time() - started)
"""


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.1, help="of the sizes that the targets are for")
    share = parser.parse_args(arguments).share
    million = round(1_000_000 * share)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        speech(folder, million)
        for megabytes in (round(100 * share), round(400 * share)):
            coreference(folder, max(1, megabytes))
        against_reading(folder, max(1, round(500_000 * share)), max(1, round(100_000 * share)))
        same_digits(folder)
        stored(folder, 10 * million)
    accumulated()
    started()


def speech(folder: Path, million: int) -> None:
    for size in (million // 4, million, 4 * million):
        key, response = utterances(folder, size)
        target = {million: "14 CPU s for a million", 4 * million: "300 MB for four million"}.get(size, "")
        alone = report(f"{size:,} utterances", target, EVALUATE, "speech", key, response, 1)
        if size >= million:
            workers("speech", f"{size:,} utterances", key, response, alone)
        if size == million:
            lines = response.read_text().splitlines(keepends=True)
            random.Random(1).shuffle(lines)
            response.write_text("".join(lines))
            del lines
            report(f"{size:,} utterances, shuffled", "500 MB for a million", EVALUATE, "speech", key, response, 1)


def coreference(folder: Path, megabytes: int) -> None:
    key, response = documents(folder, megabytes)
    what = f"coreference, {megabytes} MB each"
    alone = report(what, "8 CPU s and 250 MB for 100 MB", EVALUATE, "coref", key, response, 1)
    workers("coref", what, key, response, alone)


def workers(task: str, what: str, key: Path, response: Path, alone: Used) -> None:
    """Two workers: their memory, and how much faster they are than one process (on a quiet machine).

    What a worker costs before it counts (imports above all) weighs less the more there is to count.
    """
    for name, script, wanted in (("processes", EVALUATE, 1.7), ("workers of Dask", DASK, 1.5)):
        used = report(f"{what}, two {name}", "200 MB a worker", script, task, key, response, 2)
        print(f"  {float(alone.said) / float(used.said):.2f} times as fast as one process  [{wanted}]", flush=True)


def against_reading(folder: Path, words: int, utterances_: int) -> None:
    """What scoring takes beside reading the same files."""
    for task, what, paths in (
        ("tagging", f"{words:,} words of CoNLL-U", treebank(folder, words)),
        ("speech", f"{utterances_:,} utterances", utterances(folder, utterances_)),
    ):
        files = [str(path) for path in paths]
        reading, scoring = (float(watched(script, task, *files).said) for script in (READING, SCORING))
        times = f"{scoring:.2f} CPU s, reading alone {reading:.2f}"
        print(f"{what}: {times}: {scoring / reading:.2f} times  [1.5]", flush=True)


def same_digits(folder: Path) -> None:
    """The law of pieces at the real sizes: the same result, to the last digit, for 64 kB, 1 MB and 4 MB."""
    from aune.core import streams

    key, response = folder / "key.jsonl", folder / "response.jsonl"
    found = set()
    for size in (1 << 16, 1 << 20, 1 << 22):
        streams.PIECE = size
        found.add(aune.evaluate("speech", str(key), {"A": str(response)}).to_json())
    streams.PIECE = 1 << 20
    print(f"pieces of 64 kB, 1 MB and 4 MB: {'the same digits' if len(found) == 1 else 'DIFFERENT'}", flush=True)


class Used(NamedTuple):
    """What a command and all processes under it used."""

    wall: float
    cpu: float
    peak: float
    """Of the command itself, in MB."""
    worker: float
    """Of the largest process under it."""
    said: str
    """What it printed."""


def report(what: str, target: str, script: str, *arguments: object) -> Used:
    used = watched(script, *map(str, arguments))
    below = f", {used.worker:.0f} MB in the largest process under it" if used.worker else ""
    print(
        f"{what}: {float(used.said):.1f} s, {used.cpu:.1f} CPU s, {used.peak:.0f} MB{below}"
        + f"  [{target}]" * bool(target),
        flush=True,
    )
    return used


def watched(script: str, *arguments: str) -> Used:
    """Run Python and look at it and at what it starts, twenty times a second."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file, tempfile.TemporaryFile("w+") as output:
        file.write(script)
        file.flush()
        begun = time.time()
        compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.Popen([sys.executable, file.name, *arguments], stdout=output, env=compiled)
        peaks: dict[int, float] = {}
        seconds: dict[int, float] = {}
        while process.poll() is None:
            for number in _family(process.pid):
                peaks[number], seconds[number] = _looked_at(number, peaks.get(number, 0), seconds.get(number, 0))
            time.sleep(0.05)
        output.seek(0)
        said = output.read().strip()
    if process.returncode:
        raise SystemExit(process.returncode)
    below = [peak for number, peak in peaks.items() if number != process.pid]
    return Used(time.time() - begun, sum(seconds.values()), peaks[process.pid], max(below, default=0), said)


def _family(parent: int) -> list[int]:
    """A process and all that it started, as Linux lists them."""
    try:
        threads = list(Path(f"/proc/{parent}/task").iterdir())
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []
    return [parent, *(number for child in children for number in _family(int(child)))]


def _looked_at(number: int, peak: float, seconds: float) -> tuple[float, float]:
    """The peak memory and the CPU seconds of a process so far; what was known of one that is gone."""
    try:
        status = Path(f"/proc/{number}/status").read_text()
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return peak, seconds
    found = re.search(r"VmHWM:\s*(\d+)", status)
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return max(peak, int(found[1]) / 1024 if found else 0), max(seconds, used)


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


def treebank(folder: Path, words: int) -> tuple[Path, Path]:
    """Trees of twenty words, one tag in twenty wrong, as CoNLL-U."""
    rng = random.Random(7)
    tags = ["NOUN", "VERB", "DET", "ADJ", "ADP", "PRON"]
    paths = folder / "key.conllu", folder / "response.conllu"
    with paths[0].open("w") as key, paths[1].open("w") as response:
        for sentence in range(words // 20):
            for file in (key, response):
                file.write(f"# sent_id = {sentence}\n")
            for number in range(1, 21):
                form, tag = f"w{rng.randint(0, 20_000)}", rng.choice(tags)
                feats, head = rng.choice(["Number=Sing", "Number=Plur|Gender=Masc", "_"]), rng.randint(0, 20)
                for file, own in ((key, tag), (response, tag if rng.random() < 0.95 else rng.choice(tags))):
                    file.write(f"{number}\t{form}\t{form[:4]}\t{own}\t_\t{feats}\t{head}\tdep\t_\t_\n")
            for file in (key, response):
                file.write("\n")
    return paths


def stored(folder: Path, size: int) -> None:
    """Rows as Parquet: how large, and what intervals from them take."""
    write_rows(folder / "rows", size)
    held = sum(file.stat().st_size for file in (folder / "rows").iterdir())
    used = watched(INTERVALS, str(folder / "rows"))
    print(f"{size:,} rows on disk: {held / 1e6:.1f} MB, {held / size:.1f} bytes a row  [100 MB for ten million]")
    print(f"intervals from them: {used.cpu:.1f} CPU s, {used.peak:.0f} MB  [10 CPU s and 300 MB for ten million]")


def write_rows(folder: Path, size: int) -> None:
    """Word and character errors of utterances of varied lengths by speakers of varied skill."""
    from dataclasses import replace

    from aune.core.rows import Attribute, Coded, Names, Rows, smallest

    rng = np.random.default_rng(6)
    words = np.clip(rng.lognormal(2.4, 0.6, size), 1, 120).astype(np.int64)
    skill = rng.beta(2, 12, 2000)
    speakers = np.sort(rng.integers(0, 2000, size))
    columns = []
    for length, ease in ((words, 1.0), ((words * rng.normal(5.2, 0.6, size)).astype(np.int64).clip(1), 0.5)):
        wrong = rng.binomial(length, skill[speakers] * ease)
        substituted = rng.binomial(wrong, 0.7)
        inserted = rng.binomial(length, 0.02)
        columns.append([smallest(one) for one in (length - wrong, substituted, wrong - substituted, inserted)])
    names = Names.of([f"{speaker:04d}-{number:08d}" for number, speaker in enumerate(speakers.tolist())])
    utterances = Attribute([Coded(names)])
    attributes = {
        "document": utterances,
        "utterance": utterances,
        "speaker": Attribute([Coded(Names.of([f"speaker {number}" for number in range(2000)]), smallest(speakers))]),
    }
    result = aune.score("speech", {"a": "one two"}, {"a": "one too"}, measures=["wer", "cer"])
    scores = [
        replace(score, rows=Rows(attributes, [own], score.rows.layout))
        for score, own in zip(result, columns, strict=True)
    ]
    aune.save(replace(result, scores=scores), folder)


def accumulated() -> None:
    """A batch of 32, beside what others take for it."""
    import jiwer
    from seqeval.metrics import f1_score  # type: ignore[import-untyped]

    rng = random.Random(5)
    words = [f"w{number}" for number in range(500)]
    key = [" ".join(rng.choices(words, k=10)) for _ in range(32)]
    response = [text.replace("w1", "x") for text in key]
    scores = aune.accumulate("speech", measures=["wer"])
    timed("32 utterances added to an accumulator of wer", lambda: scores.add(key, response))
    timed("the same by jiwer", lambda: jiwer.wer(key, response))
    tags, given = ([rng.choices(["O", "O", "O", "B-PER", "B-LOC", "I-LOC"], k=20) for _ in range(32)] for _ in "kr")
    entities = aune.accumulate("entities", measures=["f_measure"])
    timed("32 sentences added to an accumulator of f_measure", lambda: entities.add(tags, given))
    timed("the same by seqeval", lambda: f1_score(tags, given))
    accuracy = aune.accumulate("tagging", measures=["accuracy"])
    timed("32 sentences added to an accumulator of accuracy", lambda: accuracy.add(tags, given))


def started() -> None:
    """What `aune --help` and a small call take, and that they import nothing unasked."""
    for what, script in (
        ("aune --help", "import sys; sys.argv[1:] = ['--help']\nfrom aune.cli import main\nmain()"),
        ("a score of two sentences", "import aune; aune.score('speech', ['one two'], ['one too'])"),
    ):
        runs = [watched(f"{script}").cpu for _ in range(3)]
        print(f"{what}: {min(runs):.2f} CPU s", flush=True)


def timed(what: str, run: Callable[[], Any]) -> None:
    times = []
    for _ in range(300):
        started = time.process_time_ns()
        run()
        times.append(time.process_time_ns() - started)
    print(f"{what}: {sorted(times)[150] / 1e6:.2f} ms of CPU  [0.20]" if "added" in what else
          f"{what}: {sorted(times)[150] / 1e6:.2f} ms of CPU")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
