"""Order never matters: lines, documents and systems in any order print the same digits, whatever the command."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from aune.cli import run

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
FILES = {
    "anaphora": ("key.tsv", "careful.tsv", "nearest.tsv"),
    "coref": ("key.conll", "strings.conll", "neural.conll", "recency.conll"),
    "entities": ("key.conll", "rules.conll", "tagger.conll"),
    "speech": ("key.jsonl", "north.jsonl", "south.jsonl"),
    "tagging": ("key.tsv", "rules.tsv", "lexicon.tsv"),
}
UNITS = {"entities": ("document", "sentence"), "speech": ("utterance", "speaker", "document"), "tagging": ("sentence",)}
DRAWS = ["--draws", "99", "--format", "json"]
MODEL = ["--model", "model.npz"]
MORE = {
    "coref": [
        "coref ablate key.conll --format json", "coref correspond key.conll neural.conll --by chain --format json",
        "coref sweep key.conll key.conll --parameter kept=0.5,0.9 --format json",
        *(f"baseline coref {name} key.conll -" for name in ("same_string", "same_head", "activation", "agreement")),
    ],
    "speech": [
        "compare speech key.jsonl north.jsonl south.jsonl --test mapsswe --format json",
        "compare speech key.jsonl north.jsonl south.jsonl --test mcnemar -m sentence_error --format json",
        "score speech key.stm response.ctm --format json",
        *(
            [
                "speech train atene train.jsonl --output -",
                "speech train severity key.jsonl north.jsonl --model model.npz --output -",
                "speech downstream key.jsonl north.jsonl south.jsonl --model model.npz --format json",
                "errors speech key.jsonl south.jsonl --model model.npz --format json --limit 500",
            ]
            if find_spec("sklearn")
            else []
        ),
    ],
    "tagging": [
        "tagging zones key.tsv rules.tsv lexicon.tsv --format json",
        *(f"baseline tagging {name} key.tsv - --training key.tsv" for name in ("lexical", "most_frequent")),
    ],
}  # fmt: skip
"""What one task alone has."""


def lines(task: str) -> Iterator[list[str]]:
    """What is typed: every command that prints numbers, with every unit that can be drawn and every test."""
    key, *systems = FILES[task]
    yield ["score", task, key, *systems, "-m", "all", "--format", "json", *(MODEL if task == "speech" else [])]
    for unit in UNITS.get(task, ("document",)):
        yield ["score", task, key, *systems, "--ci", "--unit", unit, *DRAWS]
        for test in ("randomisation", "bootstrap", "sign", "wilcoxon"):
            yield ["compare", task, key, *systems, "--unit", unit, "--test", test, *DRAWS]
        if unit != "speaker":
            yield ["agreement", task, key, *systems, "--unit", unit, "--ci", *DRAWS]
    yield ["score", task, key, *systems, "--by", "document", "--format", "csv"]
    yield ["errors", task, key, systems[0], "--versus", systems[1], "--format", "json", "--limit", "500"]
    yield ["describe", task, key, *systems, "--format", "json"]
    yield ["anova", task, key, *systems, *(["--by", "sentence"] if "sentence" in UNITS.get(task, ()) else [])]
    yield from (line.split() for line in MORE.get(task, ()))


def shuffled_lines(text: str, rng: random.Random) -> str:
    """The lines of a file in another order; comments and what names the columns stay where they are."""
    remaining = list(text.splitlines())
    head = [line for line in remaining if line.startswith((";;", "#", "document\t"))]
    rest = [line for line in remaining if line not in head]
    return "\n".join(head + rng.sample(rest, len(rest))) + "\n"


def shuffled_documents(text: str, rng: random.Random) -> str:
    result = re.findall(r"#begin document.*?#end document[^\n]*\n", text, re.DOTALL)
    return "".join(rng.sample(result, len(result)))


SHUFFLED: dict[str, Callable[[str, random.Random], str]] = {
    "anaphora": shuffled_lines, "coref": shuffled_documents, "speech": shuffled_lines,
}  # fmt: skip
"""What can stand in another order in a file: where it is one text, nothing can."""


def printed_lines(line: list[str], capsysbinary: pytest.CaptureFixture[bytes]) -> Counter[bytes]:
    """What a command prints, whatever the order of its rows; but for the digests of files."""
    target = Path("written")
    words = [str(target) if word == "-" and line[:2] == ["speech", "train"] else word for word in line]
    assert run(words) == 0, (words, capsysbinary.readouterr().err)
    output = target.read_bytes() if target.exists() else capsysbinary.readouterr().out
    target.unlink(missing_ok=True)
    return Counter(item.strip().rstrip(b",") for item in output.splitlines() if b"sha256" not in item)


@pytest.mark.parametrize("task", sorted(SHUFFLED))
def test_files_in_any_order_print_the_same(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    rng = random.Random(7)
    homes = [tmp_path / "before", tmp_path / "after"]
    for home in homes:
        shutil.copytree(EXAMPLES / task, home)
    for path in (item for item in homes[1].iterdir() if item.suffix in (".tsv", ".conll", ".jsonl", ".stm", ".ctm")):
        path.write_text(SHUFFLED[task](path.read_text(), rng))
    if task == "speech" and find_spec("sklearn"):
        monkeypatch.chdir(homes[0])
        assert run(["speech", "train", "atene", "train.jsonl", "--output", "model.npz"]) == 0
        shutil.copy("model.npz", homes[1])
    for line in lines(task):
        if "model.npz" in line and not find_spec("sklearn"):
            continue
        result = []
        for home in homes:
            monkeypatch.chdir(home)
            capsysbinary.readouterr()
            result.append(printed_lines(line, capsysbinary))
        assert result[0] == result[1], (
            line,
            list((result[0] - result[1]).items())[:3],
            list((result[1] - result[0]).items())[:3],
        )


NUMBER = re.compile(rb"\d+\.\d+(?:e-?\d+)?")


def numbers(printed: Counter[bytes]) -> Counter[bytes]:
    """The numbers without their signs, for a difference of two systems is that of the other two turned round."""
    return Counter(number for line, times in printed.items() for number in NUMBER.findall(line) * times)


@pytest.mark.parametrize("task", sorted(FILES))
def test_systems_in_any_order_print_the_same(
    task: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """But for `agreement` of tasks whose annotators are scored against each other, the first one as the key."""
    monkeypatch.chdir(EXAMPLES / task)
    systems = set(FILES[task][1:])
    for line in lines(task):
        directed = line[0] == "agreement" and task in ("anaphora", "speech")
        if directed or line[0] in ("errors", "baseline", *FILES) or "model.npz" in line or not systems <= set(line):
            continue
        places = [place for place, word in enumerate(line) if word in systems]
        turned = line.copy()
        for place, other in zip(places, reversed(places), strict=True):
            turned[place] = line[other]
        before, after = (numbers(printed_lines(item, capsysbinary)) for item in (line, turned))
        assert before == after, (line, list((before - after).items())[:3], list((after - before).items())[:3])
