"""Combine several transcripts into one by a vote on every word (ROVER).

The words of the first system form a row of slots. Every further system is aligned with the slots. A word joins a slot
that contains the same word or, at a cost, a slot with another word or with silence. A word without a slot creates a new
one, in which the earlier systems are silent; in a slot without a word the system is silent. Then each slot is decided:

    score(word) = α · (votes for it) / (all votes) + (1 − α) · (its confidence)

and silence competes with the words, with the confidence `null`. Without confidences only votes count (α = 1). The best
candidate of a slot is kept; among equals, that of the first system. The order of the systems matters, here and
in the alignment, and the best system should come first.

The costs are those of sclite: 4 for a substitution, 3 for a gap, almost 0 for passing a slot in which a system is
silent; a word that joins a silent slot costs as much as a gap. Ties are resolved in favour of the word of the first
system, then of a pair over a gap, and of a new slot over a silence.

Source: Fiscus 1997, "A post-processing system to yield reduced word error rates: ROVER". Ours: the cost of joining a
silent slot, the treatment of ties, and one half for α and `null`, which users should tune on other texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract.options import Range
from aune.contract.voting import pair_by_name, vote_shares
from aune.errors import UsageError
from aune.numeric.grouping import key_positions
from aune.tasks.speech.alignment.networks import SCLITE
from aune.tasks.speech.alignment.recordings import as_utterance
from aune.tasks.speech.model import Document, Utterance

GAP, SUBSTITUTION, SILENT = SCLITE.gap, int(SCLITE.substitution("", ())), SCLITE.null
MOST_CELLS = 25_000_000

Confidence: TypeAlias = Annotated[
    Literal["none", "average", "maximum"], "which confidence of those who say a word counts beside their votes"
]
Frequency: TypeAlias = Annotated[float, "α: how much votes count beside confidence", Range(0, 1)]
Null: TypeAlias = Annotated[float, "the confidence of silence", Range(0, 1)]


class Word(NamedTuple):
    """A word of one system."""

    text: str
    confidence: float | None = None
    time: tuple[float, float] | None = None


Slot: TypeAlias = tuple[Word | None, ...]
"""The word of each system in one place; None for silence."""


class SlotDecision(NamedTuple):
    """The winner of a slot (None for silence), and its share of the votes."""

    word: Word | None
    share: Fraction


def combine_transcripts(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    confidence: Confidence = "none",
    frequency: Frequency = 0.5,
    null: Null = 0.5,
    tell: Callable[[str], None] | None = None,
) -> list[Utterance]:
    """The utterances of `text` with the words for which the systems vote, and vote shares as confidences.

    >>> from aune.tasks.speech.model import documents
    >>> one, two, three = (documents(words) for words in ("the cat sat", "a cat sat down", "a cat sad"))
    >>> list(combine_transcripts(one, {"one": one, "two": two, "three": three})[0].words)
    ['a', 'cat', 'sat']
    """
    voting = list(vote_shares(systems, weights).values())
    if tell:
        for name, documents in systems.items():
            if several := sum(as_utterance(document).tree is not None for document in documents):
                tell(f"{name}: {several} transcripts with alternatives: the first wording votes")
    utterances = []
    for document, hypotheses in _hypotheses(text, systems, confidence != "none"):
        slots = word_slots([words for _, words in hypotheses])
        decisions = (decide_slot(slot, voting, confidence, frequency, null) for slot in slots)
        winners = [(word, float(share)) for word, share in decisions if word is not None]
        attributes = document.attributes if isinstance(document, Utterance) else hypotheses[0][0].attributes
        utterances.append(Utterance(document.id, [word.text for word, _ in winners], attributes,
                              times=_ordered_times([word for word, _ in winners]),
                              confidences=[share for _, share in winners] or None))  # fmt: skip
    return utterances


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    confidence: Confidence = "none",
    frequency: Frequency = 0.5,
    null: Null = 0.5,
    below: float = 1.0,
) -> list[Sequence[Any]]:
    """Slots in which the winner has less than this share of the votes, by increasing share, below a row of headings.

    >>> from aune.tasks.speech.model import documents
    >>> disagreements(documents("a b"), {"one": documents("a b"), "two": documents("a")})[1]
    ['utterance', 2, 'b', '0.500', 'b', '']
    """
    voting = list(vote_shares(systems, weights).values())
    rows: list[Sequence[Any]] = []
    for document, hypotheses in _hypotheses(text, systems, confidence != "none"):
        for place, slot in enumerate(word_slots([words for _, words in hypotheses]), 1):
            word, share = decide_slot(slot, voting, confidence, frequency, null)
            if share < below:
                votes = ["" if vote is None else vote.text for vote in slot]
                rows.append([document.id, place, "" if word is None else word.text, f"{float(share):.3f}", *votes])
    rows.sort(key=lambda row: float(row[3]))
    return [["utterance", "place", "word", "agreement", *systems], *rows]


def word_slots(hypotheses: Sequence[Sequence[Word]]) -> list[Slot]:
    """The slots of several hypotheses, aligned one after the other.

    >>> [[word and word.text for word in slot] for slot in word_slots([[Word("a"), Word("b")], [Word("b"), Word("c")]])]
    [['a', None], ['b', 'b'], [None, 'c']]
    """
    slots: list[Slot] = [(word,) for word in hypotheses[0]]
    for before, words in enumerate(hypotheses[1:], 1):
        slots = [
            (*(slots[slot] if slot is not None else (None,) * before), words[word] if word is not None else None)
            for slot, word in _align_to_slots(slots, words)
        ]
    return slots


def _align_to_slots(slots: Sequence[Slot], words: Sequence[Word]) -> list[tuple[int | None, int | None]]:
    """Which word joins which slot, in order; None for a new slot, and for a slot that gets no word.

    A slot is passed through one of its arcs: the word of a system, or silence.
    """
    if len(slots) * len(words) > MOST_CELLS:
        raise UsageError(f"an utterance of {len(words):,} words is too long to align: cut it at pauses")
    arcs = [list(dict.fromkeys(None if vote is None else vote.text for vote in slot)) for slot in slots]
    of_word: Mapping[str | None, list[int]] = key_positions(word.text for word in words)
    insertions = np.arange(len(words) + 1, dtype=np.int64) * GAP
    costs = [insertions[None, :]]
    for slot_arcs in arcs:
        before = costs[-1].min(axis=0)
        rows = []
        for arc in slot_arcs:
            best = before + _passing(arc)
            pair = np.full(len(words), _joining(arc, None), np.int64)
            pair[of_word.get(arc, [])] = 0
            best[1:] = np.minimum(best[1:], before[:-1] + pair)
            rows.append(np.minimum.accumulate(best - insertions) + insertions)
        costs.append(np.stack(rows))
    return _trace_back(arcs, words, costs)


def _passing(arc: str | None) -> int:
    return SILENT if arc is None else GAP


def _joining(arc: str | None, word: str | None) -> int:
    """The cost of a word joining a slot through an arc with another word, or with silence."""
    return GAP if arc is None else 0 if arc == word else SUBSTITUTION


def _trace_back(
    arcs: Sequence[Sequence[str | None]], words: Sequence[Word], costs: Sequence[Any]
) -> list[tuple[int | None, int | None]]:
    """The steps of the cheapest path; costs are (arcs of a slot, words) for every slot, after an initial one."""
    steps: list[tuple[int | None, int | None]] = []
    slot, word = len(arcs), len(words)
    arc = int(np.argmin(costs[slot][:, word]))  # among equals, the first system's
    while slot or word:
        cost = costs[slot][arc, word]
        name = arcs[slot - 1][arc] if slot else None
        if slot and word and cost == costs[slot - 1][:, word - 1].min() + _joining(name, words[word - 1].text):
            slot, word = slot - 1, word - 1
            steps.append((slot, word))
        elif word and cost == costs[slot][arc, word - 1] + GAP:
            word -= 1
            steps.append((None, word))
            continue  # stay on the same arc
        else:
            slot -= 1
            steps.append((slot, None))
        arc = int(np.argmin(costs[slot][:, word]))
    return steps[::-1]


def decide_slot(
    slot: Slot, voting: Sequence[Fraction], confidence: str = "none", frequency: float = 0.5, null: float = 0.5
) -> SlotDecision:
    """The winner of a slot, given the systems' shares of the votes."""
    votes = key_positions(None if word is None else word.text for word in slot)
    share = {text: sum((voting[system] for system in voters), Fraction(0)) for text, voters in votes.items()}
    score = share
    if confidence != "none":
        alpha = Fraction(frequency)
        confidences = {
            text: _confidence([slot[system] for system in voters], confidence, null) for text, voters in votes.items()
        }
        score = {text: alpha * share[text] + (1 - alpha) * confidences[text] for text in votes}
    winner = max(votes, key=lambda text: (score[text], -votes[text][0]))
    return SlotDecision(slot[votes[winner][0]], share[winner])


def _confidence(words: Sequence[Word | None], kind: str, null: float) -> Fraction:
    """The combined confidence of the systems that have the same word, or silence."""
    known = [Fraction(null) if word is None else Fraction(word.confidence or 0.0) for word in words]
    return max(known) if kind == "maximum" else sum(known, Fraction(0)) / len(known)


def _hypotheses(
    text: Sequence[Document], systems: Mapping[str, Sequence[Document]], confident: bool
) -> Iterator[tuple[Document, list[tuple[Utterance, list[Word]]]]]:
    """Every utterance with the words of each system; if confidences count, a system without them is refused."""
    columns = [pair_by_name(text, documents, name) for name, documents in systems.items()]
    for place, document in enumerate(text):
        row = [as_utterance(pairs[place][1]) for pairs in columns]
        for name, utterance in zip(systems, row, strict=True):
            if confident and utterance.words and not _are_shares(utterance.confidences):
                what = "no confidences" if utterance.confidences is None else "confidences that are not from 0 to 1"
                raise UsageError(f"{name}: {what} in {utterance.id!r}: give them in a ctm file, or vote without them")
        yield document, [(utterance, _words(utterance)) for utterance in row]


def _are_shares(confidences: Sequence[float] | None) -> bool:
    return confidences is not None and all(0 <= confidence <= 1 for confidence in confidences)


def _words(utterance: Utterance) -> list[Word]:
    words = list(utterance.words)
    timed = utterance.times is not None and len(utterance.times) == len(words)
    times: Sequence[Any] = utterance.times if timed and utterance.times is not None else [None] * len(words)
    confidences: Sequence[Any] = utterance.confidences or [None] * len(words)
    return [Word(*word) for word in zip(words, confidences, times, strict=True)]


def _ordered_times(words: Sequence[Word]) -> list[tuple[float, float]] | None:
    """The times of the words, in increasing order; None if any word has no time."""
    times: list[tuple[float, float]] = []
    for word in words:
        if word.time is None:
            return None
        times.append(max(word.time, times[-1]) if times else word.time)
    return times or None
