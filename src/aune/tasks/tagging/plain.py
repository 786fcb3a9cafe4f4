"""Tagged words as people hold them in Python, in one shape: texts with a name, sentences and columns of tags.

Accepted on purpose: `(word, tag)` pairs, tags alone, a dict per word, sentences of any of these, records with lists
(`{"words": …, "tags": …}`), dicts from names to them, rows of data frames with these columns, and spaCy's `Doc`s.
Whatever could mean two things is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from aune.core.errors import UsageError
from aune.core.shapes import (
    NAMES,
    SENTENCES,
    are,
    column,
    docs_in,
    grouped,
    is_doc,
    is_missing,
    listed,
    name_of,
    plain,
    refused,
)

COLUMNS = ("tag", "upos", "xpos", "feats", "lemma", "deprel")
FORMS = ("form", "word", "token", "text")
WORDS = {"tokens": "words", "forms": "words", "pos_tags": "tags", "lemmas": "lemma"}
"""What fields of records are called elsewhere."""
EXPECTED = "words with tags, such as [('le', 'D'), ('chat', 'N')], or tags, such as [['D', 'N'], ['V']]"
NO_HEAD, ROOT = None, 0


class Text(NamedTuple):
    """One document, column by column."""

    name: str
    words: list[str] | None
    """None where only tags were given: then every word is known by its place."""
    columns: Mapping[str, list[Any]]
    sentences: list[int] = [0]  # noqa: RUF012 - never changed
    heads: list[int | None] | None = None
    """For each word the number of its head in the sentence, from 1; 0 for the root, None where nothing is said."""


def texts(given: Any) -> list[Text | tuple[str, Mapping[str, Any]]]:
    """The texts in what somebody gave; a record with lists stays what it is, behind its name."""
    given = plain(given)
    if docs := docs_in(given):
        return [_of_doc(name, doc) for name, doc in docs.items()]
    if isinstance(given, Mapping):
        if record := _record(given):
            return [(name_of(given, "document"), record)]
        return [_text(str(name), plain(value)) for name, value in given.items()]
    items = listed(given, _refusal)
    if items and are(items, Mapping) and all(map(_record, items)):
        return [(name_of(item, str(number)), _record(item)) for number, item in enumerate(items, 1)]
    if items and are(items, Mapping):
        names = [name for name in NAMES if name != "name"]
        return [_text(name, rows) for name, rows in grouped(items, names, "document").items()]
    return [_text("document", items)]


def _refusal(given: Any) -> UsageError:
    return refused(given, EXPECTED)


def _record(given: Mapping[str, Any]) -> dict[str, Any]:
    """A document whose words and tags are lists, under our names; nothing for another mapping."""
    fields = {WORDS.get(str(name), str(name)): plain(value) for name, value in given.items()}
    if not isinstance(fields.get("words"), list | tuple):
        return {}
    lists = [name for name in ("tags", *COLUMNS) if isinstance(fields.get(name), list | tuple)]
    for name in lists:
        if fields[name] and are(fields[name], int, float):
            raise _numbers(fields[name])
    return fields if lists else {}


def _text(name: str, given: Any) -> Any:
    """One document: words in one sentence, or sentences of words."""
    if is_doc(given):
        return _of_doc(name, given)
    if isinstance(given, Mapping):
        record = _record(given)
        if not record:
            raise refused(given, f"{EXPECTED}, or {{'words': ['le'], 'tags': ['D']}}")
        return name, record
    items = [plain(item) for item in listed(given, _refusal)]
    if items and are(items, Mapping):
        return _of_sentences(name, [list(rows) for rows in _sentences_of(items)])
    if _is_sentence(items):
        return _of_sentences(name, [items] if items else [])
    if any(isinstance(item, tuple) for item in items):
        raise refused(items, EXPECTED, "a word and its tag are a pair; a sentence is a list")
    sentences = [listed(item, _refusal) for item in items]
    if items and are(items, list) and all(map(_is_ambiguous, items)):
        raise refused(
            items, EXPECTED,
            "two strings are a word and its tag as ('le', 'D'), or two tags as {'1': ['D', 'N'], '2': …}",
        )  # fmt: skip
    if not all(map(_is_sentence, sentences)):
        raise refused(items, EXPECTED, "documents are a dict, {'name': sentences, …}")
    return _of_sentences(name, sentences)


def _is_sentence(items: Sequence[Any]) -> bool:
    """Whether these are words: pairs, tags, or dicts; refuses what looks like words but cannot be."""
    if are(items, str) or (items and are(items, Mapping)):
        return True
    if items and are(items, int, float):
        raise _numbers(items)
    return are(items, tuple) and all(map(_is_pair, items))


def _is_pair(item: Any) -> bool:
    """A word and its tags."""
    return len(item) == 2 and isinstance(item[0], str) and (isinstance(item[1], str) or _are_tags(item[1]))


def _are_tags(given: Any) -> bool:
    return given is None or (isinstance(given, list | tuple | set | frozenset) and are(given, str))


def _numbers(items: Sequence[Any]) -> UsageError:
    return refused(list(items), EXPECTED, "what numbers stand for is not known here; give [names[n] for n in row]")


def _is_ambiguous(item: Any) -> bool:
    return len(item) == 2 and are(item, str)


def _sentences_of(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    return list(grouped(rows, SENTENCES, "").values())


def _of_sentences(name: str, sentences: Sequence[Sequence[Any]]) -> Text:
    words = list(chain.from_iterable(sentences))
    starts = [0]
    for sentence in sentences[:-1]:
        starts.append(starts[-1] + len(sentence))
    if words and are(words, Mapping):
        return _of_rows(name, words, starts)
    if are(words, str):
        return Text(name, None, {"tag": [_tag(word) for word in words]}, starts)
    if not are(words, tuple):
        raise refused(words, EXPECTED, "words are all pairs, or all tags")
    return Text(name, [word for word, _ in words], {"tag": [cell(tags) for _, tags in words]}, starts)


def _tag(text: str) -> str:
    if text != text.strip() or len(text.split()) > 1:
        raise refused(text, "a tag", "a text is no tag: give (word, tag) pairs")
    return cell(text)


def _of_rows(name: str, rows: Sequence[Mapping[str, Any]], starts: list[int]) -> Text:
    """A dict per word."""
    form = column(rows, FORMS)
    tags = [one for one in COLUMNS if any(one in row for row in rows)]
    if not tags:
        held = ", ".join(map(repr, rows[0])) or "nothing"
        raise UsageError(
            f"document {name!r}: found words with {held}, expected one of the columns {', '.join(map(repr, COLUMNS))} "
            "beside 'form': rename the one that holds the tags"
        )
    for one in tags:
        held_values = [row.get(one) for row in rows if row.get(one) is not None]
        if held_values and are(held_values, int, float):
            raise _numbers(held_values)
    columns = {tag: [cell(row.get(tag)) for row in rows] for tag in tags}
    words = None if form is None else [_word(name, row[form]) for row in rows]
    return Text(name, words, columns, starts, [row.get("head") for row in rows])


def _word(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise refused(given, f"a string as a word of document {name!r}")
    return given


def _of_doc(name: str, doc: Any) -> Text:
    """The words of a spaCy `Doc` and what it says of them; tokens of blanks alone are no words."""
    tokens = [token for token in doc if not token.is_space]
    starts = sorted({0, *(number for number, token in enumerate(tokens) if number and token.is_sent_start)})
    held = {
        "upos": [token.pos_ for token in tokens],
        "xpos": [token.tag_ for token in tokens],
        "feats": [str(token.morph) for token in tokens],
        "lemma": [token.lemma_ for token in tokens],
        "deprel": ["root" if token.dep_ == "ROOT" else token.dep_ for token in tokens],
    }
    columns = {column: [cell(value) for value in values] for column, values in held.items() if any(values)}
    if not columns:
        raise UsageError(
            f"document {name!r}: found a spaCy Doc whose words have no tags, expected some: run a tagger over it, or "
            "make it with Doc(vocab, words=…, pos=…)"
        )
    heads = _heads_of(tokens, starts) if doc.has_annotation("DEP") else None
    return Text(name, [token.text for token in tokens], columns, starts, heads)


def _heads_of(tokens: Sequence[Any], starts: Sequence[int]) -> list[int | None]:
    place = {token.i: number for number, token in enumerate(tokens)}
    bounds = [*starts, len(tokens)]
    found: list[int | None] = []
    for start, end in pairwise(bounds):
        for token in tokens[start:end]:
            head = place.get(token.head.i)
            found.append(ROOT if token.head.i == token.i else NO_HEAD if head is None else head - start + 1)
    return found


def cell(tags: Any) -> str:
    """Tags in plain Python as a cell: one tag, or several joined by `|`; sets in alphabetical order.

    >>> cell("N"), cell(["V", "N"]), cell({"V", "N"}), cell(None)
    ('N', 'V|N', 'N|V', '_')
    """
    if is_missing(tags):
        return "_"
    if isinstance(tags, str):
        return tags or "_"
    tags = plain(tags)
    if not isinstance(tags, list | tuple | set | frozenset) or not are(tags, str):
        raise refused(tags, "a tag, or several as ['N', 'V']", "what is no tag is None")
    return "|".join(sorted(tags) if isinstance(tags, set | frozenset) else tags) or "_"
