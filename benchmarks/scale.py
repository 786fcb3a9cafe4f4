"""CPU seconds and real peak memory of the evaluator at every size: pieces, workers, any order, rows, accumulators.

`python -m benchmarks.scale --share 0.1` runs everything at a tenth of the sizes that the targets are for;
`python -m benchmarks.scale --share 1 --page` at these sizes, and writes what it measured into docs/guides/billion.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import aune
from aune.evaluation import streaming
from benchmarks.harness import of_tests

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
    with LocalCluster(n_workers=int(workers), threads_per_worker=1, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            started = time.perf_counter()
            aune.evaluate(task, key, {"A": response}, engine=client)
            print(time.perf_counter() - started)
"""
COLLECTING = """
import sys, time, aune
from aune.contract import registry
if __name__ == "__main__":
    task, key, response, workers = sys.argv[1:]
    registry.formats(task), registry.measures(task)
    started = time.thread_time()
    aune.evaluate(task, key, {"A": response}, workers=int(workers))
    print(time.thread_time() - started)
"""
INTERVALS = """
import sys, aune
from aune.statistics.intervals import with_intervals
with_intervals(aune.load(sys.argv[1]))
"""
READING = """
import sys, time
from aune.contract import registry
from aune.reading.corpus import read
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
from aune.contract import registry
task, key, response = sys.argv[1:]
registry.formats(task), registry.measures(task)
started = time.process_time()
aune.evaluate(task, key, {"A": response})
print(time.process_time() - started)
"""


PAGE = Path(__file__).parents[1] / "docs/guides/billion.md"
BEGIN, END = "<!-- measured: benchmarks/scale.py -->", "<!-- end of what was measured -->"
WORDS = 10  # of an utterance


@dataclass
class Figures:
    """What was measured, for the page."""

    speech: dict[int, Used] = field(default_factory=dict)
    """By the number of utterances."""
    shuffled: dict[int, Used] = field(default_factory=dict)
    coref: dict[int, Used] = field(default_factory=dict)
    """By megabytes on each side."""
    faster: dict[tuple[str, int, str], float] = field(default_factory=dict)
    """How many times as fast two workers are, by task, size and kind of worker."""
    collector: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By what is scored, the CPU seconds of the thread that collects, and of all processes."""
    of_workers: list[float] = field(default_factory=list)
    """The peak memory of the largest worker of each run."""
    beside_reading: dict[str, float] = field(default_factory=dict)
    rows: dict[str, float] = field(default_factory=dict)
    batches: dict[str, float] = field(default_factory=dict)
    """Milliseconds."""
    calls: dict[str, float] = field(default_factory=dict)
    small: dict[str, float] = field(default_factory=dict)


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.1, help="of the sizes that the targets are for")
    parser.add_argument("--page", action="store_true", help=f"write the figures into {PAGE.name}")
    settings = parser.parse_args(arguments)
    figures, share = Figures(), settings.share
    million = round(1_000_000 * share)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        speech(figures, folder, million)
        for megabytes in (round(100 * share), round(400 * share)):
            coreference(figures, folder, max(1, megabytes))
        against_reading(figures, folder, max(1, round(500_000 * share)), max(1, round(100_000 * share)))
        same_digits(folder, max(1 << 16, round(400_000 * share)))
        time_storage(figures, folder, 10 * million)
    time_accumulation(figures)
    time_small_calls(figures)
    time_first_number(figures)
    if settings.page:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{section(figures)}\n\n{END}{rest.partition(END)[2]}", "utf-8")


def section(figures: Figures) -> str:
    """What the guide says of costs."""
    small, large = (figures.speech[size] for size in sorted(figures.speech)[-2:])
    more = (max(figures.speech) - sorted(figures.speech)[-2]) or 1
    microseconds, bytes_each = (large.cpu - small.cpu) / more * 1e6, (large.peak - small.peak) / more * 1e6
    seconds, gigabytes = microseconds * 1e9 / WORDS / 1e6, bytes_each * 1e9 / WORDS / 1e9
    lines = ["| utterances | words | CPU seconds | peak memory |", "|---|---|---|---|"]
    for note, sizes in (("", figures.speech), (", the response shuffled", figures.shuffled)):
        lines += [
            f"| {size:,}{note} | {size * WORDS / 1e6:g} million | {used.cpu:.1f} | {used.peak:.0f} MB |"
            for size, used in sizes.items()
        ]
    lines += ["", "| coreference, on each side | CPU seconds | peak memory |", "|---|---|---|"]
    lines += [f"| {size} MB | {used.cpu:.1f} | {used.peak:.0f} MB |" for size, used in figures.coref.items()]
    lines += ["", "| two workers, times as fast as one process | processes | Dask |", "|---|---|---|"]
    for task, size in dict.fromkeys((task, size) for task, size, _ in figures.faster):
        what = f"{size:,} utterances" if task == "speech" else f"coreference, {size} MB"
        ratios = " | ".join(f"{figures.faster[task, size, kind]:.2f}" for kind in ("processes", "workers of Dask"))
        lines.append(f"| {what} | {ratios} |")
    lines += ["", "| the thread that collects | CPU seconds | of all processes | busy with 2 workers | with 16 |"]
    lines += ["|---|---|---|---|---|"]
    lines += [
        f"| {what} | {busy:.2f} | {cpu:.1f} | {_busy_share(busy, cpu, 2):.1%} | {_busy_share(busy, cpu, 16):.0%} |"
        for what, (busy, cpu) in figures.collector.items()
    ]
    sorting = sum(used.cpu / figures.speech[size].cpu for size, used in figures.shuffled.items())
    room = sum(used.peak / figures.speech[size].peak for size, used in figures.shuffled.items())
    lines += [
        "",
        f"A worker takes {max(figures.of_workers):.0f} MB at most. Scoring takes "
        + ", ".join(f"{times:.2f} times the CPU seconds of reading alone for {what}"
                    for what, times in figures.beside_reading.items())
        + ".",
        f"On disk {figures.rows['rows']:,.0f} rows of word and character errors take "
        f"{figures.rows['MB']:.0f} MB, and intervals from them {figures.rows['cpu']:.1f} CPU seconds and "
        f"{figures.rows['peak']:.0f} MB.",
        "A batch of 32 added to an accumulator takes "
        + ", ".join(f"{spent:.2f} ms ({what})" for what, spent in figures.batches.items())
        + ". One pair of sentences scored by `aune.score` takes "
        + ", ".join(f"{spent:.0f} µs ({what})" for what, spent in figures.calls.items())
        + f". In CPU seconds, {', '.join(f'{what} takes {spent:.2f}' for what, spent in figures.small.items())}.",
        "",
        f"An utterance of ten words takes {microseconds:.1f} µs and {bytes_each:.0f} bytes. So a billion words "
        f"(100 million utterances) are {seconds:,.0f} CPU seconds, which all workers share, and {gigabytes:.1f} GB in "
        "the process that collects them: write parts with `--rows`, or name only the measures you need. A shuffled "
        f"response takes {sorting:.1f} times as long and {room:.1f} times the room: sort it first if you can.",
    ]  # fmt: skip
    return "\n".join(lines)


def speech(figures: Figures, folder: Path, million: int) -> None:
    for size in (million // 4, million, 4 * million):
        key, response = utterances(folder, size)
        target = {million: "14 CPU s for a million", 4 * million: "300 MB for four million"}.get(size, "")
        alone = report(f"{size:,} utterances", target, EVALUATE, "speech", key, response, 1)
        figures.speech[size] = alone
        if size >= million:
            collecting(figures, "speech", f"{size:,} utterances", key, response)
            workers(figures, "speech", size, f"{size:,} utterances", key, response, alone)
        if size == million:
            lines = response.read_text().splitlines(keepends=True)
            random.Random(1).shuffle(lines)
            response.write_text("".join(lines))
            del lines
            figures.shuffled[size] = report(
                f"{size:,} utterances, shuffled", "500 MB for a million", EVALUATE, "speech", key, response, 1
            )


def coreference(figures: Figures, folder: Path, megabytes: int) -> None:
    key, response = documents(folder, megabytes)
    what = f"coreference, {megabytes} MB each"
    alone = report(what, "8 CPU s and 250 MB for 100 MB", EVALUATE, "coref", key, response, 1)
    figures.coref[megabytes] = alone
    collecting(figures, "coref", what, key, response)
    workers(figures, "coref", megabytes, what, key, response, alone)


def workers(figures: Figures, task: str, size: int, what: str, key: Path, response: Path, alone: Used) -> None:
    """Two workers: their memory, and how much faster they are than one process (on a quiet machine).

    What a worker costs before it counts (imports above all) weighs less the more there is to count.
    """
    for name, script, wanted in (("processes", EVALUATE, 1.7), ("workers of Dask", DASK, 1.5)):
        used = report(f"{what}, two {name}", "200 MB a worker", script, task, key, response, 2)
        figures.faster[task, size, name] = float(alone.answer) / float(used.answer)
        figures.of_workers.append(used.worker)
        print(f"  {figures.faster[task, size, name]:.2f} times as fast as one process  [{wanted}]", flush=True)


def collecting(figures: Figures, task: str, what: str, key: Path, response: Path) -> None:
    """How long the thread is busy that hands out pieces and merges what they count: the others wait for it alone."""
    used = watch_process(COLLECTING, task, str(key), str(response), "2")
    busy = float(used.answer)
    figures.collector[what] = busy, used.cpu
    print(
        f"{what}: the collector is busy for {busy:.2f} s of {used.cpu:.1f} CPU s of all processes: "
        f"{_busy_share(busy, used.cpu, 2):.1%} of the time with 2 workers, {_busy_share(busy, used.cpu, 16):.1%} of 16",
        flush=True,
    )


def _busy_share(busy: float, cpu: float, workers: int) -> float:
    """The share of time for which the collector is busy while so many workers count."""
    return busy / ((cpu - busy) / workers)


def against_reading(figures: Figures, folder: Path, words: int, utterances_: int) -> None:
    """What scoring takes beside reading the same files."""
    for task, what, paths in (
        ("tagging", f"{words:,} words of CoNLL-U", treebank(folder, words)),
        ("speech", f"{utterances_:,} utterances", utterances(folder, utterances_)),
    ):
        files = [str(path) for path in paths]
        reading, scoring = (float(watch_process(script, task, *files).answer) for script in (READING, SCORING))
        figures.beside_reading[what] = scoring / reading
        times = f"{scoring:.2f} CPU s, reading alone {reading:.2f}"
        print(f"{what}: {times}: {scoring / reading:.2f} times  [1.5]", flush=True)


def same_digits(folder: Path, size: int) -> None:
    """The law of pieces: the usual measures of speech at the real sizes, then all tasks and measures in small pieces.

    There the response is in another order, lacks documents and has others; all that a result says is compared.
    """
    key, response = str(folder / "key.jsonl"), {"A": str(folder / "response.jsonl")}
    pieces = {f"{length >> 10:,} kB": length for length in (1 << 16, 1 << 20, 1 << 22)}
    _compare_sides("speech, the usual measures", {
        what: partial(_in_pieces, length, "speech", key, response) for what, length in pieces.items()
    })  # fmt: skip
    corpora = of_tests("evaluation/corpora.py")
    for task in corpora.TASKS:
        many = size // len(json.dumps(corpora.records(task, 1)[0][0]))
        records, response_records, policy = corpora.damage_text("all", *corpora.records(task, many))
        home = folder / task
        home.mkdir()
        key, response, options = corpora.files(home, task, corpora.HOME[task], records, {"A": response_records})
        call = {**options, **policy, "measures": corpora.measures(task)}
        ways: dict[str, dict[str, Any]] = {
            "one process": {}, "two processes": {"workers": 2}, "Dask": {"engine": "dask", "workers": 2}
        }  # fmt: skip
        _compare_sides(f"{task}, all measures, {many:,} documents", {
            "read whole": partial(_in_pieces, 1 << 30, task, key, response, **call),
            **{f"64 kB, {way}": partial(_in_pieces, 1 << 16, task, key, response, **call, **engine)
               for way, engine in ways.items()},
        })  # fmt: skip


def _compare_sides(what: str, ways: Mapping[str, Callable[[], str]]) -> None:
    """Say whether all ways give the same."""
    answers = {way: run() for way, run in ways.items()}
    others = [way for way, answer in answers.items() if answer != next(iter(answers.values()))]
    verdict = f"DIFFERENT: {', '.join(others)}" if others else "the same digits"
    print(f"{what} ({'; '.join(answers)}): {verdict}", flush=True)


def _in_pieces(length: int, *arguments: Any, **options: Any) -> str:
    """All that a result of files cut into pieces of about this length says, as a digest."""
    streaming.PIECE = length
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", aune.AuneWarning)
            return _result_text(aune.evaluate(*arguments, **options))
    finally:
        streaming.PIECE = 1 << 20


def _result_text(result: aune.Result) -> str:
    """All that a result says, as a digest."""
    digest = hashlib.sha256(result.to_json().encode())
    for scored in result:
        digest.update(np.ascontiguousarray(scored.rows.matrix).tobytes())
        digest.update(repr([(name, list(values)) for name, values in scored.rows.attributes.items()]).encode())
    return digest.hexdigest()


class Used(NamedTuple):
    """What a command and all processes under it used."""

    wall: float
    cpu: float
    peak: float
    """Of the command itself, in MB."""
    worker: float
    """Of the largest process under it."""
    answer: str
    """What it printed."""


def report(what: str, target: str, script: str, *arguments: object) -> Used:
    used = watch_process(script, *map(str, arguments))
    below = f", {used.worker:.0f} MB in the largest process under it" if used.worker else ""
    print(
        f"{what}: {float(used.answer):.1f} s, {used.cpu:.1f} CPU s, {used.peak:.0f} MB{below}"
        + f"  [{target}]" * bool(target),
        flush=True,
    )
    return used


def watch_process(script: str, *arguments: str) -> Used:
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
        answer = output.read().strip()
    if process.returncode:
        raise SystemExit(process.returncode)
    below = [peak for number, peak in peaks.items() if number != process.pid]
    return Used(time.time() - begun, sum(seconds.values()), peaks[process.pid], max(below, default=0), answer)


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
    match = re.search(r"VmHWM:\s*(\d+)", status)
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return max(peak, int(match[1]) / 1024 if match else 0), max(seconds, used)


def utterances(folder: Path, size: int) -> tuple[Path, Path]:
    """As many lines of JSON as utterances, ten words each, one in ten of them wrong."""
    rng = random.Random(3)
    words = [f"w{number}" for number in range(3000)]
    paths = folder / "key.jsonl", folder / "response.jsonl"
    with paths[0].open("w") as key, paths[1].open("w") as response:
        for number in range(size):
            key_words = rng.choices(words, k=10)
            response_words = [word if rng.random() < 0.9 else "x" for word in key_words]
            for file, text in ((key, key_words), (response, response_words)):
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
                for file, tag_of_side in ((key, tag), (response, tag if rng.random() < 0.95 else rng.choice(tags))):
                    file.write(f"{number}\t{form}\t{form[:4]}\t{tag_of_side}\t_\t{feats}\t{head}\tdep\t_\t_\n")
            for file in (key, response):
                file.write("\n")
    return paths


def time_storage(figures: Figures, folder: Path, size: int) -> None:
    """Rows as Parquet: how large, and what intervals from them take."""
    write_rows(folder / "rows", size)
    stored_bytes = sum(file.stat().st_size for file in (folder / "rows").iterdir())
    used = watch_process(INTERVALS, str(folder / "rows"))
    figures.rows = {"rows": size, "MB": stored_bytes / 1e6, "cpu": used.cpu, "peak": used.peak}
    print(
        f"{size:,} rows on disk: {stored_bytes / 1e6:.1f} MB, {stored_bytes / size:.1f} bytes a row  "
        "[100 MB for ten million]"
    )
    print(f"intervals from them: {used.cpu:.1f} CPU s, {used.peak:.0f} MB  [10 CPU s and 300 MB for ten million]")


def write_rows(folder: Path, size: int) -> None:
    """Word and character errors of utterances of varied lengths by speakers of varied skill."""
    from aune.results.rows import Attribute, CodedColumn, PackedStrings, Rows, shrink_type

    rng = np.random.default_rng(6)
    words = np.clip(rng.lognormal(2.4, 0.6, size), 1, 120).astype(np.int64)
    skill = rng.beta(2, 12, 2000)
    speakers = np.sort(rng.integers(0, 2000, size))
    columns = []
    for length, ease in ((words, 1.0), ((words * rng.normal(5.2, 0.6, size)).astype(np.int64).clip(1), 0.5)):
        wrong = rng.binomial(length, skill[speakers] * ease)
        substituted = rng.binomial(wrong, 0.7)
        inserted = rng.binomial(length, 0.02)
        columns.append([shrink_type(column) for column in (length - wrong, substituted, wrong - substituted, inserted)])
    names = PackedStrings.from_strings(
        [f"{speaker:04d}-{number:08d}" for number, speaker in enumerate(speakers.tolist())]
    )
    utterances = Attribute([CodedColumn(names)])
    attributes = {
        "document": utterances,
        "utterance": utterances,
        "speaker": Attribute(
            [
                CodedColumn(
                    PackedStrings.from_strings([f"speaker {number}" for number in range(2000)]), shrink_type(speakers)
                )
            ]
        ),
    }
    result = aune.score("speech", {"a": "one two"}, {"a": "one too"}, measures=["wer", "cer"])
    scores = [
        replace(score, rows=Rows(attributes, [column], score.rows.layout))
        for score, column in zip(result, columns, strict=True)
    ]
    aune.save(replace(result, scores=scores), folder)


def time_accumulation(figures: Figures) -> None:
    """A batch of 32, beside what others take for it."""
    import jiwer
    from seqeval.metrics import f1_score  # type: ignore[import-untyped]

    rng = random.Random(5)
    words = [f"w{number}" for number in range(500)]
    key = [" ".join(rng.choices(words, k=10)) for _ in range(32)]
    response = [text.replace("w1", "x") for text in key]
    scores = aune.accumulate("speech", measures=["wer"])
    tags, response_tags = (
        [rng.choices(["O", "O", "O", "B-PER", "B-LOC", "I-LOC"], k=20) for _ in range(32)] for _ in "kr"
    )
    entities = aune.accumulate("entities", measures=["f_measure"])
    accuracy = aune.accumulate("tagging", measures=["accuracy"])
    for what, target, run in (
        ("wer", "0.20", lambda: scores.add(key, response)),
        ("wer by jiwer", "", lambda: jiwer.wer(key, response)),
        ("f_measure of entities", "0.20", lambda: entities.add(tags, response_tags)),
        ("f1 by seqeval", "", lambda: f1_score(tags, response_tags)),
        ("accuracy of tags", "0.20", lambda: accuracy.add(tags, response_tags)),
    ):
        spent = figures.batches[what] = median_time(run)
        print(f"a batch of 32, {what}: {spent:.2f} ms of CPU" + f"  [{target}]" * bool(target), flush=True)


def time_small_calls(figures: Figures) -> None:
    """One pair of sentences, after the first call, in microseconds; jiwer beside it."""
    import jiwer

    key, response = "the quick brown fox jumps over the dog", "the quick brown socks jumped over a dog"
    entities, tags = [["B-PER", "I-PER", "O", "B-LOC"]], [["DET", "NOUN", "VERB"]]
    chains = [{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}]
    for what, run in (
        ("wer", lambda: aune.score("speech", [key], [response], measures=["wer"])["wer"].wer),
        ("wer by jiwer", lambda: jiwer.wer(key, response)),
        ("accuracy of tags", lambda: aune.score("tagging", tags, tags, measures=["accuracy"])["accuracy"].accuracy),
        ("f_measure of entities", lambda: aune.score("entities", entities, entities, measures=["f_measure"])),
        ("cer", lambda: aune.score("speech", [key], [response], measures=["cer"])),
        ("muc", lambda: aune.score("coref", *chains, measures=["muc"])),
    ):
        spent = figures.calls[what] = 1000 * median_time(run)
        print(f"one pair of sentences, {what}: {spent:.0f} µs of CPU" + "  [60]" * (what == "wer"), flush=True)


def time_first_number(figures: Figures) -> None:
    """What `aune --help` and a small call take; tests see to it that they import nothing unasked."""
    for what, script in (
        ("`aune --help`", "import sys; sys.argv[1:] = ['--help']\nfrom aune.cli import main\nmain()"),
        ("a score of two sentences", "import aune; aune.score('speech', ['one two'], ['one too'], measures=['wer'])"),
        ("of which numpy alone", "import numpy"),
    ):
        runs = [watch_process(f"{script}").cpu for _ in range(3)]
        figures.small[what] = min(runs)
        print(f"{what}: {min(runs):.2f} CPU s", flush=True)


def median_time(run: Callable[[], Any]) -> float:
    """The median of many runs, in milliseconds."""
    times = []
    for _ in range(300):
        started = time.process_time_ns()
        run()
        times.append(time.process_time_ns() - started)
    return sorted(times)[150] / 1e6


if __name__ == "__main__":
    main(sys.argv[1:])
