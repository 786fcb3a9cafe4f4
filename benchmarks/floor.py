"""What no scorer can beat on a machine: reading the bytes, `rapidfuzz` alone, and as many processes as it has cores.

    python benchmarks/floor.py [--utterances 12500000] [--workers 16] [--folder FOLDER]

Utterances of ten words, 9 % of them wrong, lie in one pair of files for each worker.
Every line of the output is the seconds that all workers need together, and how many times as fast as one they are:

- *reading* opens every file and reads its bytes once;
- *rapidfuzz* computes the word error distance of every pair of utterances, which are split into words beforehand and
  not counted in the time;
- *aune, apart* scores every pair of files in a process of its own, all at once and with nothing to collect: the
  speed-up of this machine, which the speed-up of `--workers` can come near to but not exceed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

SENTENCES = 20_000  # different ones in a file
VOCABULARY = 20_000


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="What no scorer can beat on this machine.")
    parser.add_argument("--utterances", type=int, default=12_500_000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--folder", help="where the files are made; a temporary folder by default")
    settings = parser.parse_args(arguments)
    size = settings.utterances // settings.workers
    with (
        tempfile.TemporaryDirectory(dir=settings.folder) as name,
        get_context("spawn").Pool(settings.workers) as pool,
    ):
        folder = Path(name)
        pool.map(partial(write_part, folder, size), range(settings.workers))
        gigabytes = sum(path.stat().st_size for path in folder.iterdir()) / 1e9
        print(f"{size * settings.workers:,} utterances, {gigabytes:.2f} GB in all, {settings.workers} workers")
        for what, work in (("reading", read_bytes), ("rapidfuzz", align_words), ("aune, apart", score_part)):
            pool.map(partial(work, folder), range(settings.workers))  # imports, and the files in memory
            alone = time_work(pool, partial(work, folder), 1)
            together = time_work(pool, partial(work, folder), settings.workers)
            in_turn = alone * settings.workers
            print(f"{what}: one worker {in_turn:.2f} s, all {together:.2f} s, {in_turn / together:.1f} times as fast")


def time_work(pool: Any, work: Callable[[int], float], workers: int) -> float:
    """The seconds that the slowest of some workers needs; each takes a part of its own, all at the same time."""
    return max(float(seconds) for seconds in pool.map(work, range(workers), chunksize=1))


def write_part(folder: Path, size: int, number: int) -> None:
    """One file of keys and one of responses."""
    draw = random.Random(number)
    words = ["".join(draw.choices("abcdefghijklmnop", k=3 + place % 6)) for place in range(VOCABULARY)]
    keys = [draw.choices(words, k=10) for _ in range(SENTENCES)]
    responses = [list(damage_text(words, sentence, draw)) for sentence in keys]
    with key_path(folder, number).open("w") as key, response_path(folder, number).open("w") as response:
        for place in range(size):
            for file, texts in ((key, keys), (response, responses)):
                text = " ".join(texts[place * 7 % SENTENCES])
                file.write(f'{{"id":"u{number}-{place}","text":"{text}"}}\n')


def damage_text(words: Sequence[str], sentence: Sequence[str], draw: random.Random) -> Any:
    """The words of a sentence, some of them substituted, deleted or followed by another."""
    for word in sentence:
        chance = draw.random()
        if chance < 0.05:
            yield draw.choice(words)
        elif chance >= 0.07:
            yield word
            if chance < 0.09:
                yield draw.choice(words)


def key_path(folder: Path, number: int) -> Path:
    return folder / f"key-{number:02}.jsonl"


def response_path(folder: Path, number: int) -> Path:
    return folder / f"response-{number:02}.jsonl"


def read_bytes(folder: Path, number: int) -> float:
    """Seconds for the bytes of a part."""
    buffer = memoryview(bytearray(1 << 20))
    started = time.perf_counter()
    for path in (key_path(folder, number), response_path(folder, number)):
        with path.open("rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
    return time.perf_counter() - started


def align_words(folder: Path, number: int) -> float:
    """Seconds that rapidfuzz takes for the utterances of a part."""
    from rapidfuzz.distance import Levenshtein

    seconds = 0.0
    with key_path(folder, number).open() as key, response_path(folder, number).open() as response:
        while lines := [pair for _, pair in zip(range(SENTENCES), zip(key, response, strict=True), strict=False)]:
            pairs = [[json.loads(line)["text"].split() for line in pair] for pair in lines]
            started = time.perf_counter()
            for key_words, response_words in pairs:
                Levenshtein.distance(key_words, response_words)
            seconds += time.perf_counter() - started
    return seconds


def score_part(folder: Path, number: int) -> float:
    """Seconds that aune takes for a part, in this process."""
    import aune

    started = time.perf_counter()
    aune.evaluate("speech", key_path(folder, number), {"A": response_path(folder, number)}, measures=["wer"])
    return time.perf_counter() - started


if __name__ == "__main__":
    main(sys.argv[1:])
