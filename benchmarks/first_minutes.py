"""The first five minutes: time to the first number, time of --help, size of the installation, share of signatures.

Times are those of the processor, the least of a few runs, of a process that starts, imports and scores one short
sentence. Sizes are those of the installed files of a package and of all that it requires. sacreBLEU is compared where
it is installed (pip install sacrebleu).
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 5
MEGABYTE = 1e6
PYTHON = [sys.executable, "-c"]
FIRST_NUMBERS = {
    "aune": [*PYTHON, "import aune; print(aune.score('asr', ['one two'], ['one too'], measures='wer')['wer'].wer)"],
    "numpy alone": [*PYTHON, "import numpy"],
    "jiwer": [*PYTHON, "import jiwer; print(jiwer.wer(['one two'], ['one too']))"],
    "seqeval": [*PYTHON, "from seqeval.metrics import f1_score; print(f1_score([['B-PER', 'O']], [['B-PER', 'O']]))"],
    "sacrebleu": [*PYTHON, "import sacrebleu; print(sacrebleu.corpus_bleu(['one too'], [['one two']]).score)"],
}
SCRIPTS = Path(sys.executable).parent
HELPS = {name: [str(SCRIPTS / name), "--help"] for name in ("aune", "jiwer", "sacrebleu")}
"""seqeval has no command."""
OUTPUTS = {
    "score asr": "score asr speech/key.jsonl speech/north.jsonl",
    "score ner": "score ner entities/key.conll entities/rules.conll",
    "score coref": "score coref coref/key.conll coref/neural.conll",
    "compare asr": "compare asr speech/key.jsonl speech/north.jsonl speech/south.jsonl -m wer",
}


def processor_seconds(command: Sequence[str]) -> float | None:
    """The least time of the processor that a command takes; None where it cannot be run."""
    least = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        except FileNotFoundError:
            return None
        if done.returncode:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def required_packages(name: str) -> set[str]:
    """A package and all that it requires, as far as installed, without extras."""
    waiting, names = [name], set()
    while waiting:
        package = waiting.pop().lower().replace("_", "-")
        try:
            requirements = distribution(package).requires or []
        except PackageNotFoundError:
            continue
        if package not in names:
            names.add(package)
            parsed = map(Requirement, requirements)
            waiting += [entry.name for entry in parsed if entry.marker is None or entry.marker.evaluate({"extra": ""})]
    return names


def installed_size(name: str) -> tuple[float, float]:
    """The megabytes of the files of a package, and of it with all that it requires; compiled files are left out."""
    sizes = {package: sum(file_sizes(package)) / MEGABYTE for package in required_packages(name)}
    package_size = sizes.get(name, 0.0)
    return package_size, sum(sizes.values())


def file_sizes(package: str) -> Iterator[int]:
    if package == "aune":  # installed from the checkout while one works
        folders = (ROOT / "src" / "aune", ROOT / "examples")
        paths = [path for folder in folders for path in folder.rglob("*")]
    else:
        paths = [Path(str(entry.locate())) for entry in distribution(package).files or ()]
    for path in paths:
        if path.is_file() and path.suffix != ".pyc":
            yield path.stat().st_size


def signature_share(command: str) -> tuple[float, float]:
    """The share of characters that are signatures in what a command prints by default, and with long ones."""
    without, short, long = (
        len(output(f"{command} {option}")) for option in ("--signature none", "--signature short", "--signature long")
    )
    return 1 - without / short, 1 - without / long


def output(command: str) -> str:
    words = [sys.executable, "-m", "aune", *command.split()]
    return subprocess.run(words, cwd=ROOT / "examples", capture_output=True, text=True, check=True).stdout


def sacrebleu_share() -> float | None:
    """The share of its signature in what sacreBLEU prints as text."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("key", "response"):
            Path(folder, name).write_text("one two three four\n")
        words = [str(SCRIPTS / "sacrebleu"), "key", "-i", "response", "-f", "text"]
        try:
            text = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
    signature = re.search(r"\|\S+", text)
    return len(signature[0]) / len(text) if signature else 0.0


def main() -> None:
    print(f"{'':12} {'first number':>13} {'--help':>8} {'own files':>10} {'with requirements':>18}")
    for name, command in FIRST_NUMBERS.items():
        number = processor_seconds(command)
        if number is None:
            print(f"{name:12} not installed")
            continue
        wait = processor_seconds(HELPS[name]) if name in HELPS else None
        package_size, everything = installed_size(name)
        shown = f"{wait:6.2f} s" if wait is not None else "none"
        print(f"{name:12} {number:11.2f} s {shown:>8} {package_size:7.1f} MB {everything:15.1f} MB")
    print("\nshare of signatures in the output: by default, and with --signature long (the default before)")
    for name, command in OUTPUTS.items():
        short, long = signature_share(command)
        print(f"{name:26} {short:6.0%} {long:6.0%}")
    if (share := sacrebleu_share()) is not None:
        print(f"{'sacrebleu -f text':26} {share:6.0%}")


if __name__ == "__main__":
    main()
