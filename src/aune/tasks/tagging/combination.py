"""One tagging out of several: a vote on every word.

Each participant's output is projected into the pivot's tags and laid on one text, whose words are tagged. A participant
has one vote times its weight, shared equally among its alternatives; the tag with the most votes wins, the first in
alphabetical order among equals. The agreement of a word is the winner's share of all votes that could have been cast,
so a participant that has nothing to say about a word counts against every tag.

`disagreements` lists the words that a person should look at, which is how a corpus is made from what participants of a
campaign have tagged.

Source: the by-product corpus of GRACE (MULTITAG; Adda et al. 1999, §6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from aune.core.arrays import Ints
from aune.core.options import File
from aune.core.votes import paired_by_name, shares
from aune.tasks.tagging.comparison import Comparison, compare
from aune.tasks.tagging.errors import context
from aune.tasks.tagging.model import Document, Vocabulary, document
from aune.tasks.tagging.notes import told

UNTAGGED = "_"


def combined(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    tables: Mapping[str, str] | None = None,
    tagset: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Document]:
    """The words of `text` with the tags that the systems vote for, and a column `agreement`.

    `tell` is called with what a user should know of a system's words and table.

    >>> from aune.tasks.tagging.model import documents
    >>> one, two, three = (documents([("la", tag)]) for tag in ("D", "D|P", "P"))
    >>> made = combined(one, {"one": one, "two": two, "three": three})[0]
    >>> made.columns["tag"].values(), made.columns["agreement"].values()
    (['D'], ['0.500'])
    """
    voting = shares(systems, weights)
    comparisons = _comparisons(text, systems, tables, tagset)
    if tell:
        for name, one in zip(systems, comparisons, strict=True):
            for note in told({fact: number for fact, number in one.facts.items() if fact != ("lost",)}):
                tell(f"{name}: {note}")
    chosen, agreement = _decided(comparisons, list(voting.values()))
    bounds = comparisons[0].key.first.tolist()
    return [
        _tagged(one, chosen[start:end], agreement[start:end])
        for one, start, end in zip(text, bounds[:-1], bounds[1:], strict=True)
    ]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    tables: Mapping[str, str] | None = None,
    tagset: str | None = None,
    below: float = 1.0,
) -> list[Sequence[Any]]:
    """The words on which the winner has less than this share of the votes, least agreed on first, under headings.

    >>> from aune.tasks.tagging.model import documents
    >>> one, two = documents([("la", "D"), ("mer", "N")]), documents([("la", "P"), ("mer", "N")])
    >>> disagreements(one, {"one": one, "two": two})[1]
    ['document', 1, 'la', '0.500', 'D', 'P', '[ la ] mer']
    """
    comparisons = _comparisons(text, systems, tables, tagset)
    _, agreement = _decided(comparisons, list(shares(systems, weights).values()))
    key = comparisons[0].key
    cells = [_cells(comparison).tolist() for comparison in comparisons]
    tags = [comparison.response_readings.tags for comparison in comparisons]
    rows: list[Sequence[Any]] = []
    for word, share in enumerate(agreement):
        if float(share) < below:
            document = int(key.document[word])
            said = ["|".join(of[cell[word]]) if cell[word] >= 0 else "_" for cell, of in zip(cells, tags, strict=True)]
            place = word - int(key.first[document]) + 1
            form = key.forms(word, word + 1)[0]
            rows.append([key.documents[document].id, place, form, share, *said, context(key, word)])
    rows.sort(key=lambda row: float(row[3]))
    return [["document", "place", "word", "agreement", *systems, "context"], *rows]


def _comparisons(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    tables: Mapping[str, str] | None,
    tagset: str | None,
) -> list[Comparison]:
    """Every system laid on the text, in the tags of the pivot."""
    named = {name: File(path) for name, path in (tables or {}).items()}
    described = File(tagset) if tagset else None
    return [
        compare(paired_by_name(text, documents, name), table=named.get(name), tagset=described)
        for name, documents in systems.items()
    ]


def _decided(comparisons: Sequence[Comparison], weights: Sequence[Fraction]) -> tuple[list[str], list[str]]:
    """The winner and its agreement for every word, settled once per distinct combination of cells."""
    ballots, inverse = np.unique(
        np.stack([_cells(comparison) for comparison in comparisons], axis=1), axis=0, return_inverse=True
    )
    readings = [comparison.response_readings.tags for comparison in comparisons]
    outcomes = []
    for ballot in ballots.tolist():
        votes: dict[str, Fraction] = {}
        for cell, tags, weight in zip(ballot, readings, weights, strict=True):
            given = tags[cell] if cell >= 0 else ()
            for tag in given:
                votes[tag] = votes.get(tag, Fraction(0)) + weight / len(given)
        winner = min(votes, key=lambda tag: (-votes[tag], tag), default=UNTAGGED)
        outcomes.append((winner, f"{float(votes.get(winner, Fraction(0))):.3f}"))
    pairs = [outcomes[index] for index in inverse.ravel().tolist()]
    return [winner for winner, _ in pairs], [share for _, share in pairs]


def _cells(comparison: Comparison) -> Ints:
    """The cell that a system has for each word of the text, or -1."""
    partner = comparison.key_partner
    cells = np.full(len(partner), -1)
    there = partner >= 0
    cells[there] = comparison.response_readings.codes[partner[there]]
    return cells


def _tagged(untagged: Document, tags: Sequence[str], agreement: Sequence[str]) -> Document:
    made = document(untagged.id, untagged.words.values(), {"tag": tags}, sentences=untagged.sentences.tolist())
    return Document(made.id, made.words, {**made.columns, "agreement": Vocabulary().coded(agreement)},
                    sentences=untagged.sentences, attributes=untagged.attributes)  # fmt: skip
