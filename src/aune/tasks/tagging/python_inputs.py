"""Convert the Python representations of tagged words into one form: named texts, sentences and columns of tags.

Accepted inputs: `(word, tag)` pairs, tags alone, a dict per word, sentences of any of these, records with lists
(`{"words": …, "tags": …}`), dicts from names to them, rows of data frames with these columns, and `Doc`s of spaCy.
Ambiguous input is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Annotated, Any, NamedTuple, TypeAlias

from aune.contract.options import HiddenAtDefault
from aune.errors import UsageError
from aune.reading.python_inputs import (
    NAME_FIELDS,
    SENTENCE_COLUMNS,
    TagSentences,
    all_of_kind,
    as_list,
    first_column,
    group_rows,
    is_missing,
    is_spacy_doc,
    record_name,
    refusal,
    spacy_docs,
    to_plain,
)
from aune.syntax.field_roles import SUBJECTS, FieldChoice, choose_field, field_role

COLUMNS = ("tag", "upos", "xpos", "feats", "lemma", "deprel", "deps")
FORMS = ("form", "word", "token", "text")
WORDS = {"tokens": "words", "forms": "words", "pos_tags": "tags", "lemmas": "lemma"}
"""Other usual names of fields, and our names for them."""
EXPECTED = "words with tags, such as [('le', 'D'), ('chat', 'N')], or tags, such as [['D', 'N'], ['V']]"
NO_HEAD, ROOT = None, 0


TagsField: TypeAlias = Annotated[
    tuple[str, ...], "the field of a record with the tags; tags, upos, xpos… if none is named", HiddenAtDefault
]


class RivalFieldsError(UsageError):
    """A record contains the tags of both the key and a response."""

    def __init__(self, choice: FieldChoice) -> None:
        self.names = choice.rivals or ("", "")
        self.remedy = choice.remedy("tags_field")
        fields = " and ".join(map(repr, self.names))
        super().__init__(f"found {fields}, expected one of them: {self.remedy.for_python()}")


def with_one_annotation(record: Mapping[str, Any], wanted: Sequence[str], usual: str = "tags") -> dict[str, Any]:
    """A record or row with only the selected tags, under their standard name."""
    fields = {str(name): to_plain(value) for name, value in record.items()}
    kinds = (list, tuple) if usual == "tags" else (str,)
    names = [name for name, value in fields.items() if isinstance(value, kinds)]
    choice = choose_field(names, (usual, *COLUMNS, "pos_tags"), SUBJECTS["tagging"])
    if not wanted and choice.rivals:
        raise RivalFieldsError(choice)
    field = next((name for name in wanted if name in fields), None) if wanted else choice.name
    if field is None and wanted:
        raise UsageError(f"found no field {wanted[0]!r}, expected one with tags: name it (found {', '.join(fields)})")
    if field is None or (not wanted and not field_role(field, SUBJECTS["tagging"])):
        return fields
    left_out = {name for name in names if name in (usual, "pos_tags") or field_role(name, SUBJECTS["tagging"])}
    return {**{name: value for name, value in fields.items() if name not in left_out}, usual: fields[field]}


def _resolve_fields(data: Any, wanted: Sequence[str]) -> Any:
    """Records and rows with one annotation each, at any level of the input."""
    if isinstance(data, Mapping):
        if any(isinstance(to_plain(data.get(name)), list | tuple) for name in ("words", *WORDS)):
            return with_one_annotation(data, wanted)
        if any(isinstance(data.get(name), str) for name in FORMS):
            return with_one_annotation(data, wanted, "tag")
        return {name: _resolve_fields(to_plain(value), wanted) for name, value in data.items()}
    if isinstance(data, list) and data:
        inner = data[0][0] if isinstance(data[0], list) and data[0] else data[0]
        if isinstance(inner, Mapping):
            return [_resolve_fields(item, wanted) for item in data]
    return data


class InputDocument(NamedTuple):
    """One document as columns."""

    name: str
    words: list[str] | None
    """None if only tags were given: then every word is identified by its position."""
    columns: Mapping[str, list[Any]]
    sentences: list[int] = [0]  # noqa: RUF012 - never modified
    heads: list[int | None] | None = None
    """For each word the number of its head in the sentence, from 1; 0 for the root, None if unknown."""


def input_documents(data: Any, tags_field: Sequence[str] = ()) -> list[InputDocument | tuple[str, Mapping[str, Any]]]:
    """The documents of an input in Python; a record with lists is returned unchanged, with its name."""
    if isinstance(data, TagSentences):
        return [_document_from_sentences("document", data)]
    data = _resolve_fields(to_plain(data), tags_field)
    if docs := spacy_docs(data):
        return [_document_from_doc(name, doc) for name, doc in docs.items()]
    if isinstance(data, Mapping):
        if record := _record(data):
            return [(record_name(data, "document"), record)]
        return [_text(str(name), to_plain(value)) for name, value in data.items()]
    items = as_list(data, _refusal)
    if items and all_of_kind(items, Mapping) and all(map(_record, items)):
        return [(record_name(item, str(number)), _record(item)) for number, item in enumerate(items, 1)]
    if items and all_of_kind(items, Mapping):
        names = [name for name in NAME_FIELDS if name != "name"]
        return [_text(name, rows) for name, rows in group_rows(items, names, "document").items()]
    return [_text("document", items)]


def _refusal(data: Any) -> UsageError:
    return refusal(data, EXPECTED)


def _record(data: Mapping[str, Any]) -> dict[str, Any]:
    """A document whose words and tags are lists, under our field names; empty for any other mapping."""
    fields = {WORDS.get(str(name), str(name)): to_plain(value) for name, value in data.items()}
    if not isinstance(fields.get("words"), list | tuple):
        return {}
    lists = [name for name in ("tags", *COLUMNS) if isinstance(fields.get(name), list | tuple)]
    for name in lists:
        if fields[name] and all_of_kind(fields[name], int, float):
            raise _numbers_error(fields[name])
    return fields if lists else {}


def _text(name: str, data: Any) -> Any:
    """One document: words of one sentence, or sentences of words."""
    if is_spacy_doc(data):
        return _document_from_doc(name, data)
    if isinstance(data, Mapping):
        record = _record(data)
        if not record:
            raise refusal(data, f"{EXPECTED}, or {{'words': ['le'], 'tags': ['D']}}")
        return name, record
    items = [to_plain(item) for item in as_list(data, _refusal)]
    if items and all_of_kind(items, Mapping):
        return _document_from_sentences(name, [list(rows) for rows in _sentences_of(items)])
    if _is_sentence(items):
        return _document_from_sentences(name, [items] if items else [])
    if any(isinstance(item, tuple) for item in items):
        raise refusal(items, EXPECTED, "a word and its tag are a pair; a sentence is a list")
    sentences = [as_list(item, _refusal) for item in items]
    if items and all_of_kind(items, list) and all(map(_is_ambiguous, items)):
        raise refusal(
            items, EXPECTED,
            "two strings are a word and its tag as ('le', 'D'), or two tags as {'1': ['D', 'N'], '2': …}",
        )  # fmt: skip
    if not all(map(_is_sentence, sentences)):
        raise refusal(items, EXPECTED, "documents are a dict, {'name': sentences, …}")
    return _document_from_sentences(name, sentences)


def _is_sentence(items: Sequence[Any]) -> bool:
    """Whether these are words: pairs, tags or dicts. Refuses items that resemble words but are malformed."""
    if all_of_kind(items, str) or (items and all_of_kind(items, Mapping)):
        return True
    if items and all_of_kind(items, int, float):
        raise _numbers_error(items)
    return all_of_kind(items, tuple) and all(map(_is_pair, items))


def _is_pair(item: Any) -> bool:
    """Whether this is a word with its tags."""
    return len(item) == 2 and isinstance(item[0], str) and (isinstance(item[1], str) or _are_tags(item[1]))


def _are_tags(tags: Any) -> bool:
    return tags is None or (isinstance(tags, list | tuple | set | frozenset) and all_of_kind(tags, str))


def _numbers_error(items: Sequence[Any]) -> UsageError:
    return refusal(list(items), EXPECTED, "what numbers stand for is not known here; give [names[n] for n in row]")


def _is_ambiguous(item: Any) -> bool:
    return len(item) == 2 and all_of_kind(item, str)


def _sentences_of(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    return list(group_rows(rows, SENTENCE_COLUMNS, "").values())


def _document_from_sentences(name: str, sentences: Sequence[Sequence[Any]]) -> InputDocument:
    words = list(chain.from_iterable(sentences))
    starts = [0]
    for sentence in sentences[:-1]:
        starts.append(starts[-1] + len(sentence))
    if words and all_of_kind(words, Mapping):
        return _document_from_rows(name, words, starts)
    if all_of_kind(words, str):
        return InputDocument(name, None, {"tag": [_tag(word) for word in words]}, starts)
    if not all_of_kind(words, tuple):
        raise refusal(words, EXPECTED, "words are all pairs, or all tags")
    return InputDocument(name, [word for word, _ in words], {"tag": [cell(tags) for _, tags in words]}, starts)


def _tag(text: str) -> str:
    if text != text.strip() or len(text.split()) > 1:
        raise refusal(text, "a tag", "a text is no tag: give (word, tag) pairs")
    return cell(text)


def _document_from_rows(name: str, rows: Sequence[Mapping[str, Any]], starts: list[int]) -> InputDocument:
    """A document from one dict per word."""
    form = first_column(rows, FORMS)
    tags = [column_name for column_name in COLUMNS if any(column_name in row for row in rows)]
    if not tags:
        fields = ", ".join(map(repr, rows[0])) or "nothing"
        raise UsageError(
            f"document {name!r}: found words with {fields}, expected one of the columns "
            f"{', '.join(map(repr, COLUMNS))} "
            "beside 'form': rename the one that holds the tags"
        )
    for column_name in tags:
        values = [row.get(column_name) for row in rows if row.get(column_name) is not None]
        if values and all_of_kind(values, int, float):
            raise _numbers_error(values)
    columns = {tag: [cell(row.get(tag)) for row in rows] for tag in tags}
    words = None if form is None else [_word(name, row[form]) for row in rows]
    return InputDocument(name, words, columns, starts, [row.get("head") for row in rows])


def _word(name: str, word: Any) -> str:
    if not isinstance(word, str):
        raise refusal(word, f"a string as a word of document {name!r}")
    return word


def _document_from_doc(name: str, doc: Any) -> InputDocument:
    """The words of a `Doc` of spaCy and their annotations; tokens of blanks alone are skipped."""
    tokens = [token for token in doc if not token.is_space]
    starts = sorted({0, *(number for number, token in enumerate(tokens) if number and token.is_sent_start)})
    values_by_column = {
        "upos": [token.pos_ for token in tokens],
        "xpos": [token.tag_ for token in tokens],
        "feats": [str(token.morph) for token in tokens],
        "lemma": [token.lemma_ for token in tokens],
        "deprel": ["root" if token.dep_ == "ROOT" else token.dep_ for token in tokens],
    }
    columns = {column: [cell(value) for value in values] for column, values in values_by_column.items() if any(values)}
    if not columns:
        raise UsageError(
            f"document {name!r}: found a spaCy Doc whose words have no tags, expected some: run a tagger over it, or "
            "make it with Doc(vocab, words=…, pos=…)"
        )
    heads = _heads_of(tokens, starts) if doc.has_annotation("DEP") else None
    return InputDocument(name, [token.text for token in tokens], columns, starts, heads)


def _heads_of(tokens: Sequence[Any], starts: Sequence[int]) -> list[int | None]:
    place = {token.i: number for number, token in enumerate(tokens)}
    bounds = [*starts, len(tokens)]
    heads: list[int | None] = []
    for start, end in pairwise(bounds):
        for token in tokens[start:end]:
            head = place.get(token.head.i)
            heads.append(ROOT if token.head.i == token.i else NO_HEAD if head is None else head - start + 1)
    return heads


def cell(tags: Any) -> str:
    """A cell from tags in plain Python: one tag, or several joined by `|`; sets are in alphabetical order.

    >>> cell("N"), cell(["V", "N"]), cell({"V", "N"}), cell(None)
    ('N', 'V|N', 'N|V', '_')
    """
    if is_missing(tags):
        return "_"
    if isinstance(tags, str):
        return tags or "_"
    tags = to_plain(tags)
    if not isinstance(tags, list | tuple | set | frozenset) or not all_of_kind(tags, str):
        raise refusal(tags, "a tag, or several as ['N', 'V']", "what is no tag is None")
    return "|".join(sorted(tags) if isinstance(tags, set | frozenset) else tags) or "_"
