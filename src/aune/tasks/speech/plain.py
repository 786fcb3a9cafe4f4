"""Transcripts as people hold them in Python, in one shape: names with a text, a list of words, or a record.

Accepted on purpose: texts, lists of words, dicts from names to them, records (`{"text": …}` or `{"words": …}`) and
rows of data frames with these columns. Whatever could mean two things is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aune.core.errors import UsageError
from aune.core.shapes import are, is_doc, is_missing, listed, name_of, plain, quoted, refused

EXPECTED = "texts, such as ['good morning', 'two'], [['good', 'morning']] or {'name': 'good morning'}"
FIELDS = ("words", "text")
NAMES = ("id", "utterance", "utterance_id", "name")


def texts(given: Any) -> list[tuple[str, str | list[str] | Mapping[str, Any]]]:
    """Every utterance: its name, and its text, its words or its record."""
    given = plain(given)
    if isinstance(given, str):
        return [("utterance", given)]
    if isinstance(given, Mapping):
        if set(FIELDS) & set(given):
            return [_item(name_of(given, "utterance", NAMES), given)]
        return [_item(str(name), value) for name, value in given.items()]
    items = listed(given, lambda found: refused(found, EXPECTED))
    if are(items, str):
        return [(str(number), text) for number, text in enumerate(items, 1)]
    return [
        _item(name_of(item, str(number), NAMES) if isinstance(item, Mapping) else str(number), item)
        for number, item in enumerate(items, 1)
    ]


def _item(name: str, given: Any) -> tuple[str, str | list[str] | Mapping[str, Any]]:
    item = plain(given)
    if isinstance(item, str):
        return name, item
    if isinstance(item, Mapping):
        return name, _record(name, item)
    if is_missing(item):
        raise UsageError(f"found nothing for utterance {name!r}, expected a text: write '' where nothing was said")
    if is_doc(item):
        raise refused(item, EXPECTED, "give [doc.text for doc in docs]")
    return name, _words(name, listed(item, lambda found: refused(found, EXPECTED, _hint(found))))


def _record(name: str, record: Mapping[str, Any]) -> Mapping[str, Any]:
    if not set(FIELDS) & set(record):
        held = ", ".join(map(repr, record)) or "nothing"
        raise UsageError(
            f"found a record with {held} for utterance {name!r}, expected 'text' (or 'words', a list): give the field "
            f"that holds the text, as in [row[{next(iter(record), 'text')!r}] for row in rows]"
        )
    words, text = record.get("words"), record.get("text")
    if words is None and not isinstance(text, str):
        hint = "words are a list in 'words'; several texts are a list of texts, or of records"
        raise refused(text, f"a string as the 'text' of utterance {name!r}", hint)
    if words is None or isinstance(words, str):
        return record
    said = listed(plain(words), lambda found: refused(found, "a list of words"))
    if not are(said, str):
        raise refused(said, f"a list of words for utterance {name!r}", _hint(said))
    return {**record, "words": said}


def _words(name: str, words: Sequence[Any]) -> list[str]:
    """A list of words, none of which is a text itself."""
    if not are(words, str):
        raise refused(list(words), f"a text or a list of words for utterance {name!r}", _hint(list(words)))
    if spaced := next((word for word in words if len(word.split()) > 1), None):
        raise UsageError(
            f"found {quoted(spaced)} among the words of utterance {name!r}, expected one word: a list of texts is "
            "['good morning', 'two'], without a list around each"
        )
    return [word for word in words if word.split()]


def _hint(found: Any) -> str:
    items = found if isinstance(found, list) else [found]
    if items and are(items, int, float):
        return "decode numbers first, as tokenizer.batch_decode(ids) does"
    if items and are(items, bytes):
        return "decode bytes first, as text.decode() does"
    return ""
