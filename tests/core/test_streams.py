"""The law of pieces: however files are cut, in whatever order they come, the result is the same to the last digit."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from aune import InputError, Result, UsageError, evaluate
from aune.core import evaluation

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
SIZES = [1, 300, 1 << 22]


def speech(number: int, rng: random.Random) -> tuple[str, str]:
    words = [
        rng.choice(["one", "two", "three", "four", "five", "six", "seven", "eight"]) for _ in range(rng.randint(0, 9))
    ]
    said = [rng.choice([word, word, word, "other"]) for word in words if rng.random() < 0.9]
    record = {"id": f"u{number}", "text": " ".join(words), "speaker": f"s{number % 4}"}
    if words and rng.random() < 0.3:
        record["entities"] = [[0, 1, rng.choice(["LOC", "PER"])]]
    return json.dumps(record), json.dumps({"id": f"u{number}", "text": " ".join(said)})


def coref(number: int, rng: random.Random) -> tuple[str, str]:
    tokens = [f"w{rng.randint(0, 9)}" for _ in range(12)]
    sides = []
    for _ in range(2):
        starts = rng.sample(range(12), 6)
        clusters = [[[start, start] for start in starts[:3]], [[start, start] for start in starts[3:5]]]
        sides.append(json.dumps({"doc_key": f"d{number}", "sentences": [tokens], "clusters": clusters}))
    return sides[0], sides[1]


def entities(number: int, rng: random.Random) -> tuple[str, str]:
    tokens = [f"w{place}" for place in range(10)]
    sides = []
    for _ in range(2):
        spans = [[start, start + rng.randint(1, 2), rng.choice(["PER", "LOC", "ORG"])] for start in (0, 3, 6)]
        kept = [span for span in spans if rng.random() < 0.6]
        found = [{"start": start, "end": end, "label": label} for start, end, label in kept]
        sides.append(json.dumps({"id": f"d{number}", "tokens": tokens, "entities": found}))
    return sides[0], sides[1]


def tagging(number: int, rng: random.Random) -> tuple[str, str]:
    words = [f"w{rng.randint(0, 20)}" for _ in range(rng.randint(1, 8))]
    sides = [[rng.choice("NVDA") if rng.random() < 0.9 else "N|V" for _ in words] for _ in range(2)]
    return tuple(json.dumps({"id": f"d{number}", "words": words, "tags": tags}) for tags in sides)  # type: ignore[return-value]


def anaphora(number: int, rng: random.Random) -> tuple[str, str]:
    sides = [
        {
            "document": f"d{number}",
            "anaphors": [{"anaphor": f"a{k}", "antecedents": [rng.choice(["x", "y"])]} for k in (1, 2)],
        }
        for _ in range(2)
    ]
    return json.dumps(sides[0]), json.dumps(sides[1])


TASKS = {"speech": speech, "coref": coref, "entities": entities, "tagging": tagging, "anaphora": anaphora}
SKIP = {"speech": {"speech.atene", "speech.atene_ds", "speech.atene_i", "speech.severity", "speech.per"}}


@pytest.fixture(params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def corpus(task: str, count: int = 40, seed: int = 1) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    key, response = zip(*(TASKS[task](number, rng) for number in range(count)), strict=True)
    return list(key), list(response)


def written(folder: Path, name: str, lines: list[str]) -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def measures(task: str) -> list[Any]:
    from aune.core import registry

    return [one for one in registry.measures(task) if one.name not in SKIP.get(task, ())]


def everything(result: Result) -> dict[str, Any]:
    """All that a result says: values, rows and their order, warnings, signatures, JSON."""
    return {
        "envelope": json.loads(result.to_json()),
        "rows": {
            (one.system, one.name): (
                {name: list(values) for name, values in one.rows.attributes.items()},
                one.rows.matrix.tolist(),
            )
            for one in result
        },
    }


def scored(task: str, key: str, responses: dict[str, str], **options: Any) -> dict[str, Any]:
    return everything(evaluate(task, key, responses, measures=measures(task), **options))


@pytest.mark.parametrize("kind", ["same", "shuffled", "missing", "extra", "counted"])
def test_pieces_change_nothing(task: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus(task)
    options = {"extra": "count"} if kind == "counted" else {}
    if kind == "shuffled":
        random.Random(2).shuffle(response)
    elif kind == "missing":
        response = [line for number, line in enumerate(response) if number % 7]
    elif kind in ("extra", "counted"):
        key = [line for number, line in enumerate(key) if number % 5]
    paths = written(tmp_path, "key", key), {"A": written(tmp_path, "a", response)}
    whole = scored(task, *paths, **options)
    for size in SIZES[:2]:
        monkeypatch.setattr(evaluation, "PIECE", size)
        assert scored(task, *paths, **options) == whole, size
    monkeypatch.setattr(evaluation, "CHUNK", 7)
    monkeypatch.setattr(evaluation, "PIECE", SIZES[2])
    assert scored(task, *paths, **options) == whole


def test_problems_have_the_lines_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    key[17], key[31] = "no JSON", '{"id": "x"}'
    paths = written(tmp_path, "key", key), {"A": written(tmp_path, "a", response)}
    with pytest.raises(InputError) as whole:
        evaluate("speech", *paths)
    monkeypatch.setattr(evaluation, "PIECE", 300)
    with pytest.raises(InputError) as pieces:
        evaluate("speech", *paths)
    assert str(pieces.value) == str(whole.value) and ":18:" in str(whole.value)


def test_duplicates_across_pieces_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    paths = written(tmp_path, "key", [*key, key[3]]), {"A": written(tmp_path, "a", response)}
    monkeypatch.setattr(evaluation, "PIECE", 300)
    with pytest.raises(InputError, match=":41:1: found document 'u3' a second time"):
        evaluate("speech", *paths)


@pytest.mark.parametrize("policy", [{"missing": "error"}, {"extra": "error"}])
def test_refused_documents_are_all_named(
    policy: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, response = corpus("speech")
    paths = written(tmp_path, "key", key[:35]), {"A": written(tmp_path, "a", response[5:])}
    with pytest.raises(InputError) as whole:
        evaluate("speech", *paths, **policy)
    monkeypatch.setattr(evaluation, "PIECE", 300)
    with pytest.raises(InputError) as pieces:
        evaluate("speech", *paths, **policy)
    assert str(pieces.value) == str(whole.value) and len(whole.value.problems) == 5


def test_names_in_common_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus("speech")
    other = [line.replace('"u', '"other') for line in response]
    monkeypatch.setattr(evaluation, "PIECE", 300)
    with pytest.raises(InputError, match="give both sides the same document names"):
        evaluate("speech", written(tmp_path, "key", key), {"A": written(tmp_path, "a", other)})


def test_several_systems_share_the_key(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = corpus(task)
    paths = written(tmp_path, "key", key), {
        "A": written(tmp_path, "a", response), "B": written(tmp_path, "b", key[::-1]),
    }  # fmt: skip
    whole = scored(task, *paths)
    monkeypatch.setattr(evaluation, "PIECE", 300)
    assert scored(task, *paths) == whole


def test_what_cannot_be_scored_is_refused_by_evaluate() -> None:
    with pytest.raises(UsageError):
        evaluate("entities", [(0, 1, "A")], {"A": [(0, 1, "A")]}, measures=["eter"], alpha=5)
