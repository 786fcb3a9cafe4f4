"""What a user should know about the words of a comparison: whether both sides are the same texts in the same writing.

Counted for each utterance, and worded once for the whole corpus.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from aune.contract.notes import Note
from aune.tasks.speech.model import Document, Recording, Utterance
from aune.typologies.typology import missing_typology_note

FEW_SHARE = 0.1
"""Below this share of words in common a response is hardly one to its key; above it, other capitals are no slip."""
MUCH_SHARE = 1 / 3
"""From this share on, words of utterances that begin and end otherwise may be those of other utterances."""
EMPTY_SHARE = 0.1
"""From this share on, utterances without a word in the response are reported."""
LENGTH_SHARES = (0.8, 1.25)
"""Outside these bounds the length of a response, in lengths of the key, is reported."""
SHORT_TEXT = 20
"""Words of the key below which lengths say nothing."""
LONG_TEXT = 4
"""Words from which on a text is hardly said twice."""
UNANSWERED_END = 3
"""Utterances at the end of a recording, without a word in the response, from which on its end is missing."""
SPECIAL_WRITING = re.compile(
    "[\0-\x08\x0e-\x1b\x7f\xad\u0300-\u036f\u3099\u309a\u061c\u200b-\u200f\u2018-\u201f\u2032\u2033\u2060-\u2064"
    "\ufeff\ufffd\xc2-\xc3\xc5\xd0-\xd1\xd8-\xd9\xe0\xe2-\xe3]"
)
"""Characters with several spellings, or without a shape; and those that UTF-8 read in another encoding begins with."""
INVISIBLE = re.compile("[\0-\x08\x0e-\x1b\x7f\xad\u061c\u200b-\u200f\u2060-\u2064\ufeff]")
QUOTES = str.maketrans("\u2018\u2019\u201a\u201b\u2032\u201c\u201d\u201e\u201f\u2033", "'''''\"\"\"\"\"")
REPLACEMENT = "\ufffd"

Text: TypeAlias = str | Sequence[str]


def text_notes(texts: Iterable[tuple[Text, Text]]) -> tuple[Note, ...]:
    """The notes on pairs of texts: words in common, order, lengths, and writing."""
    pairs = list(texts)
    return words_in_common(pairs), moved_texts(pairs), lengths(pairs), writing_differences(pairs)


def words_in_common(texts: Iterable[tuple[Text, Text]]) -> Note:
    """How many words of the key its response has, and how many in other capitals, where neither end is the same.

    Utterances that begin or end alike are of the same text, and are no more looked at: there are many of them. Nor is
    what is empty on a side. `next` and `before` count the words that a response shares with the keys beside its own:
    where these are as many, the order is another one.
    """
    filled = [pair for pair in texts if pair[0] and pair[1]]
    counts = {"utterances": len(filled), "unlike": 0, "words": 0, "same": 0, "recased": 0, "next": 0, "before": 0}
    for place, (key, response) in enumerate(filled):
        if key == response or _alike(key, response):
            continue
        key_words, response_words = set(_words(key)), set(_words(response))
        lowered = {word.lower() for word in response_words - key_words}
        counts["unlike"] += 1
        counts["words"] += len(key_words)
        counts["same"] += len(key_words & response_words)
        counts["recased"] += sum(word.lower() in lowered for word in key_words - response_words)
        for name, neighbour in (("next", place + 1), ("before", place - 1)):
            if 0 <= neighbour < len(filled):
                counts[name] += len(response_words.intersection(_words(filled[neighbour][0])))
    return Note("words in common", _common_words_text, counts, rank=3)


def moved_texts(texts: Sequence[tuple[Text, Text]]) -> Note:
    """How many responses are their key in other capitals or in another order of its words, or another key as it is.

    Texts of a few words are left out where order is concerned: they occur several times.
    """
    counts = {"utterances": len(texts), "different": 0, "moved": 0, "recased": 0, "reordered": 0}
    different = [(key, response) for key, response in texts if key != response]
    plain = [(_plain(key), _plain(response)) for key, response in different]
    plain = [(key, response) for key, response in plain if key != response and key and response]
    keys = {_plain(key) for key, _ in texts} if plain else set()
    for key, response in plain:
        if key.lower() == response.lower():
            counts["recased"] += _alike(key, response)  # `words_in_common` counts the others
        elif _length(response) >= LONG_TEXT:
            counts["different"] += 1
            counts["moved"] += response in keys
            counts["reordered"] += len(key) == len(response) and sorted(key.split()) == sorted(response.split())
    return Note("moved texts", _moved_text, counts, rank=3)


def lengths(texts: Sequence[tuple[Text, Text]]) -> Note:
    """How many words both sides have, and how many utterances of the key have none in the response."""
    counts = {"utterances": 0, "empty": 0, "key words": 0, "response words": 0}
    for key, response in texts:
        if key:
            counts["utterances"] += 1
            counts["empty"] += not response
            counts["key words"] += _length(key)
            counts["response words"] += _length(response)
    return Note("lengths", _lengths_text, counts, rank=3)


def writing_differences(texts: Iterable[tuple[Text, Text]]) -> Note:
    """How many words of the key its response has in another encoding of the same letters, by the kind of difference."""
    counts: Counter[str] = Counter()
    for key, response in texts:
        if key == response:
            continue
        plain_key, plain_response = (text if isinstance(text, str) else " ".join(text) for text in (key, response))
        if not (SPECIAL_WRITING.search(plain_key) or SPECIAL_WRITING.search(plain_response)):
            continue
        key_words, response_words = set(plain_key.split()), set(plain_response.split())
        counts["replaced"] += sum(REPLACEMENT in word for word in response_words - key_words)
        folded = {word: kinds for word in response_words - key_words for word, kinds in [_fold(word)]}
        for word in key_words - response_words:
            plain, kinds = _fold(word)
            if plain in folded:
                counts["words"] += 1
                counts.update(kinds ^ folded[plain])
    return Note("writing", _writing_text, counts, rank=3)


def unanswered_ends(pairs: Iterable[tuple[Document, Document]], utterances: Mapping[str, bool]) -> list[Note]:
    """How many utterances at the ends of recordings have no word in the response; `utterances` tells which have."""
    counts = {"recordings": 0, "utterances": 0, "of": 0}
    for key, _ in pairs:
        if not isinstance(key, Recording):
            continue
        answered = [utterances[part.id] for part in key.utterances if part.id in utterances]
        rest = len(answered) - max((place + 1 for place, is_answered in enumerate(answered) if is_answered), default=0)
        if UNANSWERED_END <= rest < len(answered):
            counts["recordings"] += 1
            counts["utterances"] += rest
            counts["of"] += len(answered)
    return [Note("unanswered ends", _ends_text, counts, rank=3)] if counts["recordings"] else []


def labels_seen(pairs: Iterable[tuple[Utterance, Utterance]]) -> list[Note]:
    """A note of the labels of the key's entities, where no typology says what is a component."""
    counts = Counter(entity.label for key, _ in pairs for entity in key.entities)
    return [Note("labels", _labels_text, counts, rank=4)] if counts else []


def _labels_text(counts: Mapping[str, int], first: str) -> str:
    return missing_typology_note(counts)


def _words(text: Text) -> Sequence[str]:
    return text.split() if isinstance(text, str) else text


def _plain(text: Text) -> str:
    """The words of a text as one string, with one blank between words."""
    return " ".join(_words(text))


def _length(text: Text) -> int:
    """How many words a text has, whatever blanks are between them."""
    return len(_words(text))


def _alike(key: Text, response: Text) -> bool:
    """Whether two texts have their first or their last word in common."""
    if isinstance(key, str) and isinstance(response, str):  # as nearly always
        key, response = key.strip(), response.strip()
        first = key.partition(" ")[0] == response.partition(" ")[0]
        return first or key.rpartition(" ")[2] == response.rpartition(" ")[2]
    return _first_word(key) == _first_word(response) or _last_word(key) == _last_word(response)


def _first_word(text: Text) -> str:
    return text.strip().partition(" ")[0] if isinstance(text, str) else text[0]


def _last_word(text: Text) -> str:
    return text.strip().rpartition(" ")[2] if isinstance(text, str) else text[-1]


def _fold(word: str) -> tuple[str, frozenset[str]]:
    """A word in the usual encoding of its letters, and what was unusual about it."""
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
    """What a word was before its UTF-8 was read in another encoding; the word where it was not."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return word.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return word


def _common_words_text(counts: Mapping[str, int], first: str) -> str:
    """Something only where most utterances are unlike their key's."""
    utterances, unlike, words = (counts[name] for name in ("utterances", "unlike", "words"))
    where = f"words in {unlike} of {utterances} utterances"
    beside = max(counts["next"], counts["before"])
    if 4 * unlike > utterances and unlike > 1 and beside >= counts["same"] and beside > FEW_SHARE * words:
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
    """Something only where much of the key has no answer, or the response is much longer."""
    utterances, empty, key, response = (counts[name] for name in ("utterances", "empty", "key words", "response words"))
    if key and not response:  # segments of speakers without words are a response all the same
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
"""Steps of normalisation that take words as one that differ in a kind of writing."""


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
