"""Notes on the words of a comparison: whether both sides are the same texts in the same writing.

Counted for each utterance; the message is made once for the whole corpus.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from aune.contract.notes import Note
from aune.tasks.speech.model import Recording, Utterance
from aune.typologies.typology import missing_typology_note

FEW_SHARE = 0.1
"""Below this share of common words, a response hardly fits its key; above it, other capitals are intended."""
MUCH_SHARE = 1 / 3
"""From this share on, words of utterances with other beginnings and ends may belong to other utterances."""
EMPTY_SHARE = 0.1
"""From this share on, utterances without words in the response are reported."""
LENGTH_SHARES = (0.8, 1.25)
"""If the length of the response, relative to the key, is outside these bounds, it is reported."""
SHORT_TEXT = 20
"""Number of key words below which lengths are not meaningful."""
LONG_TEXT = 4
"""Number of words from which on a text is unlikely to occur twice."""
UNANSWERED_END = 3
"""From this number of final utterances without words in the response, the end of a recording is reported missing."""
SPECIAL_WRITING = re.compile(
    "[\0-\x08\x0e-\x1b\x7f\xad\u0300-\u036f\u3099\u309a\u061c\u200b-\u200f\u2018-\u201f\u2032\u2033\u2060-\u2064"
    "\ufeff\ufffd\xc2-\xc3\xc5\xd0-\xd1\xd8-\xd9\xe0\xe2-\xe3]"
)
"""Characters with several encodings, or invisible; and initial characters of UTF-8 decoded with another encoding."""
INVISIBLE = re.compile("[\0-\x08\x0e-\x1b\x7f\xad\u061c\u200b-\u200f\u2060-\u2064\ufeff]")
QUOTES = str.maketrans("\u2018\u2019\u201a\u201b\u2032\u201c\u201d\u201e\u201f\u2033", "'''''\"\"\"\"\"")
REPLACEMENT = "\ufffd"
BLANK = ord(" ")
OTHER_BLANKS = ("  ", *(chr(code) for code in range(0x3001) if chr(code).isspace() and code != BLANK))
SHORT_TEXTS = 500  # characters that are split in less time than looking for blanks takes
CONTROLS = bytes([*range(9), *range(14, 28), 127])
"""The ASCII characters of `SPECIAL_WRITING`."""
COMMON_WORDS = ("utterances", "unlike", "words", "same", "recased", "beside words", "beside same", "next", "before")
MOST_NEIGHBOURS = 500
"""Number of utterances of a chunk that are compared with adjacent ones."""

Text: TypeAlias = str | Sequence[str]
PlainPairs: TypeAlias = Sequence[tuple[str, str]]
"""Texts of key and response, with single blanks between words."""


def text_notes(texts: Iterable[tuple[Text, Text]]) -> tuple[Note, ...]:
    """The notes on pairs of texts: common words, order, lengths, and writing."""
    pairs = plain_pairs(texts)
    return words_in_common(pairs), moved_texts(pairs), lengths(pairs), writing_differences(pairs)


def plain_pairs(texts: Iterable[tuple[Text, Text]]) -> PlainPairs:
    """The words of texts as strings, with single blanks between words."""
    keys, responses = [], []
    for key, response in texts:
        keys.append(key.strip() if isinstance(key, str) else " ".join(key))
        responses.append(response.strip() if isinstance(response, str) else " ".join(response))
    return list(zip(*map(_with_single_blanks, (keys, responses)), strict=True))


def _with_single_blanks(texts: list[str]) -> list[str]:
    """The same texts if, as in most cases, they have only single blanks; a few short texts are not examined first."""
    everything = "|".join(texts)
    if len(everything) > SHORT_TEXTS and not any(blank in everything for blank in OTHER_BLANKS):
        return texts
    return [" ".join(text.split()) for text in texts]


def words_in_common(pairs: PlainPairs) -> Note:
    """Count words of the key that its response has, and those in other capitals, if both ends of the texts differ.

    Utterances with a common beginning or end are taken as the same text and not examined further, which saves time. An
    empty side is not examined either. `next` and `before` count the words that a response shares with adjacent keys,
    `beside words` and `beside same` those of its own key; if `next` or `before` is as large, the order is
    different. Only the first utterances of a chunk are counted in this way.
    """
    filled = [pair for pair in pairs if pair[0] and pair[1]]
    counts = dict.fromkeys(COMMON_WORDS, 0)
    counts["utterances"] = len(filled)
    for place, (key, response) in enumerate(filled):
        if key == response or _alike(key, response):
            continue
        key_words, response_words = set(key.split()), set(response.split())
        missing = key_words - response_words
        same = len(key_words) - len(missing)
        counts["unlike"] += 1
        counts["words"] += len(key_words)
        counts["same"] += same
        if not (key.islower() and response.islower()):
            lowered = set(map(str.lower, response_words - key_words))
            counts["recased"] += sum(map(lowered.__contains__, map(str.lower, missing)))
        if counts["unlike"] <= MOST_NEIGHBOURS:
            counts["beside words"] += len(key_words)
            counts["beside same"] += same
            for name, neighbour in (("next", place + 1), ("before", place - 1)):
                if 0 <= neighbour < len(filled):
                    counts[name] += len(response_words.intersection(filled[neighbour][0].split()))
    return Note("words in common", _common_words_text, counts, rank=3)


def moved_texts(pairs: PlainPairs) -> Note:
    """Count responses that equal their key except for capitals or word order, or that equal another key.

    Texts of a few words are excluded from the comparison of order, since they occur several times.
    """
    counts = {"utterances": len(pairs), "different": 0, "moved": 0, "recased": 0, "reordered": 0}
    different = [(key, response) for key, response in pairs if key != response and key and response]
    keys = {key for key, _ in pairs} if different else set()
    for key, response in different:
        is_as_long = len(key) == len(response)
        if (is_as_long or not (key.isascii() and response.isascii())) and key.lower() == response.lower():
            counts["recased"] += _alike(key, response)  # the others are counted by `words_in_common`
        elif response.count(" ") + 1 >= LONG_TEXT:
            counts["different"] += 1
            counts["moved"] += response in keys
            counts["reordered"] += is_as_long and sorted(key.split()) == sorted(response.split())
    return Note("moved texts", _moved_text, counts, rank=3)


def lengths(pairs: PlainPairs) -> Note:
    """Count the words of both sides, and the utterances of the key without words in the response."""
    filled = [pair for pair in pairs if pair[0]]
    empty = sum(not response for _, response in filled)
    counts = {
        "utterances": len(filled), "empty": empty,
        "key words": _count_blanks(key for key, _ in filled) + len(filled),
        "response words": _count_blanks(response for _, response in filled) + len(filled) - empty,
    }  # fmt: skip
    return Note("lengths", _lengths_text, counts, rank=3)


def _count_blanks(texts: Iterable[str]) -> int:
    return int(np.count_nonzero(np.frombuffer(_joined_bytes(texts), np.uint8) == BLANK))


def writing_differences(pairs: PlainPairs) -> Note:
    """Count words of the key that its response has in another encoding of the same letters, by kind of difference."""
    counts: Counter[str] = Counter()
    for key, response in _unusual_texts(pairs):
        key_words, response_words = set(key.split()), set(response.split())
        counts["replaced"] += sum(REPLACEMENT in word for word in response_words - key_words)
        folded = {word: kinds for word in response_words - key_words for word, kinds in [_fold(word)]}
        for word in key_words - response_words:
            plain, kinds = _fold(word)
            if plain in folded:
                counts["words"] += 1
                counts.update(kinds ^ folded[plain])
    return Note("writing", _writing_text, counts, rank=3)


def _unusual_texts(pairs: PlainPairs) -> Iterator[tuple[str, str]]:
    """The pairs of different texts with a character of `SPECIAL_WRITING` on one side."""
    everything = _joined_bytes(text for pair in pairs for text in pair)
    has_controls = len(everything.translate(None, CONTROLS)) < len(everything)
    if not has_controls and everything.isascii():
        return
    for key, response in pairs:
        may_be_special = has_controls or not (key.isascii() and response.isascii())
        if may_be_special and key != response and (SPECIAL_WRITING.search(key) or SPECIAL_WRITING.search(response)):
            yield key, response


def _joined_bytes(texts: Iterable[str]) -> bytes:
    return "\n".join(texts).encode("utf-8", "surrogatepass")


def unanswered_ends(recordings: Iterable[Recording], pairs: Iterable[tuple[Utterance, Utterance]]) -> list[Note]:
    """Count final utterances of recordings without words in the response; `pairs` are key and response."""
    counts = {"recordings": 0, "utterances": 0, "of": 0}
    answers: dict[str, bool] = {}
    for recording in recordings:
        answers = answers or {key.id: bool(response.words) for key, response in pairs}
        answered = [answers[part.id] for part in recording.utterances if part.id in answers]
        rest = len(answered) - max((place + 1 for place, is_answered in enumerate(answered) if is_answered), default=0)
        if UNANSWERED_END <= rest < len(answered):
            counts["recordings"] += 1
            counts["utterances"] += rest
            counts["of"] += len(answered)
    return [Note("unanswered ends", _ends_text, counts, rank=3)] if counts["recordings"] else []


def labels_seen(pairs: Iterable[tuple[Utterance, Utterance]]) -> list[Note]:
    """A note of the labels of the key's entities, if no typology tells which are components."""
    counts = Counter(entity.label for key, _ in pairs for entity in key.entities)
    return [Note("labels", _labels_text, counts, rank=4)] if counts else []


def _labels_text(counts: Mapping[str, int], first: str) -> str:
    return missing_typology_note(counts)


def _alike(key: str, response: str) -> bool:
    """Whether two texts share their first or their last word."""
    if key[0] == response[0] and key.partition(" ")[0] == response.partition(" ")[0]:
        return True
    return key[-1] == response[-1] and key.rpartition(" ")[2] == response.rpartition(" ")[2]


def _fold(word: str) -> tuple[str, frozenset[str]]:
    """A word in the usual encoding of its letters, and the unusual properties that it had."""
    kinds = set()
    if (repaired := _repair_encoding(word)) != word:
        word = repaired
        kinds.add("mojibake")
    if INVISIBLE.search(word):
        word = INVISIBLE.sub("", word)
        kinds.add("invisible")
    if (straight := word.translate(QUOTES)) != word:
        word = straight
        kinds.add("quotes")
    if (composed := unicodedata.normalize("NFC", word)) != word:
        word = composed
        kinds.add("decomposed")
    return word, frozenset(kinds)


def _repair_encoding(word: str) -> str:
    """The original of a word whose UTF-8 was decoded with another encoding; any other word unchanged."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return word.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return word


def _common_words_text(counts: Mapping[str, int], first: str) -> str:
    """A message only if most utterances differ from their keys."""
    utterances, unlike, words = (counts[name] for name in ("utterances", "unlike", "words"))
    where = f"words in {unlike} of {utterances} utterances"
    beside = max(counts["next"], counts["before"])
    is_moved = beside >= counts["beside same"] and beside > FEW_SHARE * counts["beside words"]
    if 4 * unlike > utterances and unlike > 1 and is_moved:
        return (
            f"{unlike} of {utterances} utterances share no more words with their key than with the utterance beside "
            "it: check that both sides are in the same order, or have the same names"
        )
    if 2 * unlike <= utterances:
        return ""
    if counts["recased"] > FEW_SHARE * words:
        return (
            f"{counts['recased']} of {words} {where} are written in other capitals than in the key, which counts as "
            "other words: --normalise case takes them as one"
        )
    if counts["same"] < FEW_SHARE * words:
        return (
            f"{counts['same']} of {words} {where} of the key are in the response to the same utterance: check that "
            "both are of the same texts"
        )
    return ""


def _moved_text(counts: Mapping[str, int], first: str) -> str:
    moved, different, recased, reordered = (counts[name] for name in ("moved", "different", "recased", "reordered"))
    if moved > 1 and 2 * moved >= different:
        return (
            f"{moved} utterances of the response have the text of another utterance of the key: check that both sides "
            "are in the same order, or have the same names"
        )
    if reordered and 2 * reordered >= different:
        texts = "1 text has" if reordered == 1 else f"{reordered} texts have"
        return f"{texts} all the words of the key in another order: check the order of the response and its times"
    if recased and recased >= FEW_SHARE * counts["utterances"]:
        texts = "1 text differs" if recased == 1 else f"{recased} texts differ"
        return f"{texts} from the key only in capitals: --normalise case takes them as one"
    return ""


def _lengths_text(counts: Mapping[str, int], first: str) -> str:
    """A message only if much of the key has no response, or the response is much longer."""
    utterances, empty, key, response = (counts[name] for name in ("utterances", "empty", "key words", "response words"))
    if key and not response:  # segments of speakers without words count as a response
        of_key = "the only utterance" if utterances == 1 else f"any of the {utterances:,} utterances"
        return f"not a word in the response to {of_key} of the key: check that it is whole"
    if key < SHORT_TEXT:
        return ""
    share = response / key
    if empty > 1 and empty >= EMPTY_SHARE * utterances:
        return (
            f"{empty} of {utterances} utterances ({empty / utterances:.0%}) have no word in the response, which has "
            f"{share:.0%} as many words as the key: check that it is whole"
        )
    if LENGTH_SHARES[0] <= share <= LENGTH_SHARES[1]:
        return ""
    check = "is whole" if share < 1 else "has nothing twice"
    return f"the response has {share:.0%} as many words as the key: check that it {check}"


KINDS = {
    "mojibake": "UTF-8 that was read in another encoding", "invisible": "invisible characters",
    "quotes": "curly and straight quotes", "decomposed": "accents as characters of their own (NFD)",
}  # fmt: skip
STEPS = {"quotes": "quotes", "decomposed": "unicode"}
"""Steps of normalisation that ignore a kind of difference in writing."""


def _writing_text(counts: Mapping[str, int], first: str) -> str:
    kinds = [kind for kind in KINDS if counts.get(kind)]
    if not kinds and not counts.get("replaced"):
        return ""
    texts = []
    if kinds:
        steps = [STEPS[kind] for kind in kinds if kind in STEPS]
        remedy = f"--normalise {','.join(steps)} takes them as one" if len(steps) == len(kinds) else "mend the encoding"
        words = "word differs" if counts["words"] == 1 else "words differ"
        texts.append(
            f"{counts['words']} {words} from the key only in {' and '.join(KINDS[kind] for kind in kinds)}, which "
            f"counts as other words: {remedy}"
        )
    if counts.get("replaced"):
        words = "word" if counts["replaced"] == 1 else "words"
        texts.append(f"{counts['replaced']} {words} of the response with U+FFFD, which stands for lost characters")
    return "; ".join(texts)


def _ends_text(counts: Mapping[str, int], first: str) -> str:
    share = counts["utterances"] / counts["of"]
    recordings = "a recording" if counts["recordings"] == 1 else f"{counts['recordings']} recordings"
    return (
        f"the last {counts['utterances']} of {counts['of']} utterances ({share:.0%}) of {recordings} have no word in "
        "the response: check that it is whole"
    )
