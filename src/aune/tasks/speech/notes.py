"""What a user should know about the words of a comparison: whether both sides are the same texts in the same writing.

Counted for each utterance over its distinct words, and worded once for the whole corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from aune.core.notes import Note
from aune.tasks.speech.model import Utterance

FEW = 0.1
"""Below this share of words in common a response is hardly one to its key; above it, other capitals are no slip."""


def words_in_common(pairs: Iterable[tuple[Utterance, Utterance]]) -> Note:
    """How many words of the key its response has, and how many in other capitals, where neither end is the same.

    Utterances that begin or end alike are of the same text, and are no more looked at: there are many of them. Nor is
    what is empty on a side.
    """
    counts = Counter(utterances=0, unlike=0, words=0, same=0, recased=0)
    filled = [pair for pair in pairs if pair[0].text and pair[1].text]
    counts["utterances"] = len(filled)
    for key, response in filled:
        if _alike(key.text, response.text):
            continue
        said, given = set(key.words), set(response.words)
        lowered = {word.lower() for word in given - said}
        counts["unlike"] += 1
        counts["words"] += len(said)
        counts["same"] += len(said & given)
        counts["recased"] += sum(word.lower() in lowered for word in said - given)
    return Note("words in common", _worded, counts, rank=3)


def _alike(key: str | Sequence[str], response: str | Sequence[str]) -> bool:
    """Whether two texts have their first or their last word in common."""
    if isinstance(key, str) and isinstance(response, str):  # as nearly always
        first = key.partition(" ")[0] == response.partition(" ")[0]
        return first or key.rpartition(" ")[2] == response.rpartition(" ")[2]
    return _first(key) == _first(response) or _last(key) == _last(response)


def _first(text: str | Sequence[str]) -> str:
    return text.partition(" ")[0] if isinstance(text, str) else text[0]


def _last(text: str | Sequence[str]) -> str:
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
