"""Scores from a stream are those of the files, and take no room."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest

import aune
from aune.tasks.speech.model import Utterance
from aune.tasks.speech.streaming import streamed

WORDS = ["the", "cat", "sat", "on", "a", "mat"]


def written(folder: Path, size: int, order: int) -> tuple[str, str]:
    rng = random.Random(size)
    key = [f"u{number} " + " ".join(rng.choice(WORDS) for _ in range(rng.randint(0, 8))) for number in range(size)]
    response = [f"u{number} " + " ".join(rng.choice(WORDS) for _ in range(rng.randint(0, 8))) for number in range(size)]
    random.Random(order).shuffle(response) if order else None
    (folder / "key").write_text("\n".join(key) + "\n")
    (folder / "response").write_text("\n".join(response) + "\n")
    return str(folder / "key"), str(folder / "response")


@pytest.mark.parametrize("order", [0, 1])
def test_the_same_scores(tmp_path: Path, order: int) -> None:
    paths = written(tmp_path, 2500, order)
    names = ["wer", "cer", "wil", "sentence_error"]
    stream, whole = streamed(*paths, measures=names), aune.score("speech", *paths, measures=names)
    for name in names:
        assert stream[name].values == whole[name].values and stream[name].counts == whole[name].counts


def test_missing_and_extra_utterances_are_told(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("u1 a b\nu2 c\n")
    (tmp_path / "response").write_text("u3 x\nu1 a b\n")
    result = streamed(tmp_path / "key", tmp_path / "response", measures=["wer"])
    assert result["wer"].counts["deletions"] == 1
    assert result.warnings == [
        "1 utterances of the key missing, scored as empty", "1 utterances not in the key, ignored",
    ]  # fmt: skip


def test_rows_are_documents() -> None:
    key = [Utterance(str(n), "a b", {"document": "x" if n < 3 else "y"}) for n in range(5)]
    response = [Utterance(str(n), "a") for n in range(5)]
    result = streamed(iter(key), iter(response), measures=["wer"])["wer"]
    assert result.by("document")["x"]["wer"] == 0.5 and len(result.rows) == 2


def test_bad_input_and_measures_that_cannot_stream(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("no name\n")
    with pytest.raises(aune.InputError, match="expected the utterance's name in parentheses"):
        streamed(tmp_path / "bad", tmp_path / "bad", format="trn")
    with pytest.raises(aune.InputError, match="found no readable text"):
        streamed(tmp_path / "none", tmp_path / "none")
    with pytest.raises(aune.UsageError, match="cannot be computed from a stream"):
        streamed(iter([]), iter([]), measures=["ril"])
    with pytest.raises(aune.NothingToScoreError):
        streamed(iter([]), iter([]))


def test_memory_does_not_grow_with_utterances() -> None:
    """Far less than 100 bytes for each utterance more."""

    def peak(size: int) -> int:
        key = (Utterance(f"u{number}", "the cat sat on a mat") for number in range(size))
        response = (Utterance(f"u{number}", "the cat sat on mat") for number in range(size))
        tracemalloc.start()
        streamed(key, response, measures=["wer"])
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1500)
    assert (peak(12_000) - peak(4_000)) / 8_000 < 50
