"""One transcript out of several (ROVER): NIST's own demonstration, a slow second implementation, and the rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.cli import run
from aune.contract.registry import task
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.speech.alignment import slots
from aune.tasks.speech.combination import Word, combine_transcripts, decide_slot, disagreements, word_slots
from aune.tasks.speech.model import Utterance, documents

HYPOTHESES = st.one_of(  # words that come several times, and words that mostly come once
    *(st.lists(st.lists(st.sampled_from(words), max_size=5), min_size=1, max_size=4) for words in ("abc", "abcdefgh"))
)


Way: TypeAlias = tuple[int, tuple[tuple[str | None, ...], ...]]
"""What an alignment costs, and its slots."""


def _slow_network(hypotheses: Sequence[Sequence[str]]) -> list[tuple[str | None, ...]]:
    """The same rules as plain recursion from the end, which tries every alignment."""
    slots: list[tuple[str | None, ...]] = [(word,) for word in hypotheses[0]]
    for before, words in enumerate(hypotheses[1:], 1):
        slots = _slow_step(slots, tuple(words), before)
    return slots


def _slow_step(
    slots: list[tuple[str | None, ...]], words: tuple[str, ...], before: int
) -> list[tuple[str | None, ...]]:
    @cache
    def best(row: int, column: int) -> Way:
        """Over the arcs of the last slot, in the order of the systems: the first among equals."""
        arcs = list(dict.fromkeys(slots[row - 1])) if row else [None]
        return min((by(row, arc, column) for arc in arcs), key=lambda way: way[0])

    @cache
    def by(row: int, arc: str | None, column: int) -> Way:
        if row == column == 0:
            return 0, ()
        ways = []
        if row and column:
            price = 3000 if arc is None else 0 if arc == words[column - 1] else 4000
            cost, made = best(row - 1, column - 1)
            ways.append((cost + price, (*made, (*slots[row - 1], words[column - 1]))))
        if column:
            cost, made = by(row, arc, column - 1)
            ways.append((cost + 3000, (*made, (*(None,) * before, words[column - 1]))))
        if row:
            cost, made = best(row - 1, column)
            ways.append((cost + (1 if arc is None else 3000), (*made, (*slots[row - 1], None))))
        return min(ways, key=lambda way: way[0])

    return list(best(len(slots), len(words))[1])


@pytest.mark.parametrize("cells", [0, slots.FEW_CELLS], ids=["in arrays", "in plain Python"])
@given(hypotheses=HYPOTHESES)
def test_slots_are_those_of_the_plain_recursion(cells: int, hypotheses: list[list[str]]) -> None:
    with patch.object(slots, "FEW_CELLS", cells):
        made = word_slots([[Word(text) for text in words] for words in hypotheses])
    assert [tuple(word and word.text for word in slot) for slot in made] == _slow_network(hypotheses)
    for number, words in enumerate(hypotheses):  # nothing is lost and nothing changes places
        assert [slot[number].text for slot in made if slot[number]] == words  # type: ignore[union-attr]


@given(st.lists(st.sampled_from("abc"), max_size=6), st.integers(1, 4))
def test_systems_that_agree_are_what_they_say(words: list[str], systems: int) -> None:
    spoken = {str(number): documents([words]) for number in range(systems)}
    assert list(combine_transcripts(documents([words]), spoken)[0].words) == words


@given(HYPOTHESES)
def test_all_the_weight_is_one_system(hypotheses: list[list[str]]) -> None:
    spoken = {str(number): documents([words]) for number, words in enumerate(hypotheses)}
    weights = {name: float(name == "0") for name in spoken}
    assert list(combine_transcripts(spoken["0"], spoken, weights=weights)[0].words) == hypotheses[0]


SLOT = st.lists(st.none() | st.tuples(st.sampled_from("ab"), st.integers(0, 4)), min_size=1, max_size=4)


@given(SLOT, st.sampled_from(["none", "average", "maximum"]), st.integers(0, 4), st.integers(0, 4))
def test_decisions_are_the_formula(slot: list[tuple[str, int] | None], kind: str, alpha: int, null: int) -> None:
    spoken = [None if vote is None else vote[0] for vote in slot]
    a = 1.0 if kind == "none" else alpha / 4  # quarters, which floats hold exactly
    scores: dict[str | None, float] = {}
    for text in spoken:
        sure = [
            null / 4 if vote is None else vote[1] / 4 for vote, other in zip(slot, spoken, strict=True) if other == text
        ]
        confidence = max(sure) if kind == "maximum" else sum(sure) / len(sure)
        scores[text] = a * spoken.count(text) / len(spoken) + (1 - a) * confidence
    words = tuple(None if vote is None else Word(vote[0], vote[1] / 4) for vote in slot)
    result = decide_slot(words, [Fraction(1, len(slot))] * len(slot), kind, alpha / 4, null / 4).word
    assert scores[result and result.text] >= max(scores.values()) - 1e-12


def test_confidence_beats_the_majority_and_silence_competes() -> None:
    sure, unsure = (Utterance("u", [word], times=[(0, 1)], confidences=[c]) for word, c in (("yes", 0.9), ("no", 0.1)))
    silent = Utterance("u", [])
    systems = {"a": [sure], "b": [unsure], "c": [unsure]}
    assert combine_transcripts([sure], systems)[0].words == ["no"]
    assert combine_transcripts([sure], systems, confidence="average", frequency=0.2)[0].words == ["yes"]
    systems = {"a": [sure], "b": [silent], "c": [silent]}
    assert combine_transcripts([sure], systems)[0].words == []
    assert combine_transcripts([sure], systems, confidence="maximum", frequency=0.2, null=0.1)[0].words == ["yes"]
    assert disagreements([sure], systems)[1] == ["u", 1, "", "0.667", "yes", "", ""]
    with pytest.raises(UsageError, match="no confidences"):
        combine_transcripts([sure], {"a": documents("yes")}, confidence="average")


def test_times_stay_in_order(tmp_path: Path) -> None:
    for name, lines in {"a": ["0 1 x", "1 1 y"], "b": ["3 1 x", "1 1 z"], "c": ["0 1 x .5", "0.5 1 y .5"]}.items():
        (tmp_path / f"{name}.ctm").write_text("".join(f"r A {line}\n" for line in lines))
    files = [str(tmp_path / f"{name}.ctm") for name in "abc"]
    assert run(["combine", "speech", *files, "-o", str(tmp_path / "out.ctm")]) == 0
    (made,) = read(task("speech"), str(tmp_path / "out.ctm")).documents
    assert list(made.words) == ["x", "y"]
    assert [round(share, 3) for share in made.confidences] == [1.0, 0.667]
    assert run(["combine", "speech", *files, "--confidence", "average"]) == 2


def _demonstration(path: Path) -> dict[str, list[tuple[float, float, str]]]:
    """The words of a system as its alignment with the key has them, by file."""
    result: dict[str, list[tuple[float, float, str]]] = {}
    for name, errors in re.findall(r'<PATH[^\n]* file="(\w+)"[^\n]*>\n(.*?)\n</PATH>', path.read_text(), re.DOTALL):
        words = re.findall(r'[CSI],(?:"[^"]*")?,"([^"]*)",([\d.]+)\+([\d.]+)', errors)
        result.setdefault(name, []).extend((float(start), float(end), word) for word, start, end in words)
    return {name: sorted(words) for name, words in sorted(result.items())}


def test_nists_demonstration(data: Path) -> None:
    """Three systems and what NIST's rover made of them: the same 322 words at the same times, in six files.

    NIST has one more, the last of file1: there sys1 says "d e f", sys2 "d g" and sys3 "d e f g", and g has a place of
    its own. Over the whole file that is the dearer alignment; it is the cheaper one if g, which begins where the words
    of sys1 end, is aligned apart.
    """
    folder = data / "speech" / "sctk-samples" / "rover_demo"
    systems = {}
    for name in ("sys1", "sys2", "sys3"):
        systems[name] = [
            Utterance(f"{file}/1", [word for *_, word in words], times=[(start, end) for start, end, _ in words])
            for file, words in _demonstration(folder / f"{name}.ctm.sgml").items()
        ]
    expected = {item.id: item for item in read(task("speech"), str(folder / "rover.ctm")).documents}
    made = combine_transcripts(systems["sys1"], systems)
    assert {item.id for item in made} == set(expected)
    for document in made:
        size = len(expected[document.id].words) - (document.id == "file1/1")
        assert list(document.words) == list(expected[document.id].words)[:size], document.id
        assert document.times == [pytest.approx(time) for time in expected[document.id].times[:size]]
    assert sum(len(utterance.words) for utterance in made) == 322
