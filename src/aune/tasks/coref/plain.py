"""Chains as people hold them in Python, in one shape: texts with a name and clusters of mentions.

Accepted on purpose: clusters; dicts from names to clusters; records (`{"clusters": …}`) and lists of them; rows of a
mention each (`start`, `end`, `chain`, perhaps `document`), as data frames give them; spaCy's `Doc`s. Whatever could
mean two things is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from aune.core.errors import UsageError
from aune.core.shapes import NAMES, are, column, described, docs_in, grouped, listed, name_of, plain, quoted, refused

EXPECTED = "chains of mentions, such as [{1, 2}, {3}], [[(0, 2), (5, 6)]] or {'name': [[(0, 2), (5, 6)]]}"
CHAINS = ("chain", "cluster", "entity", "chain_id", "cluster_id", "entity_id")
GROUPS = "coref"  # how the names of spaCy's groups of spans begin that are chains


class Text(NamedTuple):
    """One document: its name, and its chains as a list of lists of mentions."""

    name: str
    clusters: list[Any]
    tokens: Sequence[str] | None = None
    sentences: Sequence[int] | None = None


def texts(given: Any) -> list[Text]:
    """The texts in what somebody gave."""
    given = plain(given)
    if docs := docs_in(given):
        return _of_docs(docs)
    if isinstance(given, Mapping):
        return [_of_record("document", given)] if "clusters" in given else _of_mapping(given)
    items = listed(given, _refusal)
    if items and are(items, Mapping):
        return _of_rows(items)
    return [Text("document", _chains(items))]


def _refusal(given: Any) -> UsageError:
    return refused(given, EXPECTED)


def _of_mapping(given: Mapping[Any, Any]) -> list[Text]:
    """Documents by name, unless the values are chains themselves."""
    values = {str(name): plain(value) for name, value in given.items()}
    if _are_chains(list(values.values())):
        hint = "for one document write list(chains.values()), for several {'name': [chain, …]} with chains as sets"
        raise refused(given, "a dict from names of documents to their chains", hint)
    found = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            found.append(_of_record(name, value)._replace(name=name))
        else:
            found.append(Text(name, _chains(listed(value, _refusal))))
    return found


def _are_chains(values: Sequence[Any]) -> bool:
    """Whether the values of a dict are (or may be) chains and not documents: mentions stand where chains should."""
    inside = list(chain.from_iterable(value for value in values if isinstance(value, list | tuple | set | frozenset)))
    if not inside:
        return False
    return are(inside, str, int, np.integer) or (are(inside, list, tuple) and all(map(_is_pair, inside)))


def _is_pair(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2 and are(given, int, np.integer)


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> list[Text]:
    """Records of a document each, or rows of a mention each."""
    if all("clusters" in row for row in rows):
        return [_of_record(str(number), row) for number, row in enumerate(rows, 1)]
    named = column(rows, CHAINS)
    if named is None or not all("start" in row and "end" in row for row in rows):
        raise refused(
            list(rows), "records with 'clusters', or rows with 'start', 'end' and 'chain' (and 'document')",
            "[{'clusters': [[(0, 2), (5, 6)]]}] is a list of one document",
        )  # fmt: skip
    found = []
    for name, own in grouped(rows, [one for one in NAMES if one != named], "document").items():
        clusters: dict[Any, list[Any]] = {}
        for row in own:
            if not are([row[named]], str, int, np.integer):
                raise refused(row[named], f"the name of a chain in column {named!r}", "a string or a number")
            clusters.setdefault(row[named], []).append((row["start"], row["end"]))
        found.append(Text(name, _chains(list(clusters.values()))))
    return found


def _of_record(name: str, record: Mapping[str, Any]) -> Text:
    if "clusters" not in record:
        raise refused(record, "a document, as {'clusters': [[(0, 2), (5, 6)]]} or as its chains",
                      "chains by name are list(chains.values())")  # fmt: skip
    if "predicted_clusters" in record:
        raise UsageError(
            f"found 'clusters' and 'predicted_clusters' in document {name_of(record, name)!r}, expected one of them: "
            "give {row['doc_key']: row['clusters'] …} as the key and {… row['predicted_clusters'] …} as the response"
        )
    tokens, sentences = record.get("tokens"), record.get("sentences")
    starts = None
    if tokens is None and isinstance(sentences, list) and sentences and are(sentences, list):
        lengths = np.cumsum([0, *map(len, sentences)])
        tokens, starts = list(chain.from_iterable(sentences)), lengths[:-1].tolist()
    words = list(tokens) if isinstance(tokens, list | tuple) and are(tokens, str) else None
    return Text(name_of(record, name), _chains(listed(plain(record["clusters"]), _refusal)), words, starts)


def _of_docs(docs: Mapping[str, Any]) -> list[Text]:
    """The chains that components leave: groups of spans called `coref_…`, or fastcoref's `doc._.coref_clusters`."""
    found = []
    known = False
    for name, doc in docs.items():
        groups = [group for label, group in doc.spans.items() if label.startswith(GROUPS)]
        clusters = [[(span.start, span.end) for span in group] for group in groups]
        if not groups and doc.has_extension("coref_clusters"):
            known = True
            clusters = [[_in_tokens(doc, place) for place in places] for places in doc._.coref_clusters or ()]
        known = known or bool(groups)
        starts = [sent.start for sent in doc.sents] if doc.has_annotation("SENT_START") else None
        found.append(Text(name, clusters, [token.text for token in doc], starts))
    if not known:
        raise UsageError(
            f"found {described(next(iter(docs.values())))} without chains, expected groups of spans such as "
            "doc.spans['coref_clusters_1'], or doc._.coref_clusters: run a component that makes them"
        )
    return found


def _in_tokens(doc: Any, place: tuple[int, int]) -> tuple[int, int]:
    span = doc.char_span(*place, alignment_mode="expand")
    return (span.start, span.end)


def _chains(items: list[Any]) -> list[Any]:
    """Chains as lists of mentions, or a refusal that says what they may have been meant to be."""
    kinds = set(map(type, items))
    if not kinds <= {list, set, frozenset, tuple}:
        items = [plain(item) for item in items]
        kinds = set(map(type, items))
    if not all(issubclass(kind, list | set | frozenset | tuple) for kind in kinds):
        raise _not_a_chain(items)
    if tuple in kinds and all(map(_is_pair, items)):
        raise refused(items, EXPECTED, "a pair is a mention and not a chain, so write [[(0, 2), (5, 6)]] for one chain")
    chains = [item if type(item) is list else list(item) for item in items]
    _check_mentions(chains)
    return chains


def _not_a_chain(items: list[Any]) -> UsageError:
    if are(items, int, np.integer):
        hint = "a number per mention that names its chain is no chain; put the mentions of a chain together"
    elif are(items, str):
        hint = f"one mention alone is the chain [{quoted(items[0])}]; one chain of all is [{quoted(items)}]"
    elif any(isinstance(item, Mapping) for item in items):
        hint = "chains by name are list(chains.values()), documents [{'clusters': …}]"
    else:
        hint = ""
    return refused(items, EXPECTED, hint)


def _check_mentions(chains: Sequence[Sequence[Any]]) -> None:
    """Mentions are names (strings, numbers), pairs, or tuples of pairs."""
    flat = chain.from_iterable(chains)
    kinds = set(map(type, flat))
    if kinds <= {int, str} or (not kinds - {tuple, list} and _all_pairs(chains)):
        return
    for own in chains:
        for mention in own:
            if isinstance(mention, bool) or not (isinstance(mention, str | int | np.integer) or _is_place(mention)):
                raise _not_a_mention(mention)


def _all_pairs(chains: Sequence[Sequence[Any]]) -> bool:
    flat = list(chain.from_iterable(chains))
    return set(map(len, flat)) <= {2} and are(chain.from_iterable(flat), int, np.integer)


def _is_place(mention: Any) -> bool:
    """A pair of whole numbers, or a tuple of such pairs for a mention in pieces."""
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
    return refused(mention, "a mention: a name, (start, end), or ((0, 1), (3, 4)) for one in pieces", hint)
