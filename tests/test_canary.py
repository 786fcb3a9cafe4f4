"""The canary for silence: a perfect response after an accident scores as it should, or the user is told.

The response is the key itself, and then something happens to it that happens to real files: other capitals, a token
lost, labels or names of another scheme, another text. Whatever comes out may be a low score, a refusal or a warning; it
may not be the best or the worst value there is, in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import aune
from aune.contract import registry

EXAMPLES = Path(__file__).parent.parent / "examples"
Damage = Callable[[str], str]


class File(NamedTuple):
    """A key of the examples, its format, and what can happen to a copy of it."""

    path: str
    format: str
    damages: dict[str, Damage]


def cells(change: Callable[[list[str]], list[str] | None], separator: str = "\t") -> Damage:
    """What happens to the cells of every line that has several; None loses the line."""

    def damage_text(text: str) -> str:
        lines: list[str] = []
        for line in text.split("\n"):
            parts = line.split(separator)
            if line.startswith("#") or len(parts) < 2:
                lines.append(line)
            elif (changed := change(parts)) is not None:
                lines.append(separator.join(changed))
        return "\n".join(lines)

    return damage_text


def cell(number: int, change: Callable[[str], str], separator: str = "\t") -> Damage:
    """What happens to one cell of every line."""

    def change_value(parts: list[str]) -> list[str]:
        place = number % len(parts)
        return [*parts[:place], change(parts[place]), *parts[place + 1 :]]

    return cells(change_value, separator)


def without_line(number: int, separator: str = "\t") -> Damage:
    """One line with cells is lost, so that everything after it stands one place before."""

    def damage_text(text: str) -> str:
        left = [number]

        def keep(parts: list[str]) -> list[str] | None:
            left[0] -= 1
            return None if left[0] == -1 else parts

        return cells(keep, separator)(text)

    return damage_text


def fields(**changes: Callable[[object], object]) -> Damage:
    """What happens to the fields of JSON lines."""

    def damage_text(text: str) -> str:
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
        made = [{name: changes.get(name, lambda x: x)(value) for name, value in record.items()} for record in records]
        return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in made)

    return damage_text


def upper(word: object) -> str:
    return str(word).upper()


def other_word(word: object) -> str:
    return re.sub(r"\w", "x", str(word)) + "q"


def other_label(label: str) -> str:
    """Another name for the same kind, brackets and prefixes left as they are."""
    return re.sub(r"(?<=[BIES]-)\w.*|^[A-Z]+$", lambda match: f"KIND{len(match[0])}" if match[0] != "O" else "O", label)


FILES = {
    "coref": File("coref/key.conll", "conll2012", {
        "capitals in the text": cell(3, upper),
        "a token lost": without_line(4),
        "another text": cell(3, other_word),
        "other names of documents": lambda text: re.sub(r"museum", "gallery", text),
        "other numbers of chains": lambda text: re.sub(r"\b(\d+)(?=\)|\b)(?=[^\t]*$)", r"9\1", text, flags=re.M),
    }),
    "entities": File("entities/key.conll", "conll", {
        "capitals in the text": cell(0, upper),
        "capitals in labels": cell(-1, str.lower),
        "a token lost": without_line(4),
        "other labels": cell(-1, other_label),
        "another text": cell(0, other_word),
    }),
    "tagging": File("tagging/key.tsv", "tsv", {
        "capitals in the text": cell(0, upper),
        "capitals in tags": cell(1, str.lower),
        "a token lost": without_line(4),
        "other tags": cell(1, lambda tag: f"Z{tag}"),
        "another text": cell(0, other_word),
    }),
    "anaphora": File("anaphora/key.tsv", "pairs", {
        "other names of documents": lambda text: re.sub(r"^(\w+)(?=\t)", r"\1-x", text, flags=re.M),
        "capitals in the text": cells(lambda parts: [*parts[:3], *map(str.upper, parts[3:5]), *parts[5:]]),
        "a line lost": without_line(2),
        "other antecedents": cell(2, lambda place: re.sub(r"\d+", lambda number: str(int(number[0]) + 500), place)),
    }),
    "speech": File("speech/key.jsonl", "manifest", {
        "capitals in the text": fields(text=upper),
        "another text": fields(text=lambda text: " ".join(map(other_word, str(text).split()))),
        "other names of utterances": fields(id=lambda name: f"{name}x"),
        "a word lost": fields(text=lambda text: str(text).partition(" ")[2]),
    }),
}  # fmt: skip

RIGHT = {
    ("coref", "other numbers of chains"): "the numbers of chains mean nothing",
    ("anaphora", "capitals in the text"): "mentions are compared by their places; the words beside them are for people",
}
"""Where the best value is what the damage deserves."""


def cases() -> Iterator[tuple[str, str]]:
    return ((task, name) for task, file in FILES.items() for name in file.damages)


@pytest.mark.parametrize(("task", "name"), list(cases()))
def test_no_extreme_in_silence(task: str, name: str, tmp_path: Path) -> None:
    file = FILES[task]
    key = EXAMPLES / file.path
    response = tmp_path / key.name
    text = key.read_text("utf-8")
    damaged = file.damages[name](text)
    assert damaged != text, "the damage does nothing"
    response.write_text(damaged, "utf-8")
    ranking = registry.task(task).ranking
    options = {"key_format": file.format, "response_format": file.format}
    try:
        result = aune.evaluate(task, str(key), {"damaged": str(response)}, measures=[ranking], **options)
    except aune.AuneError:
        return  # refused: nothing is silent about that
    [score] = result.scores
    assert score.main is not None
    best = score.measure.perfect_of(score.measure.headline)
    extremes = {best, *score.measure.range_of(score.measure.headline), 1.0, 0.0}
    silent = score.main in extremes and not result.warnings
    if (task, name) in RIGHT:
        assert score.main == best
    else:
        assert not silent, f"{score.measure.short} {score.main} without a word"


def test_every_task_has_its_accidents() -> None:
    assert set(FILES) == set(registry.task_names())
