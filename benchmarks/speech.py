"""Speech against the tools people use, in the same run: jiwer, kaldialign and meeteval.

    python benchmarks/speech.py [--utterances 100000]

Generated text: utterances of 20 words with 15 % of errors, read from files; one pair of texts of 20,000 words; one
pair of sentences, in a process that has scored before; and the first number of a new process.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import aune

VOCABULARY = [f"w{number}" for number in range(20_000)]


def corrupt_words(words: list[str], rng: random.Random) -> list[str]:
    made = []
    for word in words:
        chance = rng.random()
        if chance >= 0.04:
            made.append(rng.choice(VOCABULARY) if chance < 0.12 else word)
        if chance > 0.97:
            made.append(rng.choice(VOCABULARY))
    return made


def generate(folder: Path, utterances: int, rng: random.Random) -> tuple[Path, Path]:
    key, response = folder / "key.txt", folder / "response.txt"
    with key.open("w") as key_file, response.open("w") as response_file:
        for number in range(utterances):
            words = [rng.choice(VOCABULARY) for _ in range(20)]
            key_file.write(f"utt{number:07d} {' '.join(words)}\n")
            response_file.write(f"utt{number:07d} {' '.join(corrupt_words(words, rng))}\n")
    return key, response


def texts(path: Path) -> list[str]:
    return [line.partition(" ")[2] for line in path.read_text().splitlines()]


def time_work(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def by_aune(key: Path, response: Path) -> int:
    counts = aune.score("speech", str(key), str(response), measures=["wer"])["wer"].counts
    return int(counts["substitutions"] + counts["deletions"] + counts["insertions"])


def by_jiwer(key: Path, response: Path) -> int:
    import jiwer

    output = jiwer.process_words(texts(key), texts(response))
    return int(output.substitutions + output.deletions + output.insertions)


def by_meeteval(key: Path, response: Path) -> int:
    import meeteval

    rate = meeteval.wer.wer.siso.siso_word_error_rate
    return int(
        sum(
            rate(key_text, response_text).errors
            for key_text, response_text in zip(texts(key), texts(response), strict=True)
        )
    )


def by_kaldialign(key: Path, response: Path) -> int:
    import kaldialign

    pairs = zip(texts(key), texts(response), strict=True)
    return sum(
        int(kaldialign.edit_distance(key_text.split(), response_text.split())["total"])
        for key_text, response_text in pairs
    )


def compare_sides(key: Path, response: Path) -> None:
    aune.score("speech", ["a"], ["b"], measures=["wer"])  # imports are not part of the work
    times = {}
    errors = set()
    for name, work in CONTESTANTS:
        try:
            times[name], total = time_work(lambda work=work: work(key, response))  # type: ignore[misc]
        except ModuleNotFoundError as error:
            print(f"  {name}: not installed ({error.name})")
            continue
        errors.add(total)
        ratio = f"  {times[name] / times['aune']:5.1f} × aune" if name != "aune" else ""
        print(f"  {name:10} {times[name]:7.2f} s  {total} errors{ratio}")
    print("  the same error totals" if len(errors) == 1 else f"  DIFFERENT error totals: {errors}")


def long_pair(rng: random.Random) -> None:
    words = [rng.choice(VOCABULARY[:5000]) for _ in range(20_000)]
    other = corrupt_words(words, rng)
    for kind in ("levenshtein", "sclite", "similar"):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds, result = time_work(
            lambda kind=kind: aune.score("speech", [words], [other], measures=["wer"], alignment=kind)  # type: ignore[misc]
        )
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"  {kind:12} {seconds:6.2f} s  {grown:5.0f} MB more at the peak  WER {result['wer'].wer:.4f}")

    seconds, rate = time_work(lambda: jiwer_rate(" ".join(words), " ".join(other)))
    print(f"  {'jiwer':12} {seconds:6.2f} s  WER {rate:.4f}")


def jiwer_rate(key: str, response: str) -> float:
    import jiwer

    return float(jiwer.wer(key, response))


def kaldialign_rate(key: str, response: str) -> float:
    import kaldialign

    return float(kaldialign.edit_distance(key.split(), response.split())["total"] / len(key.split()))


def aune_rate(key: str, response: str) -> float:
    return float(aune.score("speech", [key], [response], measures=["wer"])["wer"].wer)


CONTESTANTS = (("aune", by_aune), ("jiwer", by_jiwer), ("kaldialign", by_kaldialign), ("meeteval", by_meeteval))
PAIRS = {"jiwer": jiwer_rate, "kaldialign": kaldialign_rate}
FIRST = {
    "aune": "import aune; aune.score('speech', ['one two'], ['one too'], measures=['wer'])",
    "numpy alone": "import numpy",
    "jiwer": "import jiwer; jiwer.wer('one two', 'one too')",
    "kaldialign": "import kaldialign; kaldialign.edit_distance(['one', 'two'], ['one', 'too'])",
}
SMALL_CALLS = 300


def small_calls() -> None:
    """One pair of sentences, again and again; then the CPU seconds of a process up to its first number."""
    key, response = "the quick brown fox jumps over the dog", "the quick brown socks jumped over a dog"
    scores = aune.accumulate("speech", measures=["wer"])
    contestants: dict[str, Callable[[str, str], Any]] = {"aune": aune_rate, **PAIRS}
    contestants["aune, a batch of one"] = lambda key, response: scores.add([key], [response])
    for name, work in contestants.items():
        work(key, response)
        started = time.process_time()
        for _ in range(SMALL_CALLS):
            work(key, response)
        print(f"  {name:30} {(time.process_time() - started) / SMALL_CALLS * 1e6:7.1f} µs")
    for name, script in FIRST.items():
        seconds = min(cpu_seconds(script) for _ in range(5))
        print(f"  {name:30} {seconds:7.3f} CPU s up to the first number")


def cpu_seconds(script: str) -> float:
    """What a new process takes for a script."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", script], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


WHOLE = "aune.score('speech', *sys.argv[1:3], measures=['wer'])"


def memory(key: Path, response: Path, utterances: int, work: str) -> None:
    """The peak of a process of its own, on a tenth of the utterances and on all of them."""
    script = (
        f"import re, sys, aune\n{work}\nprint(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    peaks = []
    for share in (10, 1):
        paths = []
        for path in (key, response):
            part = path.with_name(f"{path.name}.{share}")
            with path.open() as lines:
                part.write_text("".join(line for line, _ in zip(lines, range(utterances // share), strict=False)))
            paths.append(str(part))
        done = subprocess.run([sys.executable, "-c", script, *paths], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    each = 1024 * (peaks[1] - peaks[0]) / (utterances - utterances // 10)
    print(f"  {peaks[0] // 1024} MB and {peaks[1] // 1024} MB: {each:.0f} bytes for each utterance more")


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--utterances", type=int, default=100_000)
    size = parser.parse_args(arguments).utterances
    rng = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        key, response = generate(Path(folder), size, rng)
        print(f"{size} utterances of 20 words, reading included")
        compare_sides(key, response)
        print("memory, the files read in pieces")
        memory(key, response, size, WHOLE)
    print("one pair of 20,000 words")
    long_pair(rng)
    print("one pair of sentences")
    small_calls()


if __name__ == "__main__":
    main(sys.argv[1:])
