"""What a user should know about the words of a comparison: whether both sides are the same texts in the same writing.

Counted for each utterance over its distinct words, and worded once for the whole corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from aune.core.notes import Note
from aune.tasks.entities.typology import told_without
from aune.tasks.speech.model import Utterance

FEW = 0.1
"""Below this share of words in common a response is hardly one to its key; above it, other capitals are no slip."""


Text: TypeAlias = str | Sequence[str]


def words_in_common(texts: Iterable[tuple[Text, Text]]) -> Note:
    """How many words of the key its response has, and how many in other capitals, where neither end is the same.

    Utterances that begin or end alike are of the same text, and are no more looked at: there are many of them. Nor is
    what is empty on a side.
    """
    filled = [pair for pair in texts if pair[0] and pair[1]]
    counts = {"utterances": len(filled), "unlike": 0, "words": 0, "same": 0, "recased": 0}
    for key, response in filled:
        if key == response or _alike(key, response):
            continue
        said, given = (set(text.split() if isinstance(text, str) else text) for text in (key, response))
        lowered = {word.lower() for word in given - said}
        counts["unlike"] += 1
        counts["words"] += len(said)
        counts["same"] += len(said & given)
        counts["recased"] += sum(word.lower() in lowered for word in said - given)
    return Note("words in common", _worded, counts, rank=3)


def labels_seen(pairs: Iterable[tuple[Utterance, Utterance]]) -> list[Note]:
    """A note of the labels of the key's entities, where no typology says what is a component."""
    counts = Counter(entity.label for key, _ in pairs for entity in key.entities)
    return [Note("labels", _components, counts, rank=4)] if counts else []


def _components(counts: Mapping[str, int], first: str) -> str:
    return told_without(counts)


def _alike(key: Text, response: Text) -> bool:
    """Whether two texts have their first or their last word in common."""
    if isinstance(key, str) and isinstance(response, str):  # as nearly always
        first = key.partition(" ")[0] == response.partition(" ")[0]
        return first or key.rpartition(" ")[2] == response.rpartition(" ")[2]
    return _first(key) == _first(response) or _last(key) == _last(response)


def _first(text: Text) -> str:
    return text.partition(" ")[0] if isinstance(text, str) else text[0]


def _last(text: Text) -> str:
    return text.rpartition(" ")[2] if isinstance(text, str) else text[-1]


def _worded(counts: Mapping[str, int], first: str) -> str:
    """Something only where most utterances are unlike their key's."""
    utterances, unlike, words = (counts[name] for name in ("utterances", "unlike", "words"))
    if 2 * unlike <= utterances:
        return ""
    where = f"words in {unlike} of {utterances} utterances"
    if counts["recased"] > FEW * words:
        return (
            f"{counts['recased']} of {words} {where} are written in other capitals than in the key, which counts as "
            "other words: --normalise case takes them as one"
        )
    if counts["same"] < FEW * words:
        return (
            f"{counts['same']} of {words} {where} of the key are in the response to the same utterance: check that "
            "both are of the same texts"
        )
    return ""
