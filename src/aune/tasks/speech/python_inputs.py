"""Convert the Python representations of transcripts into one form: names with a text, a list of words, or a record.

Accepted inputs: texts, lists of words, dicts from names to them, records (`{"text": …}` or `{"words": …}`) and
rows of data frames with these columns. Ambiguous input is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aune.errors import UsageError
from aune.reading.python_inputs import (
    all_of_kind,
    as_list,
    is_missing,
    is_spacy_doc,
    quote_value,
    record_name,
    refusal,
    to_plain,
)
from aune.tasks.speech.text_roles import text_roles

EXPECTED = "texts, such as ['good morning', 'two'], [['good', 'morning']] or {'name': 'good morning'}"
TEXT_FIELDS = ("words", "text")
NAME_FIELDS = ("id", "utterance", "utterance_id", "name")


def texts(source: Any, text_field: Sequence[str] = ()) -> list[tuple[str, str | list[str] | Mapping[str, Any]]]:
    """Every utterance: its name, with its text, its words or its record."""
    source = to_plain(source)
    if isinstance(source, str):
        return [("utterance", source)]
    if isinstance(source, Mapping):
        if set(text_field or TEXT_FIELDS) & set(source):
            return [_parse_item(record_name(source, "utterance", NAME_FIELDS), source, text_field)]
        return [_parse_item(str(name), value, text_field) for name, value in source.items()]
    items = as_list(source, lambda invalid: refusal(invalid, EXPECTED))
    if all_of_kind(items, str):
        return [(str(number), text) for number, text in enumerate(items, 1)]
    return [
        _parse_item(
            record_name(item, str(number), NAME_FIELDS) if isinstance(item, Mapping) else str(number), item, text_field
        )
        for number, item in enumerate(items, 1)
    ]


def _parse_item(name: str, value: Any, text_field: Sequence[str]) -> tuple[str, str | list[str] | Mapping[str, Any]]:
    item = to_plain(value)
    if isinstance(item, str):
        return name, item
    if isinstance(item, Mapping):
        return name, _check_record(name, _choose_text(name, item, text_field))
    if is_missing(item):
        raise UsageError(f"found nothing for utterance {name!r}, expected a text: write '' where nothing was said")
    if is_spacy_doc(item):
        raise refusal(item, EXPECTED, "give [doc.text for doc in docs]")
    return name, _check_words(name, as_list(item, lambda invalid: refusal(invalid, EXPECTED, _hint(invalid))))


def _choose_text(name: str, record: Mapping[str, Any], text_field: Sequence[str]) -> Mapping[str, Any]:
    """The record with its text as `text`; one with the texts of both sides is refused unless the field is named."""
    if not text_field:
        if roles := text_roles(record):
            raise UsageError(
                f"found both {roles.key!r} and {roles.response!r} in the record of utterance {name!r}, expected the "
                f"text of one side: {roles.remedy.for_python()}"
            )
        return record
    field = next((field for field in text_field if field in record), None)
    if field is None:
        raise UsageError(
            f"found no {' or '.join(map(repr, text_field))} in the record of utterance {name!r}, expected the text "
            "there: name another text_field"
        )
    value = record[field]
    rest = {key: value for key, value in record.items() if key not in ("text", "words", field)}
    return {**rest, ("text" if isinstance(value, str) else "words"): value}


def _check_record(name: str, record: Mapping[str, Any]) -> Mapping[str, Any]:
    if not set(TEXT_FIELDS) & set(record):
        fields = ", ".join(map(repr, record)) or "nothing"
        raise UsageError(
            f"found a record with {fields} for utterance {name!r}, expected 'text' (or 'words', a "
            "list): give the field "
            f"with the text, as in [row[{next(iter(record), 'text')!r}] for row in rows]"
        )
    words, text = record.get("words"), record.get("text")
    if words is None and not isinstance(text, str):
        hint = "words are a list in 'words'; several texts are a list of texts, or of records"
        raise refusal(text, f"a string as the 'text' of utterance {name!r}", hint)
    if words is None or isinstance(words, str):
        return record
    word_list = as_list(to_plain(words), lambda invalid: refusal(invalid, "a list of words"))
    if not all_of_kind(word_list, str):
        raise refusal(word_list, f"a list of words for utterance {name!r}", _hint(word_list))
    return {**record, "words": word_list}


def _check_words(name: str, words: Sequence[Any]) -> list[str]:
    """A list of words; refused if any of them is a text itself."""
    if not all_of_kind(words, str):
        raise refusal(list(words), f"a text or a list of words for utterance {name!r}", _hint(list(words)))
    if spaced := next((word for word in words if len(word.split()) > 1), None):
        raise UsageError(
            f"found {quote_value(spaced)} among the words of utterance {name!r}, expected one word: a list of texts is "
            "['good morning', 'two'], without a list around each"
        )
    return [word for word in words if word.split()]


def _hint(value: Any) -> str:
    items = value if isinstance(value, list) else [value]
    if items and all_of_kind(items, int, float):
        return "decode numbers first, as tokenizer.batch_decode(ids) does"
    if items and all_of_kind(items, bytes):
        return "decode bytes first, as text.decode() does"
    return ""
