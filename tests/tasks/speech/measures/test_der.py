"""DER and JER: by hand, second by second, and as pyannote.metrics has them on random RTTM files."""

from __future__ import annotations

import os
import random
import warnings
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.cli import run

FILES = 500 if os.environ.get("AUNE_FULL") else 40
Turns = list[tuple[str, float, float]]


def random_turns(rng: random.Random, speakers: str) -> Turns:
    """Turns of speakers who do not interrupt themselves, but one another."""
    turns = []
    for speaker in speakers[: rng.randint(1, len(speakers))]:
        time = rng.random() * 3
        for _ in range(rng.randint(1, 5)):
            start, end = time + rng.random() * 2, time + 2.1 + rng.random() * 3
            turns.append((speaker, round(start, 3), round(end, 3)))
            time = end + 0.01
    return turns


def write_rttm(path: Path, files: list[Turns]) -> str:
    lines = [
        f"SPEAKER m{number} 1 {start:.3f} {end - start:.3f} <NA> <NA> {speaker} <NA> <NA>"
        for number, turns in enumerate(files)
        for speaker, start, end in turns
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def annotation(turns: Turns) -> Any:
    core = pytest.importorskip("pyannote.core", reason="pyannote.metrics is not installed")
    result = core.Annotation()
    for number, (speaker, start, end) in enumerate(turns):
        result[core.Segment(start, end), number] = speaker
    return result


def has_ties(metric: Any, key: Turns, response: Turns, **options: Any) -> bool:
    """Whether several pairings share as much time, of which the peer takes any."""
    shared = (annotation(key), annotation(response))
    shared = metric.uemify(*shared, **options)
    table = (shared[1] * shared[0]).T
    table = table if table.shape[0] <= table.shape[1] else table.T
    totals = sorted(
        sum(table[row, column] for row, column in enumerate(order))
        for order in permutations(range(table.shape[1]), table.shape[0])
    )
    return len(totals) > 1 and totals[-1] - totals[-2] < 1e-9


@pytest.mark.parametrize(("collar", "overlap"), [(0.0, True), (0.25, True), (0.0, False), (0.25, False)])
def test_pyannote_has_the_same_rates(tmp_path: Path, collar: float, overlap: bool) -> None:
    metrics = pytest.importorskip("pyannote.metrics.diarization", reason="pyannote.metrics is not installed")
    rng = random.Random(3)
    options = {"collar": 2 * collar, "skip_overlap": not overlap}
    peers = [metric(**options) for metric in (metrics.DiarizationErrorRate, metrics.JaccardErrorRate)]
    pairs = [(random_turns(rng, "abc"), random_turns(rng, "wxyz")) for _ in range(FILES)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = [pair for pair in pairs if not has_ties(peers[0], *pair, **options)]
        assert len(pairs) > FILES / 2
        for key, response in pairs:
            for peer in peers:
                peer(annotation(key), annotation(response))
    sides = [[key for key, _ in pairs], [response for _, response in pairs]]
    paths = [write_rttm(tmp_path / f"{name}.rttm", side) for name, side in zip("kr", sides, strict=True)]
    result = aune.score("speech", *paths, measures=["der", "jer"], boundary_collar=collar, overlap=overlap)
    assert result["der"].der == pytest.approx(abs(peers[0]), abs=1e-6)
    assert result["jer"].jer == pytest.approx(abs(peers[1]), abs=1e-6)
    parts = {"missed": "missed detection", "false_alarm": "false alarm", "confusion": "confusion", "speech": "total"}
    for name, peer_name in parts.items():
        assert result["der"].counts[name] == pytest.approx(peers[0][peer_name], abs=1e-6 * FILES)


def second_by_second(key: Turns, response: Turns) -> float:
    """The fewest seconds that are wrong, under any pairing, for turns of whole seconds."""
    keys, responses = (sorted({speaker for speaker, _, _ in side}) for side in (key, response))

    def active(side: Turns, second: int) -> set[str]:
        return {speaker for speaker, start, end in side if start <= second < end}

    best = float("inf")
    for partners in permutations([*responses, *"ABC"][: max(len(keys), len(responses))], len(keys)):
        wrong = 0
        for second in range(20):
            spoken, heard = active(key, second), active(response, second)
            right = sum(partner in heard for name, partner in zip(keys, partners, strict=True) if name in spoken)
            wrong += max(len(spoken), len(heard)) - right
        best = min(best, wrong)
    return best


def test_second_by_second(tmp_path: Path) -> None:
    rng = random.Random(1)
    for _ in range(20):
        sides: list[Turns] = [
            [(rng.choice(names), start, start + rng.randint(1, 4)) for start in rng.sample(range(15), 4)]
            for names in ("ab", "xyz")
        ]
        paths = [write_rttm(tmp_path / f"{name}.rttm", [side]) for name, side in zip("kr", sides, strict=True)]
        counts = aune.score("speech", *paths, measures=["der"])["der"].counts
        assert counts["missed"] + counts["false_alarm"] + counts["confusion"] == second_by_second(*sides)


def test_the_command_reads_files_without_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = write_rttm(tmp_path / "key.rttm", [[("ann", 0, 6), ("bo", 6, 10)]])
    response = write_rttm(tmp_path / "r.rttm", [[("1", 0, 5), ("2", 5, 9)]])
    assert run(["score", "speech", key, response, "-m", "der,jer"]) == 0
    output = capsys.readouterr()
    assert "20.00" in output.out and "not a single word" not in output.err


def test_texts_without_times_have_no_rate() -> None:
    assert aune.score("speech", ["a"], ["a"], measures=["der"])["der"].der is None
