"""CPU seconds and peak memory of every command at three sizes: whether time grows with the input, and memory does not.

`python -m benchmarks.commands --share 0.25` runs at a quarter of the sizes (25,000 to 400,000 utterances);
`python -m benchmarks.commands --share 1 --page` runs at these sizes, and writes the table into docs/guides/billion.md.
Words after the options select commands: `python -m benchmarks.commands errors combine`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.scale import PAGE, documents, treebank, utterances

BEGIN, END = "<!-- measured: benchmarks/commands.py -->", "<!-- end of benchmarks/commands.py -->"
STEPS = (1, 4, 16)
"""The sizes, as multiples of the smallest."""


class Command(NamedTuple):
    """A command line, in which K, R and S are files and OUT is a folder."""

    task: str
    text: str


COMMANDS = (
    Command("speech", "score speech K R"),
    Command("speech", "score speech K R --json"),
    Command("speech", "score speech K R -o OUT/x.csv"),
    Command("speech", "score speech K R --ci"),
    Command("speech", "score speech K R --by document -f csv"),
    Command("speech", "score speech K R --by speaker"),
    Command("speech", "score speech K R --per-unit OUT/units.jsonl"),
    Command("speech", "errors speech K R --limit 5"),
    Command("speech", "compare speech K R S --draws 200"),
    Command("speech", "report speech K R -o OUT/r.html"),
    Command("speech", "validate speech K"),
    Command("speech", "describe speech K"),
    Command("speech", "convert speech K OUT/k.trn"),
    Command("speech", "combine speech K R S -o OUT/c.jsonl"),
    Command("entities", "score entities K R"),
    Command("entities", "score entities K R --json"),
    Command("entities", "score entities K R --by document -f csv"),
    Command("entities", "errors entities K R --limit 5"),
    Command("entities", "compare entities K R S --draws 200"),
    Command("entities", "agreement entities K R"),
    Command("entities", "convert entities K OUT/k.tsv --to tsv"),
    Command("coref", "score coref K R"),
    Command("coref", "score coref K R --json"),
    Command("coref", "score coref K R --by document -f csv"),
    Command("coref", "score coref K R --by mention -f csv"),
    Command("coref", "compare coref K R S --draws 200"),
    Command("coref", "validate coref K"),
    Command("coref", "baseline coref K -b singletons -o OUT/b.jsonl"),
    Command("tagging", "score tagging K R --json"),
    Command("tagging", "report tagging K R -o OUT/r.html"),
)


class Used(NamedTuple):
    seconds: float
    megabytes: float


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.1, help="of the sizes that the page shows")
    parser.add_argument("--page", action="store_true", help=f"write the table into {PAGE.name}")
    parser.add_argument("words", nargs="*", help="run only commands that contain one of these words")
    settings = parser.parse_args(arguments)
    figures: dict[Command, list[Used]] = {}
    with tempfile.TemporaryDirectory() as name:
        for task, (make, smallest) in FILES.items():
            commands = [
                command for command in COMMANDS if command.task == task and is_selected(command, settings.words)
            ]
            for step in STEPS if commands else ():
                folder = Path(name) / f"{task}-{step}"
                folder.mkdir()
                files = make(folder, max(1, round(smallest * step * settings.share)))
                for command in commands:
                    used = measure_work(command, files, folder)
                    figures.setdefault(command, []).append(used)
                    print(f"×{step} {command.text}: {used.seconds:.1f} CPU s, {used.megabytes:.0f} MB", flush=True)
    print(lines := "\n".join(table(figures, settings.share)))
    if settings.page:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{lines}\n\n{END}{rest.partition(END)[2]}", "utf-8")


def is_selected(command: Command, words: Sequence[str]) -> bool:
    return not words or any(word in command.text for word in words)


def table(figures: dict[Command, list[Used]], share: float) -> list[str]:
    """The rows of the page: CPU seconds and MB at every size."""
    lines = ["| command | " + " | ".join(f"×{step}" for step in STEPS) + " |", "|---|" + "---|" * len(STEPS)]
    for command, runs in figures.items():
        cells = " | ".join(f"{used.seconds:.1f} s, {used.megabytes:,.0f} MB" for used in runs)
        lines.append(f"| `{command.text}` | {cells} |")
    sizes = ", ".join(f"{task} {smallest * share:,.0f} {UNITS[task]}" for task, (_, smallest) in FILES.items())
    return [*lines, "", f"×1 is {sizes}. K is a key, R and S are responses."]


def measure_work(command: Command, files: Sequence[Path], folder: Path) -> Used:
    """What a command uses, as the system counts it."""
    output = folder / "out"
    subprocess.run(["rm", "-rf", str(output)], check=True)
    output.mkdir()
    names = dict(zip("KRS", map(str, files), strict=True))
    words = [names.get(word, word.replace("OUT", str(output))) for word in command.text.split()]
    with (output / "printed").open("wb") as printed, (output / "said").open("wb") as messages:
        process = subprocess.Popen([sys.executable, "-m", "aune", *words], stdout=printed, stderr=messages)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        print(f"{command.text}: {(output / 'said').read_text()[-400:]}", flush=True)
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def speech_files(folder: Path, size: int) -> list[Path]:
    """Utterances of ten words by forty speakers; the second response has other errors."""
    key, response = utterances(folder, size)
    for path in (key, response):
        lines = path.read_text().splitlines()
        marked = (line[:-1] + f', "speaker": "s{number % 40}"}}\n' for number, line in enumerate(lines))
        path.write_text("".join(marked))
    second = folder / "second.jsonl"
    second.write_text(response.read_text().replace("w1", "y1"))
    return [key, response, second]


def entity_files(folder: Path, size: int) -> list[Path]:
    """Documents of eight sentences of twelve words with two entities, as CoNLL."""
    rng = random.Random(9)
    paths = [folder / name for name in ("key.conll", "response.conll", "second.conll")]
    with paths[0].open("w") as key, paths[1].open("w") as response, paths[2].open("w") as second:
        for number in range(size):
            for file in (key, response, second):
                file.write(f"# newdoc id = d{number}\n")
            for _ in range(8):
                tags = ["O", "B-PER", "I-PER", "O", "O", "B-LOC", "O", "O", "O", "O", "O", "O"]
                for file, wrong in ((key, 0.0), (response, 0.1), (second, 0.2)):
                    drawn = [tag if rng.random() >= wrong else rng.choice(("O", "B-PER", "B-ORG")) for tag in tags]
                    file.write("".join(f"w{place} {tag}\n" for place, tag in enumerate(drawn)) + "\n")
    return paths


def coref_files(folder: Path, megabytes: int) -> list[Path]:
    key, response = documents(folder, megabytes)
    second = folder / "second.jsonl"
    lines = [json.loads(line) for line in response.open()]
    second.write_text("".join(json.dumps({**line, "clusters": line["clusters"][::2]}) + "\n" for line in lines))
    return [key, response, second]


def tagging_files(folder: Path, words: int) -> list[Path]:
    key, response = treebank(folder, words)
    return [key, response, response]


FILES: dict[str, tuple[Callable[[Path, int], list[Path]], int]] = {
    "speech": (speech_files, 25_000),
    "entities": (entity_files, 5_000),
    "coref": (coref_files, 6),
    "tagging": (tagging_files, 50_000),
}
"""How the files of a task are made, and the smallest size."""
UNITS = {"speech": "utterances", "entities": "documents", "coref": "MB", "tagging": "words"}


if __name__ == "__main__":
    main(sys.argv[1:])
