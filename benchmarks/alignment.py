"""One text on another: similar, unrelated, shuffled and looping texts, beside str.find and difflib."""

from __future__ import annotations

import difflib
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

VOCABULARY = 8_000
SIZES = (50_000, 100_000, 200_000)  # characters
Spans = list[tuple[int, int]]


def main() -> None:
    from aune.alignment.projection import TokenisedText, project

    before: dict[str, float] = {}
    for size in SIZES:
        key = text_of(size, 1)
        spans = spans_of(key)
        print(f"{size:,} characters, {len(spans):,} spans, CPU time:")
        for name, response in versions(key).items():
            here = [span for span in spans if span[1] <= len(response)]
            laid = (TokenisedText.from_tokens(key), TokenisedText.from_tokens(response), here)
            seconds, placed = cpu(lambda laid=laid: _place_items(project(*laid).placements))  # type: ignore[misc]
            doubled = f"{seconds / before[name]:5.2f} × half the text" if name in before else ""
            print(f"  {name:26} {seconds:6.3f} s  {placed:16} {doubled}")
            before[name] = seconds
    accuracy()
    the_same_text()


def cpu(work: Callable[[], object], repeats: int = 5) -> tuple[float, object]:
    """The least CPU time of a few runs, which other processes disturb less than the clock, and the answer."""
    best, answer = float("inf"), None
    for _ in range(repeats):
        started = time.process_time()
        answer = work()
        best = min(best, time.process_time() - started)
    return best, answer


def the_same_text() -> None:
    """What `--realign words` costs where there is nothing to do."""
    from aune import score

    words = text_of(500_000, 1)
    lines = [f"{word}\t{'B-X' if place % 9 == 0 else 'O'}\n" for place, word in enumerate(words)]
    lines = [line + "\n" * (place % 25 == 24) for place, line in enumerate(lines)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.conll")
        path.write_text("".join(lines))
        plain, laid = (
            cpu(lambda how=how: score("entities", str(path), str(path), realign=how))[0]  # type: ignore[misc]
            for how in ("none", "words")
        )
    times = f"{plain:.3f} s without, {laid:.3f} s with realignment, {laid / plain:.3f} ×"
    print(f"the same text, {len(words):,} words: {times}")


def _place_items(placements: Sequence[object]) -> str:
    share = sum(placement.status.placed for placement in placements) / len(placements)  # type: ignore[attr-defined]
    return f"{100 * share:.1f} % placed"


def text_of(characters: int, seed: int) -> list[str]:
    """Words with the frequencies of a language."""
    generator = random.Random(seed)
    words = ["".join(generator.choices("aeioustrnlmdpc", k=generator.randint(2, 9))) for _ in range(VOCABULARY)]
    weights = [1 / rank for rank in range(1, VOCABULARY + 1)]
    text = generator.choices(words, weights, k=characters // 5)
    while sum(map(len, text)) + len(text) > characters:
        text.pop()
    return text


def spans_of(words: Sequence[str]) -> Spans:
    generator = random.Random(3)
    return [(start, min(start + generator.randint(1, 4), len(words))) for start in range(0, len(words), 5)]


def versions(key: list[str]) -> dict[str, list[str]]:
    """The same text, a tenth of its words changed, and texts that have little to do with it."""
    generator = random.Random(2)
    shuffled = key.copy()
    generator.shuffle(shuffled)
    return {
        "the same": key.copy(),
        "10 % of the words changed": [generator.choice(key) if generator.random() < 0.1 else word for word in key],
        "unrelated": text_of(sum(map(len, key)) + len(key), 9),
        "shuffled": shuffled,
        "looping": (key[:50] * (len(key) // 50 + 1))[: len(key)],
    }


def accuracy() -> None:
    """How many spans of a text with 5 % of its words dropped or changed are found, by aune and by common ways."""
    from aune.alignment.projection import TokenisedText, project

    key = text_of(50_000, 1)
    generator = random.Random(4)
    kept_places = [place for place in range(len(key)) if generator.random() > 0.025]
    response = [generator.choice(key) if generator.random() < 0.025 else key[place] for place in kept_places]
    place_of = {place: new for new, place in enumerate(kept_places)}
    truth = [span for span in spans_of(key) if all(place in place_of for place in range(*span))]
    spans_in_response = [(place_of[start], place_of[end - 1] + 1) for start, end in truth]
    laid = [
        placement[:2]
        for placement in project(
            TokenisedText.from_tokens(key), TokenisedText.from_tokens(response), spans_in_response
        ).placements
    ]
    print(f"{len(truth):,} spans of a text with 5 % of the words dropped or changed, found right:")
    ways: dict[str, Callable[[], Sequence[object]]] = {
        "aune": lambda: laid,
        "difflib": lambda: by_difflib(key, response, spans_in_response),
        "find with a cursor": lambda: by_cursor(key, response, spans_in_response),
        "find": lambda: by_find(key, response, spans_in_response),
    }
    for name, way in ways.items():
        print(f"  {name:20} {100 * sum(a == b for a, b in zip(way(), truth, strict=True)) / len(truth):6.2f} %")


def by_difflib(key: list[str], response: list[str], spans: Spans) -> list[tuple[int, int] | None]:
    places = {}
    for block in difflib.SequenceMatcher(None, key, response, autojunk=False).get_matching_blocks():
        places |= {block.b + step: block.a + step for step in range(block.size)}
    return [
        (places[start], places[end - 1] + 1) if start in places and end - 1 in places else None for start, end in spans
    ]


def by_find(key: list[str], response: list[str], spans: Spans) -> list[tuple[int, int] | None]:
    return [_find_words(key, response[start:end], 0) for start, end in spans]


def by_cursor(key: list[str], response: list[str], spans: Spans) -> list[tuple[int, int] | None]:
    places, cursor = [], 0
    for start, end in spans:
        place = _find_words(key, response[start:end], cursor)
        cursor = place[0] if place else cursor
        places.append(place)
    return places


def _find_words(key: list[str], words: list[str], start: int) -> tuple[int, int] | None:
    size = len(words)
    return next(((at, at + size) for at in range(start, len(key)) if key[at : at + size] == words), None)
