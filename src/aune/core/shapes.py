"""What people hold in Python, as lists and dicts: arrays, series, data frames and data sets of other packages too.

Packages are recognised by what their objects can do, so that none of them is imported. What a task cannot read for sure
is refused: the message says what was found, what was expected, and the nearest that would work.
"""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from aune.core.errors import UsageError

Made = TypeVar("Made")
LONGEST_NAME = 255  # bytes of the name of a file
SHOWN = 60  # characters of a value that a message quotes
ITEMS = 100_000  # items that are looked at to say what a collection holds
NAMES = ("document", "doc", "doc_id", "doc_key", "id", "name")
"""Fields and columns that name the document of a record or a row."""
SENTENCES = ("sentence", "sentence_id", "sent_id")
"""Columns that tell sentences apart."""


def plain(given: Any) -> Any:
    """Lists and dicts in place of an iterator, an array, a series, a data frame (a dict per row) or a data set.

    >>> import numpy as np
    >>> plain(np.array([["B-PER", "O"]])), plain({"a": 1})
    ([['B-PER', 'O']], {'a': 1})
    """
    if isinstance(given, list | tuple | dict | str | set | frozenset):
        return given
    if isinstance(given, Iterator):
        return list(given)
    if hasattr(given, "collect_schema") and hasattr(given, "collect"):
        raise UsageError("found a lazy data frame of polars, expected one that is there: give it as frame.collect()")
    if hasattr(given, "column_names") and hasattr(given, "features"):  # a data set of Hugging Face
        return _rows_of_dataset(given)
    for method in ("to_dicts", "to_pylist"):  # polars; pyarrow
        if hasattr(given, method):
            return getattr(given, method)()
    if hasattr(given, "columns") and hasattr(given, "to_dict"):  # pandas
        return given.to_dict("records")
    for method in ("tolist", "to_list"):  # numpy, pandas, torch; polars
        if hasattr(given, method):
            return getattr(given, method)()
    return given


def made(given: Any, kind: type[Made]) -> list[Made] | None:
    """Documents that are made already: one, a list of them, or a mapping from names to them; None for anything else."""
    if isinstance(given, kind):
        return [given]
    if isinstance(given, list) and given and all(isinstance(item, kind) for item in given):
        return given
    if isinstance(given, Mapping) and given and all(isinstance(item, kind) for item in given.values()):
        return [replace(item, id=str(name)) for name, item in given.items()]
    return None


def _rows_of_dataset(dataset: Any) -> list[dict[str, Any]]:
    """The rows of a data set, with the names of its classes in the place of their numbers."""
    classes = {name: names for name, feature in dataset.features.items() if (names := _class_names(feature))}
    rows = [dict(row) for row in dataset]
    for row in rows:
        for column, names in classes.items():
            row[column] = _named(row[column], names)
    return rows


def _class_names(feature: Any) -> Sequence[str]:
    """The names of a class label, or of the class labels that a list holds; none for another feature."""
    inner = feature[0] if isinstance(feature, list) and feature else getattr(feature, "feature", None)
    return getattr(feature, "names", None) or getattr(inner, "names", None) or ()


def _named(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_named(item, names) for item in value]
    return None if value is None else names[value]


def is_doc(given: Any) -> bool:
    """Whether this is a `Doc` of spaCy."""
    return hasattr(given, "ents") and hasattr(given, "spans") and hasattr(given, "sents")


def docs_in(given: Any) -> dict[str, Any]:
    """The `Doc`s of spaCy by name, of one, a list of them or a mapping from names to them; none for anything else."""
    if is_doc(given):
        return {"document": given}
    if isinstance(given, Mapping):
        docs = {str(name): plain(value) for name, value in given.items()}
    else:
        docs = {str(number): doc for number, doc in enumerate(given, 1)} if isinstance(given, list | tuple) else {}
    return docs if all(map(is_doc, docs.values())) else {}


def listed(given: Any, refuse: Callable[[Any], UsageError]) -> list[Any]:
    """The items of a collection; strings, mappings and single values are none."""
    if isinstance(given, list):
        return given
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise refuse(given)
    return list(given)


def are(items: Iterable[Any], *kinds: type) -> bool:
    """Whether all items are of some kinds; a truth value is not a number."""
    return all(issubclass(kind, kinds) and (kind is not bool or bool in kinds) for kind in set(map(type, items)))


def is_list_of(given: Any, kind: type) -> bool:
    """Whether it is a list that holds something, all of this very type."""
    return type(given) is list and set(map(type, given)) == {kind}


def refused(given: Any, expected: str, instead: str = "") -> UsageError:
    """What was found, what was expected, and the nearest that would work."""
    hint = f": {instead}" if instead else ""
    return UsageError(f"found {described(given)}, expected {expected}{hint}")


def described(given: Any, depth: int = 3) -> str:
    """A value in words: what it is, what it holds, and how it begins.

    >>> described([["D", "N"], ["V"]])
    "a list of 2 lists of strings: [['D', 'N'], ['V']]"
    >>> described({"a": 1}), described(3), described("ab")
    ("a dict of 1 whole number: {'a': 1}", 'the whole number 3', "the string 'ab'")
    """
    kind = _kind(given)
    if isinstance(given, str | int | float) or given is None:
        return "None" if given is None else f"the {kind} {quoted(given)}"
    return f"a{'n' if kind[0] in 'aeiou' else ''} {_held(given, depth)}: {quoted(given)}"


def quoted(given: Any) -> str:
    """The beginning of a value as Python writes it."""
    text = " ".join(_BRIEFLY.repr(given).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


class _Beginnings(reprlib.Repr):
    """How values begin: no more is written of them than is shown, however large or deep they are."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("maxlist", "maxtuple", "maxset", "maxfrozenset", "maxdict", "maxdeque", "maxarray"):
            setattr(self, name, SHOWN)
        self.maxstring = self.maxlong = self.maxother = 4 * SHOWN

    def repr_dict(self, given: dict[Any, Any], level: int) -> str:
        """In its own order."""
        if level <= 0:
            return "{...}"
        inner = [
            f"{self.repr1(name, level - 1)}: {self.repr1(value, level - 1)}"
            for name, value in islice(given.items(), SHOWN)
        ]
        return "{" + ", ".join(inner) + "}"


_BRIEFLY = _Beginnings()


def _held(given: Any, depth: int, count: bool = True) -> str:
    """What a collection is and holds."""
    kind = _kind(given)
    if not isinstance(given, list | tuple | set | frozenset | Mapping) or not depth:
        return kind
    items = list(islice(given.values() if isinstance(given, Mapping) else given, ITEMS))
    if not items:
        return f"{kind} of nothing"
    kinds = {_kind(item) for item in items}
    inner = _plural(_held(items[0], depth - 1, False)) if len(kinds) == 1 else "values of several kinds"
    if len(given) == 1 and len(kinds) == 1:
        inner = _held(items[0], depth - 1, False)
    return f"{kind} of {len(given):,} {inner}" if count else f"{kind} of {inner}"


def _plural(words: str) -> str:
    first, of, rest = words.partition(" of ")
    return f"{first}{'es' if first.endswith('s') else 's'}{of}{rest}" if first != "None" else words


def _kind(given: Any) -> str:
    if is_doc(given):
        return "spaCy Doc"
    known = {str: "string", bool: "truth value", int: "whole number", float: "number", type(None): "None"}
    return known.get(type(given), type(given).__name__)


def is_missing(value: Any) -> bool:
    """Whether a cell of a data frame is empty: None, not a number, or pandas' NA."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"


def can_be_a_path(text: str) -> bool:
    r"""Whether a file could be called so: no name in it is too long, and none holds what names cannot.

    >>> can_be_a_path("a/b.conll"), can_be_a_path("a" * 300), can_be_a_path("a\0")
    (True, False, False)
    """
    try:
        names = os.fsencode(text).split(os.sep.encode())
    except UnicodeEncodeError:
        return False
    return "\0" not in text and max(map(len, names)) <= LONGEST_NAME


def name_of(record: Mapping[str, Any], usual: str, names: Iterable[str] = NAMES) -> str:
    """What a record says its document is called."""
    return next((str(record[name]) for name in names if record.get(name) is not None), usual)


def column(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> str | None:
    """The first of some columns that every row has."""
    return next((name for name in names if all(name in row for row in rows)), None)


def grouped(rows: Sequence[Mapping[str, Any]], names: Sequence[str], usual: str) -> dict[str, list[Mapping[str, Any]]]:
    """Rows by the value of the first of some columns that they have, in order of appearance; all as one for none.

    >>> grouped([{"doc": 1, "x": 2}, {"doc": 1, "x": 3}], NAMES, "document")
    {'1': [{'doc': 1, 'x': 2}, {'doc': 1, 'x': 3}]}
    """
    found = column(rows, names)
    if found is None:
        return {usual: list(rows)}
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(rows, 1):
        value = row[found]
        if is_missing(value):
            raise UsageError(f"found nothing in column {found!r} of row {number}, expected a value in each: fill it")
        groups.setdefault(str(value), []).append(row)
    return groups


def check_same_number(keys: Sequence[Any], responses: Sequence[Any], what: str) -> None:
    """Refuse two lists that are told apart by their order alone, and are not of the same length."""
    if len(keys) != len(responses) and _is_numbered(keys) and _is_numbered(responses):
        raise UsageError(
            f"found {len(keys):,} {what} in the key and {len(responses):,} in the response, expected lists of the same "
            "length in the same order: give dicts from names to them where some are missing"
        )


def _is_numbered(documents: Sequence[Any]) -> bool:
    """Whether documents are known by their place in a list alone."""
    return len(documents) == 1 or all(one.id == str(number) for number, one in enumerate(documents, 1))
