"""The data model of a text whose anaphors have antecedents.

A mention is a name that key and response share: a token number (`7`), a range of tokens (`3-5`), or any other string.
Chains are given, or follow from the pairs: a mention and its antecedent belong to one chain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from aune.errors import Place, Problem, Remedy, UsageError
from aune.numeric.arrays import Numbering
from aune.numeric.grouping import group_items
from aune.numeric.union_find import UnionFind
from aune.reading.python_inputs import ready_documents
from aune.tasks.anaphora.python_inputs import AntecedentField, texts

NO_ANTECEDENT = frozenset({"", "-", "_"})
MEMORY = 100_000  # cached names of mentions, which occur in text after text
PLACE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


class Candidate(NamedTuple):
    """A mention that could be the antecedent."""

    mention: str
    agrees: bool = True
    """Whether it agrees in gender and number with the anaphor, as far as these are known."""
    text: str = ""


class Anaphor(NamedTuple):
    """A mention that may have an antecedent."""

    mention: str
    antecedents: tuple[str, ...] = ()
    """In a key, any of them is correct, and none means not anaphoric. In a response, the chosen antecedents."""
    candidates: tuple[Candidate, ...] = ()
    """Those before the anaphor in text order, so that the nearest is last; any that follow the anaphor come first."""
    attributes: Mapping[str, str] = {}
    """For example `pronoun`, `gender` and `distance`."""
    line: int = 0


@dataclass(frozen=True)
class Document:
    """One text and its anaphors. Build it with `make_document`, which sorts and merges them."""

    id: str
    anaphors: tuple[Anaphor, ...]
    chains: Mapping[str, int] = field(default_factory=dict)
    """The chain of every known mention."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """The kinds of mentions (name, noun, pronoun…), where known."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The words of mentions, where known."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    passage: str = ""
    """The text, if known."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """The index in the passage of the first character of each mention."""
    path: str | None = None
    line: int = 1

    @cached_property
    def by_mention(self) -> dict[str, Anaphor]:
        return {anaphor.mention: anaphor for anaphor in self.anaphors}

    @cached_property
    def members(self) -> dict[int, list[str]]:
        """The mentions of each chain."""
        return group_items((chain, mention) for mention, chain in self.chains.items())

    def is_pronominal(self, mention: str) -> bool:
        """Whether a mention is a pronoun; if its kind is unknown, whether it is an anaphor."""
        kind = self.kinds.get(mention)
        return kind == "pronoun" if kind else mention in self.by_mention

    def knows(self, mention: str) -> bool:
        return mention in self.chains or mention in self.kinds or mention in self.by_mention

    def text(self, mention: str) -> str:
        return self.texts.get(mention) or mention


@lru_cache(MEMORY)
def mention_name(text: str) -> str:
    """The canonical spelling of a mention's name.

    >>> mention_name(" 7-7 "), mention_name("03-5"), mention_name("he2")
    ('7', '3-5', 'he2')
    """
    name = text.strip()
    place = PLACE.fullmatch(name)
    if not place:
        return name
    first, last = int(place[1]), int(place[2] or place[1])
    return span_name(first, last + 1)


def span_name(start: int, end: int) -> str:
    """The name of a half-open span of tokens."""
    return str(start) if end - start == 1 else f"{start}-{end - 1}"


@lru_cache(MEMORY)
def text_order(mention: str) -> tuple[int, int, str]:
    """The sort key of mentions in text order; mentions without a position come last, by name."""
    place = PLACE.fullmatch(mention)
    return (int(place[1]), int(place[2] or place[1]), "") if place else (2**40, 0, mention)


def make_document(
    id: str,
    anaphors: Iterable[Anaphor],
    *,
    chains: Iterable[Collection[str]] = (),
    **rest: Any,
) -> Document:
    """A sorted document: repeated anaphors are merged with all their antecedents, and pairs are merged into chains."""
    merged: dict[str, Anaphor] = {}
    for anaphor in anaphors:
        before = merged.setdefault(anaphor.mention, anaphor)
        if before is not anaphor or len(anaphor.antecedents) > 1:
            merged[anaphor.mention] = before._replace(
                antecedents=tuple(sorted({*before.antecedents, *anaphor.antecedents}, key=text_order)),
                candidates=before.candidates or anaphor.candidates,
                attributes={**anaphor.attributes, **before.attributes},
            )
    ordered = tuple(sorted(merged.values(), key=lambda anaphor: text_order(anaphor.mention)))
    groups = [list(chain) for chain in chains]
    groups += [[entry.mention, *entry.antecedents] for entry in ordered if entry.antecedents]
    return Document(id, ordered, _number_chains(groups), **rest)


def _number_chains(groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """The chain of each mention after merging groups that share one; chains are numbered by first mention."""
    ties = UnionFind(mention for group in groups for mention in group)
    for group in groups:
        ties.union(*group)
    numbers: Numbering[str] = Numbering()
    mentions = sorted({mention for group in groups for mention in group}, key=text_order)
    return {mention: numbers[ties.find(mention)] for mention in mentions}


def documents(plain: Any, *, antecedent_field: AntecedentField = ()) -> list[Document]:
    """Documents from plain Python.

    The anaphors of a text are a mapping from each to its antecedent (or a list of them, or None), or pairs
    ⟨anaphor, antecedent⟩, where a mention is a name, a number or its tokens `(start, end)`; or a mapping with
    `anaphors` and optionally `chains` (lists of mentions) and `kinds` (by mention), `candidates` (a list by anaphor)
    and `attributes` (a mapping by anaphor). A corpus is a mapping from names to texts, a list of texts, or a data frame
    with the columns `anaphor`, `antecedent` and perhaps `document`; `antecedent_field` names another column than
    `antecedent`. If several columns contain antecedents and none is named, the data frame is refused.

    >>> documents({"he": "Clinton", "it": None})[0].anaphors[0].antecedents
    ('Clinton',)
    >>> [make_document.id for make_document in documents({"a": {"he": "Ann"}, "b": [("it", "house")]})]
    ['a', 'b']
    """
    if (ready := ready_documents(plain, Document)) is not None:
        return ready
    return [_document_from(name, text) for name, text in texts(plain, antecedent_field)]


def _document_from(id: str, fields: Mapping[str, Any]) -> Document:
    candidates, attributes = fields.get("candidates", {}), fields.get("attributes", {})
    try:
        anaphors = [
            Anaphor(
                _name(anaphor),
                tuple(
                    _name(antecedent)
                    for antecedent in antecedents
                    if antecedent is not None and str(antecedent) not in NO_ANTECEDENT
                ),
                tuple(Candidate(_name(candidate)) for candidate in candidates.get(anaphor, ())),
                {str(name): str(value) for name, value in attributes.get(anaphor, {}).items()},
            )
            for anaphor, antecedents in fields["anaphors"]
        ]
        chains = [[_name(mention) for mention in chain] for chain in fields.get("chains", ())]
        kinds = {_name(mention): str(kind) for mention, kind in fields.get("kinds", {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        expected = "'chains' as lists of mentions, 'kinds', 'candidates' and 'attributes' as dicts by mention"
        raise UsageError(f"document {id!r}: found something else ({error}), expected {expected}: mend them") from None
    return make_document(id, anaphors, chains=chains, kinds=kinds)


def _name(mention: Any) -> str:
    """The name of a mention; a tuple is the half-open span of its tokens."""
    return span_name(*map(int, mention)) if isinstance(mention, tuple) else mention_name(str(mention))


def empty(like: Document) -> Document:
    """A response that resolves nothing."""
    return Document(like.id, (), {}, like.kinds, like.texts, like.attributes)


def nearest_agreeing(anaphor: Anaphor) -> str | None:
    """The nearest candidate that agrees with the anaphor (Mitkov's simple baseline); None if no candidate agrees."""
    agreeing = [candidate.mention for candidate in anaphor.candidates if candidate.agrees]
    return agreeing[-1] if agreeing else None


def in_circles(document: Document) -> list[str]:
    """The anaphors from which no path along antecedents leads to a mention that has none itself.

    >>> in_circles(documents({"he": "him", "him": "he", "it": "it", "she": ["her", "Ann"], "her": "she"})[0])
    ['he', 'him', 'it']
    """
    waiting = {anaphor.mention: anaphor.antecedents for anaphor in document.anaphors if anaphor.antecedents}
    pointing = group_items(
        (antecedent, mention) for mention, antecedents in waiting.items() for antecedent in antecedents
    )
    settled = [antecedent for antecedent in pointing if antecedent not in waiting]
    while settled:
        for mention in pointing.get(settled.pop(), ()):
            if waiting.pop(mention, None):
                settled.append(mention)
    return list(waiting)


def circular_anaphors(document: Document) -> list[str]:
    """The anaphors in circles, and those that are one of their own antecedents.

    >>> circular_anaphors(documents({"he": ["he", "Ann"], "it": "it", "she": "Eve"})[0])
    ['it', 'he']
    """
    self_referring = [anaphor.mention for anaphor in document.anaphors if anaphor.mention in anaphor.antecedents]
    return [*dict.fromkeys([*in_circles(document), *self_referring])]


def check(documents: Sequence[Document]) -> list[Problem]:
    """The rule of the task for files: no mention is its own antecedent."""
    return [
        Problem(
            "antecedent.same-mention",
            Place(document.path or document.id, anaphor.line or document.line, 1),
            found=f"{anaphor.mention!r} of document {document.id!r} as its own antecedent",
            expected="another one",
            remedies=(Remedy("mend it"),),
        )
        for document in documents
        for anaphor in document.anaphors
        if anaphor.mention in anaphor.antecedents
    ]  # fmt: skip


def describe(documents: Sequence[Document]) -> dict[str, Any]:
    """The profile of a corpus: documents, anaphors, and their most frequent attributes."""
    anaphors = [anaphor for document in documents for anaphor in document.anaphors]
    names = sorted({name for anaphor in anaphors for name in anaphor.attributes})
    return {
        "documents": len(documents),
        "anaphors": sum(bool(anaphor.antecedents) for anaphor in anaphors),
        "not anaphoric": sum(not anaphor.antecedents for anaphor in anaphors),
        **{
            name: dict(Counter(anaphor.attributes.get(name, "") for anaphor in anaphors).most_common(10))
            for name in names
        },
    }


def holdings(documents: Sequence[Document]) -> dict[str, int]:
    """Counts of the content of documents beyond pairs, by the names used in `Format.carries`."""
    anaphors = [anaphor for document in documents for anaphor in document.anaphors]
    return {
        "kinds": sum(len(document.kinds) for document in documents),
        "texts": sum(len(document.texts) for document in documents),
        "attributes": sum(bool(anaphor.attributes) for anaphor in anaphors),
        "candidates": sum(bool(anaphor.candidates) for anaphor in anaphors),
        "chains": sum(len(document.members) for document in documents if document.chains != _pair_chains(document)),
    }


def _pair_chains(document: Document) -> dict[str, int]:
    return _number_chains(
        [[anaphor.mention, *anaphor.antecedents] for anaphor in document.anaphors if anaphor.antecedents]
    )
