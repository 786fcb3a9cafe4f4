"""Normalise chains given as Python objects to one form: named texts with clusters of mentions.

Accepted inputs: clusters; dicts from names to clusters; records (`{"clusters": …}`) and lists of them; one row per
mention (`start`, `end`, `chain`, optionally `document`), as in data frames; spaCy's `Doc`s. Ambiguous input is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from aune.errors import UsageError
from aune.reading.python_inputs import (
    NAME_FIELDS,
    all_of_kind,
    as_list,
    describe_value,
    first_column,
    group_rows,
    quote_value,
    record_name,
    refusal,
    spacy_docs,
    to_plain,
)
from aune.syntax.field_roles import SUBJECTS, field_role

EXPECTED = "chains of mentions, such as [{1, 2}, {3}], [[(0, 2), (5, 6)]] or {'name': [[(0, 2), (5, 6)]]}"
CHAIN_COLUMNS = ("chain", "cluster", "entity", "chain_id", "cluster_id", "entity_id")
SPAN_GROUP_PREFIX = "coref"  # the prefix of the names of spaCy span groups that are chains


class InputDocument(NamedTuple):
    """One document: its name, and its chains as a list of lists of mentions."""

    name: str
    clusters: list[Any]
    tokens: Sequence[str] | None = None
    sentences: Sequence[int] | None = None
    optional: Sequence[Any] = ()
    """The mentions without which the key is also correct."""
    other_clusters: Sequence[tuple[Any, Sequence[int]]] = ()
    """Mentions with the numbers of the other chains that they may belong to; -1 is a separate chain."""
    other_keys: Sequence[Any] = ()
    """Other correct answers, each as chains or as a record."""


def input_documents(value: Any) -> list[InputDocument]:
    """The texts in a user's input."""
    value = to_plain(value)
    if docs := spacy_docs(value):
        return _documents_from_spacy(docs)
    if isinstance(value, Mapping):
        return [_document_from_record("document", value)] if "clusters" in value else _documents_from_mapping(value)
    items = as_list(value, _refusal)
    if items and all_of_kind(items, Mapping):
        return _documents_from_rows(items)
    return [InputDocument("document", _chains_as_lists(items))]


def _refusal(value: Any) -> UsageError:
    return refusal(value, EXPECTED)


def _documents_from_mapping(mapping: Mapping[Any, Any]) -> list[InputDocument]:
    """Documents by name; refused if the values are chains themselves."""
    values = {str(name): to_plain(value) for name, value in mapping.items()}
    if _are_chains(list(values.values())):
        hint = "for one document write list(chains.values()), for several {'name': [chain, …]} with chains as sets"
        raise refusal(mapping, "a dict from names of documents to their chains", hint)
    documents = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            documents.append(_document_from_record(name, value)._replace(name=name))
        else:
            documents.append(InputDocument(name, _chains_as_lists(as_list(value, _refusal))))
    return documents


def _are_chains(values: Sequence[Any]) -> bool:
    """Whether the values of a dict are (or may be) chains instead of documents: they contain mentions, not chains."""
    inside = list(chain.from_iterable(value for value in values if isinstance(value, list | tuple | set | frozenset)))
    if not inside:
        return False
    return all_of_kind(inside, str, int, np.integer) or (
        all_of_kind(inside, list, tuple) and all(map(_is_pair, inside))
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all_of_kind(value, int, np.integer)


def _documents_from_rows(rows: Sequence[Mapping[str, Any]]) -> list[InputDocument]:
    """One document per record, or documents grouped from one row per mention."""
    if all("clusters" in row for row in rows):
        return [_document_from_record(str(number), row) for number, row in enumerate(rows, 1)]
    named = first_column(rows, CHAIN_COLUMNS)
    if named is None or not all("start" in row and "end" in row for row in rows):
        raise refusal(
            list(rows), "records with 'clusters', or rows with 'start', 'end' and 'chain' (and 'document')",
            "[{'clusters': [[(0, 2), (5, 6)]]}] is a list of one document",
        )  # fmt: skip
    documents = []
    for name, document_rows in group_rows(rows, [label for label in NAME_FIELDS if label != named], "document").items():
        clusters: dict[Any, list[Any]] = {}
        for row in document_rows:
            if not all_of_kind([row[named]], str, int, np.integer):
                raise refusal(row[named], f"the name of a chain in column {named!r}", "a string or a number")
            clusters.setdefault(row[named], []).append((row["start"], row["end"]))
        documents.append(InputDocument(name, _chains_as_lists(list(clusters.values()))))
    return documents


def _document_from_record(name: str, record: Mapping[str, Any]) -> InputDocument:
    if "clusters" not in record:
        raise refusal(record, "a document, as {'clusters': [[(0, 2), (5, 6)]]} or as its chains",
                      "chains by name are list(chains.values())")  # fmt: skip
    rival = next((field for field in map(str, record) if field_role(field, SUBJECTS["coref"])), None)
    if rival:
        raise UsageError(
            f"found 'clusters' and {rival!r} in document {record_name(record, name)!r}, expected one of them: "
            f"give {{row['doc_key']: row['clusters'] …}} as the key and {{… row[{rival!r}] …}} as the response"
        )
    tokens, sentences = record.get("tokens"), record.get("sentences")
    starts = None
    if tokens is None and isinstance(sentences, list) and sentences and all_of_kind(sentences, list):
        lengths = np.cumsum([0, *map(len, sentences)])
        tokens, starts = list(chain.from_iterable(sentences)), lengths[:-1].tolist()
    words = list(tokens) if isinstance(tokens, list | tuple) and all_of_kind(tokens, str) else None
    return InputDocument(
        record_name(record, name),
        _chains_as_lists(as_list(to_plain(record["clusters"]), _refusal)),
        words,
        starts,
        as_list(
            to_plain(record.get("optional", [])), partial(refusal, expected="a list of mentions that are optional")
        ),
        _other_clusters(record.get("other_clusters", {})),
        as_list(to_plain(record.get("other_keys", [])), partial(refusal, expected="a list of other answers")),
    )


def _other_clusters(value: Any) -> list[tuple[Any, list[int]]]:
    """Mentions with the numbers of other clusters, given as a dict or as pairs."""
    items = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(items, list | tuple) or not all(_is_mention_with_numbers(item) for item in items):
        raise refusal(value, "other clusters of mentions, such as {(0, 2): [1]} or [[(0, 2), [1]]]")
    return [(mention, list(numbers)) for mention, numbers in items]


def _is_mention_with_numbers(item: Any) -> bool:
    has_numbers = isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[1], list | tuple)
    return has_numbers and all_of_kind(item[1], int)


def _documents_from_spacy(docs: Mapping[str, Any]) -> list[InputDocument]:
    """The chains that pipeline components store: span groups `coref_…`, or fastcoref's `doc._.coref_clusters`."""
    documents = []
    has_chains = False
    for name, doc in docs.items():
        groups = [group for label, group in doc.spans.items() if label.startswith(SPAN_GROUP_PREFIX)]
        clusters = [[(span.start, span.end) for span in group] for group in groups]
        if not groups and doc.has_extension("coref_clusters"):
            has_chains = True
            clusters = [[_in_tokens(doc, place) for place in places] for places in doc._.coref_clusters or ()]
        has_chains = has_chains or bool(groups)
        starts = [sent.start for sent in doc.sents] if doc.has_annotation("SENT_START") else None
        documents.append(InputDocument(name, clusters, [token.text for token in doc], starts))
    if not has_chains:
        raise UsageError(
            f"found {describe_value(next(iter(docs.values())))} without chains, expected groups of spans such as "
            "doc.spans['coref_clusters_1'], or doc._.coref_clusters: run a component that makes them"
        )
    return documents


def _in_tokens(doc: Any, place: tuple[int, int]) -> tuple[int, int]:
    span = doc.char_span(*place, alignment_mode="expand")
    return (span.start, span.end)


def _chains_as_lists(items: list[Any]) -> list[Any]:
    """Chains as lists of mentions; other input is refused with a hint at what may have been meant."""
    kinds = set(map(type, items))
    if not kinds <= {list, set, frozenset, tuple}:
        items = [to_plain(item) for item in items]
        kinds = set(map(type, items))
    if not all(issubclass(kind, list | set | frozenset | tuple) for kind in kinds):
        raise _not_a_chain(items)
    if tuple in kinds and all(map(_is_pair, items)):
        raise refusal(items, EXPECTED, "a pair is a mention and not a chain, so write [[(0, 2), (5, 6)]] for one chain")
    chains = [item if type(item) is list else list(item) for item in items]
    _check_mentions(chains)
    return chains


def _not_a_chain(items: list[Any]) -> UsageError:
    if all_of_kind(items, int, np.integer):
        hint = "a number per mention that names its chain is no chain; put the mentions of a chain together"
    elif all_of_kind(items, str):
        hint = f"one mention alone is the chain [{quote_value(items[0])}]; one chain of all is [{quote_value(items)}]"
    elif any(isinstance(item, Mapping) for item in items):
        hint = "chains by name are list(chains.values()), documents [{'clusters': …}]"
    else:
        hint = ""
    return refusal(items, EXPECTED, hint)


def _check_mentions(chains: Sequence[Sequence[Any]]) -> None:
    """Check that mentions are names (strings, numbers), pairs, or tuples of pairs."""
    flat = chain.from_iterable(chains)
    kinds = set(map(type, flat))
    if kinds <= {int, str} or (not kinds - {tuple, list} and _all_pairs(chains)):
        return
    for members in chains:
        for mention in members:
            if isinstance(mention, bool) or not (isinstance(mention, str | int | np.integer) or _is_place(mention)):
                raise _not_a_mention(mention)


def _all_pairs(chains: Sequence[Sequence[Any]]) -> bool:
    flat = list(chain.from_iterable(chains))
    return set(map(len, flat)) <= {2} and all_of_kind(chain.from_iterable(flat), int, np.integer)


def _is_place(mention: Any) -> bool:
    """Whether a mention is a pair of integers, or, if discontinuous, a tuple of such pairs."""
    if _is_pair(mention) or (isinstance(mention, np.ndarray) and _is_pair(mention.tolist())):
        return True
    return isinstance(mention, tuple) and len(mention) > 0 and all(map(_is_pair, mention))


def _not_a_mention(mention: Any) -> UsageError:
    hint = "name it by a string or a number"
    if isinstance(mention, set | frozenset) or (isinstance(mention, list) and mention and all(map(_is_pair, mention))):
        hint = (
            "several documents are {'name': chains, …} or [{'clusters': chains}, …]; pieces of a mention are in a tuple"
        )
    elif isinstance(mention, list | tuple) and len(mention) > 2:
        hint = "a place is (start, end); a name of several parts is a string, such as '0:5:6'"
    elif mention is None:
        hint = "leave out what is not there"
    return refusal(mention, "a mention: a name, (start, end), or ((0, 1), (3, 4)) for one in pieces", hint)
