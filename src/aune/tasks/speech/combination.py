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

from aune.contract.options import Range
from aune.contract.voting import VoteRecord, pair_by_name, vote_shares
from aune.errors import UsageError
from aune.numeric.grouping import key_positions
from aune.tasks.speech.alignment.recordings import as_utterance
from aune.tasks.speech.alignment.slots import Places, slot_places
from aune.tasks.speech.model import Document, Utterance

Confidence: TypeAlias = Annotated[
    Literal["none", "average", "maximum"], "which confidence of those who say a word counts beside their votes"
]
Frequency: TypeAlias = Annotated[float, "α: how much votes count beside confidence", Range(0, 1)]
Null: TypeAlias = Annotated[float, "the confidence of silence", Range(0, 1)]


Time: TypeAlias = tuple[float, float]


class Word(NamedTuple):
    """A word of one system."""

    text: str
    confidence: float | None = None
    time: Time | None = None


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
    record: VoteRecord | None = None,
) -> list[Utterance]:
    """The utterances of `text` with the words for which the systems vote, and vote shares as confidences.

    >>> from aune.tasks.speech.model import documents
    >>> one, two, three = (documents(words) for words in ("the cat sat", "a cat sat down", "a cat sad"))
    >>> list(combine_transcripts(one, {"one": one, "two": two, "three": three})[0].words)
    ['a', 'cat', 'sat']
    """
    voting = list(vote_shares(systems, weights).values())
    record = record or VoteRecord()
    for name, documents in systems.items():
        record.add(name, {("alternatives",): sum(as_utterance(document).tree is not None for document in documents)})
    if tell:
        for note in combination_notes(record):
            tell(note)
    winners, utterances = _VoteWinners(voting), []
    for document, hypotheses in _hypotheses(text, systems, confidence != "none"):
        if confidence == "none":
            words, shares, times = _winning_words(hypotheses, winners)
        else:
            words, shares, times = _most_confident_words(hypotheses, voting, confidence, frequency, null)
        attributes = document.attributes if isinstance(document, Utterance) else hypotheses[0].attributes
        utterances.append(Utterance(document.id, words, attributes, times=_ordered_times(times),
                                    confidences=shares or None))  # fmt: skip
    return utterances


def combination_notes(record: VoteRecord) -> list[str]:
    """What of the systems has no vote."""
    several = {name: facts["alternatives",] for name, facts in record.facts_by_system().items()}
    return [
        f"{name}: {number} transcripts with alternatives: the first wording votes"
        for name, number in several.items()
        if number
    ]


Winners: TypeAlias = tuple[list[str], list[float], list[Time | None]]
"""The words that win, their shares of the votes, and their times."""


class _VoteWinners(dict[tuple[int, ...], tuple[int, float]]):
    """The first system of those that win, and their share; by who agrees with whom.

    A key has, for each system, the first system of the same opinion.
    """

    def __init__(self, voting: Sequence[Fraction]) -> None:
        super().__init__()
        self.voting = voting

    def __missing__(self, pattern: tuple[int, ...]) -> tuple[int, float]:
        shares = dict.fromkeys(pattern, Fraction(0))
        for share, first in zip(self.voting, pattern, strict=True):
            shares[first] += share
        winner = max(shares, key=lambda first: (shares[first], -first))
        self[pattern] = winner, float(shares[winner])
        return self[pattern]


def _winning_words(hypotheses: Sequence[Utterance], winners: _VoteWinners) -> Winners:
    """The words that win where votes alone count."""
    texts = [list(utterance.words) for utterance in hypotheses]
    all_times = [_word_times(utterance, len(words)) for utterance, words in zip(hypotheses, texts, strict=True)]
    if all(words == texts[0] for words in texts):
        return texts[0], [1.0] * len(texts[0]), list(all_times[0])
    words, shares, times = [], [], []
    for places in slot_places(texts):
        opinions = [None if place is None else row[place] for row, place in zip(texts, places, strict=True)]
        winner, share = winners[tuple(map(opinions.index, opinions))]
        word, place = opinions[winner], places[winner]
        if word is not None and place is not None:
            words.append(word)
            shares.append(share)
            times.append(all_times[winner][place])
    return words, shares, times


def _most_confident_words(
    hypotheses: Sequence[Utterance], voting: Sequence[Fraction], confidence: str, frequency: float, null: float
) -> Winners:
    """The words that win where confidences count."""
    slots = word_slots([_words(utterance) for utterance in hypotheses])
    decisions = (decide_slot(slot, voting, confidence, frequency, null) for slot in slots)
    winners = [(word, float(share)) for word, share in decisions if word is not None]
    return [word.text for word, _ in winners], [share for _, share in winners], [word.time for word, _ in winners]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    confidence: Confidence = "none",
    frequency: Frequency = 0.5,
    null: Null = 0.5,
    below: float = 1.0,
    record: VoteRecord | None = None,
) -> list[Sequence[Any]]:
    """Slots in which the winner has less than this share of the votes, by increasing share, below a row of headings.

    >>> from aune.tasks.speech.model import documents
    >>> disagreements(documents("a b"), {"one": documents("a b"), "two": documents("a")})[1]
    ['utterance', 2, 'b', '0.500', 'b', '']
    """
    voting = list(vote_shares(systems, weights).values())
    rows: list[Sequence[Any]] = []
    for document, hypotheses in _hypotheses(text, systems, confidence != "none"):
        for place, slot in enumerate(word_slots(list(map(_words, hypotheses))), 1):
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

    def words_at(places: Places) -> Slot:
        return tuple(None if place is None else words[place] for words, place in zip(hypotheses, places, strict=True))

    return [words_at(places) for places in slot_places([[word.text for word in words] for words in hypotheses])]


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
) -> Iterator[tuple[Document, list[Utterance]]]:
    """Every utterance with that of each system; if confidences count, a system without them is refused."""
    columns = [pair_by_name(text, documents, name) for name, documents in systems.items()]
    for place, document in enumerate(text):
        row = [as_utterance(pairs[place][1]) for pairs in columns]
        for name, utterance in zip(systems, row, strict=True):
            if confident and utterance.words and not _are_shares(utterance.confidences):
                what = "no confidences" if utterance.confidences is None else "confidences that are not from 0 to 1"
                raise UsageError(f"{name}: {what} in {utterance.id!r}: give them in a ctm file, or vote without them")
        yield document, row


def _are_shares(confidences: Sequence[float] | None) -> bool:
    return confidences is not None and all(0 <= confidence <= 1 for confidence in confidences)


def _words(utterance: Utterance) -> list[Word]:
    words = list(utterance.words)
    confidences: Sequence[Any] = utterance.confidences or [None] * len(words)
    return [Word(*word) for word in zip(words, confidences, _word_times(utterance, len(words)), strict=True)]


def _word_times(utterance: Utterance, words: int) -> Sequence[Time | None]:
    """The time of each word; None for all of them where not all are known."""
    times = utterance.times
    return times if times is not None and len(times) == words else [None] * words


def _ordered_times(known: Sequence[Time | None]) -> list[Time] | None:
    """The times of words, in increasing order; None if any word has no time."""
    times: list[Time] = []
    for time in known:
        if time is None:
            return None
        times.append(max(time, times[-1]) if times else time)
    return times or None
