"""The data model of a text whose words carry tags.

A document stores columns over its words. A column is a number per word and a list of the names of these numbers, so
that any operation on a tag (splitting a list of alternatives, projecting it, comparing it) is done once per name
and not once per word. A word is a token of the text, or one of the words of a multiword token such as `du`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from aune.errors import Problem, UsageError
from aune.numeric.arrays import Ints, Mask, Numbering
from aune.reading.python_inputs import ready_documents
from aune.tasks.tagging.python_inputs import COLUMNS, InputDocument, TagsField, cell, input_documents

NO_TAG = ("", "_")
"""How files mark a word without a tag."""
MAX_TAGS = 5  # tags listed in a corpus profile
ROOT, NO_HEAD = -1, -2


class Vocabulary(Numbering[str]):
    """Names and their numbers, in order of first appearance.

    >>> names = Vocabulary()
    >>> names.encode(["le", "chat", "le"]).codes.tolist()
    [0, 1, 0]
    """

    @cached_property
    def names(self) -> Names:
        return Names(self)

    def encode(self, values: Sequence[str]) -> CodedColumn:
        return CodedColumn(self.codes(values, len(values)), self.names)


class Names(Sequence[str]):
    """The names of a vocabulary by number; grows with the vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._list: list[str] = []

    @property
    def as_list(self) -> list[str]:
        if len(self._list) != len(self.vocabulary):
            self._list = list(self.vocabulary)
        return self._list

    def __getitem__(self, index: Any) -> Any:
        return self.as_list[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary)

    def __len__(self) -> int:
        return len(self.vocabulary)


class CodedColumn(NamedTuple):
    """A column: a number per word, and the names of the numbers."""

    codes: Ints
    names: Sequence[str]

    def values(self) -> list[str]:
        """The values as a list of strings."""
        return list(map(list(self.names).__getitem__, self.codes.tolist()))

    def slice(self, start: int, end: int) -> CodedColumn:
        return CodedColumn(self.codes[start:end], self.names)

    @property
    def is_blank(self) -> bool:
        """Whether no word has a value; unused names, shared with other columns, do not count."""
        first = self.codes[:1].tolist()  # most columns have a value at the first word
        return all(self.names[code] in NO_TAG for code in first) and all(
            self.names[code] in NO_TAG for code in np.unique(self.codes).tolist()
        )


def concatenate(parts: Sequence[CodedColumn]) -> CodedColumn:
    """Concatenate columns, with one list of names.

    >>> both = concatenate([CodedColumn(np.array([0, 1]), ["a", "b"]), CodedColumn(np.array([0]), ["b"])])
    >>> both.codes.tolist(), list(both.names)
    ([0, 1, 1], ['a', 'b'])
    """
    vocabulary = Vocabulary()
    places: dict[int, int] = {}  # the index of the first name of each list among all names
    codes_by_list: list[Ints] = [np.zeros(0, np.int64)]
    size = 0
    for _, names in parts:
        if id(names) not in places:
            places[id(names)] = size
            codes_by_list.append(np.fromiter(map(vocabulary.__getitem__, names), np.int64, len(names)))
            size += len(names)
    lengths = [len(codes) for codes, _ in parts]
    shift = np.repeat(np.array([places[id(names)] for _, names in parts], np.int64), lengths)
    codes = np.concatenate([np.zeros(0, np.int64), *(codes for codes, _ in parts)])
    return CodedColumn(np.concatenate(codes_by_list)[codes + shift], list(vocabulary))


class Compound(NamedTuple):
    """Words that also form one unit, with the tags of the unit: the double marking of a compound."""

    start: int
    end: int
    """The word after the last one."""
    tags: str


@dataclass(frozen=True, slots=True)
class Document:
    """One tagged text. Build it with `make_document`, or with `documents` from plain Python."""

    id: str
    words: CodedColumn
    columns: Mapping[str, CodedColumn]
    """Columns over words: `tag` (alternatives joined by `|`), or `upos`, `xpos`, `feats`, `lemma`, `deprel`, `deps`."""
    tokens: CodedColumn | None = None
    """The tokens of the text, if they differ from the words."""
    owner: Ints | None = None
    """(words,): the token to which each word belongs, if `tokens` differ from the words."""
    multiword: Mask | None = None
    """(tokens,): whether a token consists of several words."""
    sentences: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    """The first word of every sentence."""
    sentences_before: int = 0
    """The number of sentences before it, if it is a part of a longer text."""
    heads: Ints | None = None
    """(words,): the head of each word; ROOT for the root, NO_HEAD if the file does not state it."""
    compounds: tuple[Compound, ...] = ()
    lines: Ints | None = None
    """(words,): the line of each word in its file."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    line: int = 1
    wordless: bool = False
    """Whether only tags were given: words are then identified by position."""
    gaps: Sequence[str] | None = None
    """(tokens + 1,): the characters before each token and after the last one; None if the file does not give them."""

    def __len__(self) -> int:
        return len(self.words.codes)

    @property
    def surface(self) -> CodedColumn:
        return self.words if self.tokens is None else self.tokens

    def column(self, name: str) -> CodedColumn:
        """A column by name; an empty one if the document has no such column."""
        return self.columns.get(name) or CodedColumn(np.zeros(len(self), np.int64), ("_",))


def first_filled_column(document: Document) -> str | None:
    """The first column of tags that has a value for some word."""
    return next((name for name in COLUMNS[:3] if name in document.columns and not document.column(name).is_blank), None)


def choose_column(document: Document, name: str = "auto") -> str:
    """The column with the tags to compare: the selected one, or the first that has a value."""
    if name != "auto":
        return name
    return first_filled_column(document) or "tag"


def alternatives(text: str, column: str = "tag") -> tuple[str, ...]:
    """The tags in a cell, each once; `|` separates alternatives except where it is part of the tag.

    >>> alternatives("Ncms|Ncfs|Ncms"), alternatives("_"), alternatives("Gender=Fem|Number=Sing", "feats")
    (('Ncms', 'Ncfs'), (), ('Gender=Fem|Number=Sing',))
    """
    if text in NO_TAG:
        return ()
    if column not in ("tag", "upos"):
        return (text,)
    return tuple(tag for tag in dict.fromkeys(part.strip() for part in text.split("|")) if tag not in NO_TAG)


def make_document(
    id: str,
    words: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    *,
    sentences: Iterable[int] = (),
    shared: dict[str, Vocabulary] | None = None,
    **fields: Any,
) -> Document:
    """A document whose words are its tokens, from lists; `shared` is a vocabulary shared with other documents."""
    if not all(map(str.strip, words)):
        raise ValueError("a word without a character")
    names = {} if shared is None else shared
    coded = {name: names.setdefault(name, Vocabulary()).encode(values) for name, values in columns.items()}
    starts = np.array(sorted({0, *sentences}), np.int64)
    return Document(id, names.setdefault("words", Vocabulary()).encode(words), coded, sentences=starts, **fields)


def documents(plain: Any, *, tags_field: TagsField = ()) -> list[Document]:
    """Documents from plain Python: words with tags, a mapping from names to such lists, or documents.

    A word with its tags is a pair `(word, tags)`, where tags are one tag, several joined by `|`, or a collection; or a
    mapping such as `{"form": "chat", "upos": "NOUN", "lemma": "chat", "head": 2, "deprel": "nsubj"}` (heads are counted
    from 1, 0 is the root). Tags alone are a list of strings: they are compared one for one. Sentences are lists of
    these. A whole document can also be a spaCy `Doc`, or a mapping with
    `words`, `tags`, and if need be `compounds` (`[start, end, tags]`) and `sentences` (first words). `tags_field` names
    the field of records, or the column of rows, with the tags; one with the tags of both sides is refused without it.

    >>> documents([("le", "D"), ("chat", ["N", "V"])])[0].columns["tag"].values()
    ['D', 'N|V']
    """
    if (ready := ready_documents(plain, Document)) is not None:
        return ready
    shared: dict[str, Vocabulary] = {}
    return [
        _text_document(text, shared) if isinstance(text, InputDocument) else _record_document(*text)
        for text in input_documents(plain, tags_field)
    ]


def _record_document(name: str, record: Mapping[str, Any]) -> Document:
    try:
        return from_record(name, record)
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise UsageError(f"document {name!r}: found {error}, expected as many tags as words, such as "
                         "{'words': ['le', 'chat'], 'tags': ['D', 'N']}") from None  # fmt: skip


def _text_document(text: InputDocument, shared: dict[str, Vocabulary]) -> Document:
    size = len(next(iter(text.columns.values())))
    words = [str(number) for number in range(1, size + 1)] if text.words is None else text.words
    try:
        heads = None if text.heads is None else _plain_heads(text.heads, text.sentences)
        return make_document(
            text.name, words, text.columns, shared=shared, sentences=text.sentences, heads=heads,
            wordless=text.words is None,
        )  # fmt: skip
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"document {text.name!r}: found {error}, expected words with tags: mend it") from None


def _plain_heads(head_numbers: Sequence[Any], sentences: Sequence[int]) -> Ints | None:
    """Heads in the notation of trees: 0 for the root, word numbers in the sentence from 1, None if unknown."""
    if all(head is None for head in head_numbers):
        return None
    heads = np.full(len(head_numbers), NO_HEAD, np.int64)
    bounds = [*sentences, len(head_numbers)]
    for start, end in pairwise(bounds):
        for number in range(start, end):
            head = head_numbers[number]
            if head is not None and (not 0 <= float(head) <= end - start or float(head) % 1):
                raise ValueError("a head that is none of the words")
            if head is not None:
                heads[number] = ROOT if not int(head) else start + int(head) - 1
    return heads


def with_words(pairs: Sequence[tuple[Document, Document]]) -> Sequence[tuple[Document, Document]]:
    """The pairs, where a side that has only tags takes the other's words; refused if the lengths differ."""
    if not any(key.wordless or response.wordless for key, response in pairs):
        return pairs
    return [_with_words(key, response) for key, response in pairs]


def _with_words(key: Document, response: Document) -> tuple[Document, Document]:
    if not (key.wordless or response.wordless) or not len(response):
        return key, response
    several = min(len(key.sentences), len(response.sentences)) > 1
    same = not several or np.array_equal(key.sentences, response.sentences)
    if len(key) != len(response) or not same:
        raise UsageError(
            f"document {response.id!r}: found {_sizes(response)} in the response and {_sizes(key)} in the key, "
            "expected as many: tags without words must be one for one; give (word, tag) pairs to have words aligned"
        )
    if key.wordless and response.wordless:
        return key, response
    source, target = (response, key) if key.wordless else (key, response)
    target = replace(target, words=source.words, tokens=source.tokens, owner=source.owner, multiword=source.multiword)
    return (target, response) if key.wordless else (key, target)


def _sizes(document: Document) -> str:
    lengths = np.diff([*document.sentences.tolist(), len(document)]).tolist()
    return (
        f"{len(document)} tags" if len(lengths) == 1 else f"{len(lengths)} sentences of {str(lengths[:5])[1:-1]}… tags"
    )


def from_record(id: str, record: Mapping[str, Any]) -> Document:
    """A document from a mapping with a list of words and lists of tags; raises ValueError if they do not fit."""
    words = [str(word) for word in record["words"]]
    lists = {"tag" if name == "tags" else name: record[name] for name in ("tags", *COLUMNS) if name in record}
    for name, values in lists.items():
        if len(values) != len(words):
            raise ValueError(f"{len(values)} values of {name!r} for {len(words)} words")
    compounds = tuple(sorted(Compound(int(a), int(b), cell(tags)) for a, b, tags in record.get("compounds", ())))
    ends = [0, *(compound.end for compound in compounds)]
    if any(not ends[i] <= compound.start < compound.end <= len(words) for i, compound in enumerate(compounds)):
        raise ValueError("a compound outside the words or across another one")
    if any(compound.end - compound.start == 1 for compound in compounds):
        raise ValueError("a compound of one word, which has at least two")
    starts = [int(start) for start in record.get("sentences", (0,))]
    if any(not 0 <= start <= len(words) for start in starts):
        raise ValueError("a sentence that starts outside the words")
    attributes = {str(name): str(value) for name, value in dict(record.get("attributes", {})).items()}
    columns = {name: [cell(value) for value in values] for name, values in lists.items()}
    return make_document(id, words, columns, sentences=starts, compounds=compounds, attributes=attributes)


def empty(like: Document) -> Document:
    """A document without words, for a response that lacks one."""
    nothing = CodedColumn(np.zeros(0, np.int64), ())
    return Document(like.id, nothing, dict.fromkeys(like.columns, nothing), attributes=like.attributes)


def check(documents: Sequence[Document]) -> list[Problem]:
    """Check the rule of the task for files: every word has a tag."""
    problems = []
    for document in documents:
        name = choose_column(document)
        codes, names = document.column(name)
        is_untagged = np.array([not alternatives(text, name) for text in names] or [False])
        for word in np.flatnonzero(is_untagged[codes]).tolist() if len(codes) else []:
            form = document.words.names[int(document.words.codes[word])]
            line = int(document.lines[word]) if document.lines is not None else document.line
            problems.append(
                Problem.in_file(
                    "tag.missing",
                    document.path or document.id,
                    line,
                    1,
                    found=f"the word {form!r} without a tag",
                    expected="one",
                    remedies=["add its tag"],
                )
            )
    return problems


def describe(documents: Sequence[Document]) -> dict[str, Any]:
    """The profile of a tagged corpus: sizes, ambiguity, compounds, and the tags."""
    tags: Counter[str] = Counter()
    words = tagged = ambiguous = 0
    for document in documents:
        name = choose_column(document)
        codes, names = document.column(name)
        counts = np.bincount(codes, minlength=len(names)).tolist()
        for text, count in zip(names, counts, strict=False):
            choices = alternatives(text, name)
            tags.update(dict.fromkeys(choices, count))
            tagged += count * (len(choices) > 0)
            ambiguous += count * (len(choices) > 1)
        words += len(document)
    frequent = sorted((tag for tag in tags if tags[tag]), key=lambda tag: (-tags[tag], tag))
    return {
        "documents": len(documents),
        "sentences": sum(len(document.sentences) for document in documents),
        "words": words,
        "tokens": sum(len(document.surface.codes) for document in documents),
        "multiword tokens": sum(
            int(document.multiword.sum()) for document in documents if document.multiword is not None
        ),
        "compounds": sum(len(document.compounds) for document in documents),
        "words without a tag": words - tagged,
        "words with several tags": ambiguous,
        "tags": len(frequent),
        "most frequent tags": ", ".join(f"{tag} {tags[tag]}" for tag in frequent[:MAX_TAGS]),
    }


def default_measures(documents: Sequence[Document]) -> set[str]:
    """The measures that apply to these documents: those of a column need the column."""
    filled = {name for document in documents for name, column in document.columns.items() if not column.is_blank}
    by_column = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}
    fitting = {"precision_decision", "accuracy", "ud_words"}
    if any(document.heads is not None and (document.heads != NO_HEAD).any() for document in documents):
        fitting |= {"ud_tokens", "ud_sentences", "all_tags", "uas", "las", "clas", "mlas", "blex"}
    if "deps" in filled:
        fitting |= {"elas", "eulas"}
    return fitting | {measure for column, measure in by_column.items() if column in filled}


def _ambiguous_words(cells: CodedColumn) -> int:
    """How many words have more than one tag."""
    several = np.array([len(alternatives(text)) > 1 for text in cells.names] or [False])
    return int(several[cells.codes].sum())


def content_counts(documents: Sequence[Document]) -> dict[str, int]:
    """What these documents contain beyond words with one tag column."""
    counts = {
        "compounds": sum(len(document.compounds) for document in documents),
        "multiword": sum(int(document.multiword.sum()) for document in documents if document.multiword is not None),
        "sentences": sum(len(document.sentences) - 1 for document in documents),
    }
    counts["alternatives"] = sum(
        _ambiguous_words(document.columns["tag"]) for document in documents if "tag" in document.columns
    )
    counts["heads"] = sum(
        int((document.heads != NO_HEAD).sum()) for document in documents if document.heads is not None
    )
    for name in ("lemma", "feats", "xpos", "deps"):
        counts[name] = sum(
            len(document) for document in documents if name in document.columns and not document.column(name).is_blank
        )
    return {name: count for name, count in counts.items() if count}
