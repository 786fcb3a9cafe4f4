"""Python structures as input: lists and dicts, but also arrays, series, data frames and data sets of other packages.

Packages are recognised by the methods of their objects, so that none of them is imported. A structure that is not
certainly right is refused: the message contains what was found, what was expected, and the nearest valid structure.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from aune.errors import UsageError, make_visible

DocumentType = TypeVar("DocumentType")
MOST_QUOTED = 60  # characters of a value that a message quotes
MOST_INSPECTED = 100_000  # items that are inspected to describe the content of a collection
NAME_FIELDS = ("document", "doc", "doc_id", "doc_key", "id", "name")
"""Fields and columns that name the document of a record or a row."""
SENTENCE_COLUMNS = ("sentence", "sentence_id", "sent_id")
"""Columns that separate sentences."""


class TagSentences(list[Any]):
    """Sentences of tags: a list of lists of strings that certainly does not contain pairs of a word and its tag."""


def to_plain(data: Any) -> Any:
    """Lists and dicts for an iterator, an array, a series, a data frame (a dict per row) or a data set.

    >>> import numpy as np
    >>> to_plain(np.array([["B-PER", "O"]])), to_plain({"a": 1})
    ([['B-PER', 'O']], {'a': 1})
    """
    if isinstance(data, list | tuple | dict | str | set | frozenset):
        return data
    if isinstance(data, Iterator):
        return list(data)
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        raise UsageError("found a lazy data frame of polars, expected one that is there: give it as frame.collect()")
    if hasattr(data, "column_names") and hasattr(data, "features"):  # a data set of Hugging Face
        return _rows_of_dataset(data)
    for method in ("to_dicts", "to_pylist"):  # polars; pyarrow
        if hasattr(data, method):
            return getattr(data, method)()
    if hasattr(data, "columns") and hasattr(data, "to_dict"):  # pandas
        return data.to_dict("records")
    for method in ("tolist", "to_list"):  # numpy, pandas, torch; polars
        if hasattr(data, method):
            return getattr(data, method)()
    return data


def ready_documents(data: Any, kind: type[DocumentType]) -> list[DocumentType] | None:
    """Finished documents: one, a list of them, or a mapping from names to them; None for anything else."""
    if isinstance(data, kind):
        return [data]
    if isinstance(data, list) and data and all(isinstance(item, kind) for item in data):
        return data
    if isinstance(data, Mapping) and data and all(isinstance(item, kind) for item in data.values()):
        return [replace(item, id=str(name)) for name, item in data.items()]
    return None


def _rows_of_dataset(dataset: Any) -> list[dict[str, Any]]:
    """The rows of a data set, with class numbers replaced by class names."""
    classes = {name: names for name, feature in dataset.features.items() if (names := _class_names(feature))}
    rows = [dict(row) for row in dataset]
    for row in rows:
        for column, names in classes.items():
            row[column] = _replace_numbers(row[column], names)
    return rows


def _class_names(feature: Any) -> Sequence[str]:
    """The names of a class label, or of the class labels in a list; none for another feature."""
    inner = feature[0] if isinstance(feature, list) and feature else getattr(feature, "feature", None)
    return getattr(feature, "names", None) or getattr(inner, "names", None) or ()


def _replace_numbers(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_replace_numbers(item, names) for item in value]
    return None if value is None else names[value]


def is_spacy_doc(value: Any) -> bool:
    """Whether this is a `Doc` of spaCy."""
    return hasattr(value, "ents") and hasattr(value, "spans") and hasattr(value, "sents")


def spacy_docs(data: Any) -> dict[str, Any]:
    """The `Doc`s of spaCy by name, from one, a list of them or a mapping; none for anything else."""
    if is_spacy_doc(data):
        return {"document": data}
    if isinstance(data, Mapping):
        docs = {str(name): to_plain(value) for name, value in data.items()}
    else:
        docs = {str(number): doc for number, doc in enumerate(data, 1)} if isinstance(data, list | tuple) else {}
    return docs if all(map(is_spacy_doc, docs.values())) else {}


def as_list(data: Any, refuse: Callable[[Any], UsageError]) -> list[Any]:
    """The items of a collection; strings, mappings and single values have none."""
    if isinstance(data, list):
        return data
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise refuse(data)
    return list(data)


def all_of_kind(items: Iterable[Any], *kinds: type) -> bool:
    """Whether all items are of these types; a bool is not a number."""
    return all(issubclass(kind, kinds) and (kind is not bool or bool in kinds) for kind in set(map(type, items)))


def is_list_of(value: Any, kind: type) -> bool:
    """Whether it is a list that is not empty and whose items all have exactly this type."""
    return type(value) is list and set(map(type, value)) == {kind}


class UnusableValueError(UsageError):
    """A value of an unexpected kind: what was found, what was expected, and the nearest valid structure."""

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found, expected, hint)
        self.found, self.expected, self.hint = found, expected, hint

    def __str__(self) -> str:
        return make_visible(f"found {self.found}, expected {self.expected}" + (f": {self.hint}" if self.hint else ""))


def refusal(value: Any, expected: str, instead: str = "") -> UnusableValueError:
    """The error for a value of an unexpected kind."""
    return UnusableValueError(describe_value(value), expected, instead)


def describe_value(value: Any, depth: int = 3) -> str:
    """A value in words: its type, its content, and its beginning.

    >>> describe_value([["D", "N"], ["V"]])
    "a list of 2 lists of strings: [['D', 'N'], ['V']]"
    >>> describe_value({"a": 1}), describe_value(3), describe_value("ab")
    ("a dict of 1 whole number: {'a': 1}", 'the whole number 3', "the string 'ab'")
    """
    kind = _kind_name(value)
    if isinstance(value, str | int | float) or value is None:
        return "None" if value is None else f"the {kind} {quote_value(value)}"
    return f"a{'n' if kind[0] in 'aeiou' else ''} {_describe_contents(value, depth)}: {quote_value(value)}"


def quote_value(value: Any) -> str:
    """The beginning of a value as Python writes it."""
    text = " ".join(_brief_repr().repr(value).split())
    return text if len(text) <= MOST_QUOTED else f"{text[: MOST_QUOTED - 1]}…"


class _BriefRepr(reprlib.Repr):
    """Shortened representations: no more is written than is shown, however large or deep the values are."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("maxlist", "maxtuple", "maxset", "maxfrozenset", "maxdict", "maxdeque", "maxarray"):
            setattr(self, name, MOST_QUOTED)
        self.maxstring = self.maxlong = self.maxother = 4 * MOST_QUOTED

    def repr_dict(self, mapping: dict[Any, Any], level: int) -> str:
        """The items in the original order."""
        if level <= 0:
            return "{...}"
        inner = [
            f"{self.repr1(name, level - 1)}: {self.repr1(value, level - 1)}"
            for name, value in islice(mapping.items(), MOST_QUOTED)
        ]
        return "{" + ", ".join(inner) + "}"


@cache
def _brief_repr() -> reprlib.Repr:
    return _BriefRepr()


def _describe_contents(value: Any, depth: int, count: bool = True) -> str:
    """The type and the content of a collection, in words."""
    kind = _kind_name(value)
    if not isinstance(value, list | tuple | set | frozenset | Mapping) or not depth:
        return kind
    items = list(islice(value.values() if isinstance(value, Mapping) else value, MOST_INSPECTED))
    if not items:
        return f"{kind} of nothing"
    kinds = {_kind_name(item) for item in items}
    inner = _plural(_describe_contents(items[0], depth - 1, False)) if len(kinds) == 1 else "values of several kinds"
    if len(value) == 1 and len(kinds) == 1:
        inner = _describe_contents(items[0], depth - 1, False)
    return f"{kind} of {len(value):,} {inner}" if count else f"{kind} of {inner}"


def _plural(words: str) -> str:
    first, of, rest = words.partition(" of ")
    return f"{first}{'es' if first.endswith('s') else 's'}{of}{rest}" if first != "None" else words


def _kind_name(value: Any) -> str:
    if is_spacy_doc(value):
        return "spaCy Doc"
    known = {str: "string", bool: "truth value", int: "whole number", float: "number", type(None): "None"}
    return known.get(type(value), type(value).__name__)


def is_missing(value: Any) -> bool:
    """Whether a cell of a data frame is empty: None, not a number, or pandas' NA."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"


def record_name(record: Mapping[str, Any], usual: str, names: Iterable[str] = NAME_FIELDS) -> str:
    """The name of the document that a record belongs to."""
    return next((str(record[name]) for name in names if record.get(name) is not None), usual)


def first_column(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> str | None:
    """The first of some columns that every row has."""
    return next((name for name in names if all(name in row for row in rows)), None)


def group_rows(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], usual: str
) -> dict[str, list[Mapping[str, Any]]]:
    """Rows by the value of the first of these columns that they have, in order of appearance; else as one group.

    >>> group_rows([{"doc": 1, "x": 2}, {"doc": 1, "x": 3}], NAME_FIELDS, "document")
    {'1': [{'doc': 1, 'x': 2}, {'doc': 1, 'x': 3}]}
    """
    key_column = first_column(rows, names)
    if key_column is None:
        return {usual: list(rows)}
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(rows, 1):
        value = row[key_column]
        if is_missing(value):
            raise UsageError(
                f"found nothing in column {key_column!r} of row {number}, expected a value in each: fill it"
            )
        groups.setdefault(str(value), []).append(row)
    return groups


def check_same_number(keys: Sequence[Any], responses: Sequence[Any], what: str) -> None:
    """Refuse two lists of different lengths that are related by position only."""
    if len(keys) != len(responses) and _is_numbered(keys) and _is_numbered(responses):
        raise UsageError(
            f"found {len(keys):,} and {len(responses):,} {what} in key and response, expected lists of the same "
            "length in the same order: give dicts from names to them where some are missing"
        )


def _is_numbered(documents: Sequence[Any]) -> bool:
    """Whether documents are identified only by their position in a list."""
    return len(documents) == 1 or all(document.id == str(number) for number, document in enumerate(documents, 1))
