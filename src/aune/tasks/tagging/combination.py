"""Combine several taggings into one by a vote on every word.

Each participant's output is projected into the pivot's tags and aligned with one text, whose words are tagged. A
participant has one vote times its weight, shared equally among its alternatives. The tag with the most votes wins;
among equals, the first in alphabetical order. The agreement of a word is the winner's share of all possible votes,
so a participant without a tag for a word counts against every tag.

`disagreements` lists the words that a person should check. Corpora have been built in this way from the outputs of the
participants of a campaign.

Source: the by-product corpus of GRACE (MULTITAG; Adda et al. 1999, §6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from aune.contract.options import OptionFile
from aune.contract.voting import VoteRecord, pair_by_name, vote_shares
from aune.numeric.arrays import Ints
from aune.tasks.tagging.comparison import Comparison, compare
from aune.tasks.tagging.errors import context
from aune.tasks.tagging.model import Document, Vocabulary, make_document
from aune.tasks.tagging.notes import comparison_notes

UNTAGGED = "_"


def combine_taggings(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    tables: Mapping[str, str] | None = None,
    tagset: str | None = None,
    tell: Callable[[str], None] | None = None,
    record: VoteRecord | None = None,
) -> list[Document]:
    """The words of `text` with the tags for which the systems vote, and a column `agreement`.

    `tell` is called with the notes on each system's words and table.

    >>> from aune.tasks.tagging.model import documents
    >>> one, two, three = (documents([("la", tag)]) for tag in ("D", "D|P", "P"))
    >>> made = combine_taggings(one, {"one": one, "two": two, "three": three})[0]
    >>> made.columns["tag"].values(), made.columns["agreement"].values()
    (['D'], ['0.500'])
    """
    voting = vote_shares(systems, weights)
    record = record or VoteRecord()
    comparisons = _comparisons(text, systems, tables, tagset, record)
    for name, item in zip(systems, comparisons, strict=True):
        record.add(name, {fact: number for fact, number in item.facts.items() if fact != ("lost",)})
    if tell:
        for note in combination_notes(record):
            tell(note)
    chosen, agreement = _count_votes(comparisons, list(voting.values()))
    bounds = comparisons[0].key.first.tolist()
    return [
        _tag_document(item, chosen[start:end], agreement[start:end])
        for item, start, end in zip(text, bounds[:-1], bounds[1:], strict=True)
    ]


def combination_notes(record: VoteRecord) -> list[str]:
    """The notes on each system's words and table."""
    return [f"{name}: {note}" for name, facts in record.facts_by_system().items() for note in comparison_notes(facts)]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    tables: Mapping[str, str] | None = None,
    tagset: str | None = None,
    below: float = 1.0,
    record: VoteRecord | None = None,
) -> list[Sequence[Any]]:
    """Words on which the winner has less than this share of the votes, by increasing share, below a row of headings.

    >>> from aune.tasks.tagging.model import documents
    >>> one, two = documents([("la", "D"), ("mer", "N")]), documents([("la", "P"), ("mer", "N")])
    >>> disagreements(one, {"one": one, "two": two})[1]
    ['document', 1, 'la', '0.500', 'D', 'P', '[ la ] mer']
    """
    comparisons = _comparisons(text, systems, tables, tagset, record or VoteRecord())
    _, agreement = _count_votes(comparisons, list(vote_shares(systems, weights).values()))
    key = comparisons[0].key
    cells = [_system_cells(comparison).tolist() for comparison in comparisons]
    tags = [comparison.response_readings.tags for comparison in comparisons]
    rows: list[Sequence[Any]] = []
    for word, share in enumerate(agreement):
        if float(share) < below:
            document = int(key.document[word])
            votes = [
                "|".join(readings[cell[word]]) if cell[word] >= 0 else "_"
                for cell, readings in zip(cells, tags, strict=True)
            ]
            place = word - int(key.first[document]) + 1
            form = key.forms(word, word + 1)[0]
            rows.append([key.documents[document].id, place, form, share, *votes, context(key, word)])
    rows.sort(key=lambda row: float(row[3]))
    return [["document", "place", "word", "agreement", *systems, "context"], *rows]


def _comparisons(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    tables: Mapping[str, str] | None,
    tagset: str | None,
    record: VoteRecord,
) -> list[Comparison]:
    """Every system compared with the text, in the tags of the pivot."""
    named = {name: OptionFile(path) for name, path in (tables or {}).items()}
    described = OptionFile(tagset) if tagset else None
    return [
        compare(pair_by_name(text, documents, name), record.survey(name), table=named.get(name), tagset=described)
        for name, documents in systems.items()
    ]


def _count_votes(comparisons: Sequence[Comparison], weights: Sequence[Fraction]) -> tuple[list[str], list[str]]:
    """The winner and its agreement for every word, computed once per distinct combination of cells."""
    ballots, inverse = np.unique(
        np.stack([_system_cells(comparison) for comparison in comparisons], axis=1), axis=0, return_inverse=True
    )
    readings = [comparison.response_readings.tags for comparison in comparisons]
    outcomes = []
    for ballot in ballots.tolist():
        votes: dict[str, Fraction] = {}
        for cell, tags, weight in zip(ballot, readings, weights, strict=True):
            choices = tags[cell] if cell >= 0 else ()
            for tag in choices:
                votes[tag] = votes.get(tag, Fraction(0)) + weight / len(choices)
        winner = min(votes, key=lambda tag: (-votes[tag], tag), default=UNTAGGED)
        outcomes.append((winner, f"{float(votes.get(winner, Fraction(0))):.3f}"))
    pairs = [outcomes[index] for index in inverse.ravel().tolist()]
    return [winner for winner, _ in pairs], [share for _, share in pairs]


def _system_cells(comparison: Comparison) -> Ints:
    """The cell of a system for each word of the text, or -1."""
    partner = comparison.key_partner
    cells = np.full(len(partner), -1)
    has_partner = partner >= 0
    cells[has_partner] = comparison.response_readings.codes[partner[has_partner]]
    return cells


def _tag_document(untagged: Document, tags: Sequence[str], agreement: Sequence[str]) -> Document:
    tagged = make_document(untagged.id, untagged.words.values(), {"tag": tags}, sentences=untagged.sentences.tolist())
    return Document(tagged.id, tagged.words, {**tagged.columns, "agreement": Vocabulary().encode(agreement)},
                    sentences=untagged.sentences, attributes=untagged.attributes)  # fmt: skip
