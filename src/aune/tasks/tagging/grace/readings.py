"""The meaning of tag cells: alternatives, projected into the pivot's tags and reduced to what is compared.

Everything here is done once per distinct cell, not once per word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.numeric.arrays import Ints
from aune.tasks.tagging.grace.correspondence_table import CorrespondenceTable
from aune.tasks.tagging.grace.tagset import Tagset
from aune.tasks.tagging.model import CodedColumn, Compound, Document, Vocabulary, alternatives, choose_column

SEVERAL, NONE = "several", "none"
NO_VALUE = "∅"  # the value of a feature that a response tag does not have
Tags: TypeAlias = tuple[str, ...]
Reduction: TypeAlias = Callable[[Sequence[str]], Tags]


class Readings(NamedTuple):
    """The meaning of the distinct cells of a tag column; the code of a word is the number of its cell."""

    codes: Ints
    alternatives: Sequence[Tags]
    """The alternatives of the file, without those that have no entry in the table."""
    tags: Sequence[Tags]
    """The alternatives as tags in the form that is compared."""


@dataclass(frozen=True)
class Projection:
    """The conversion of one side's tags to the pivot's and back: by a table, or unchanged."""

    table: CorrespondenceTable | None
    pivot: frozenset[str]
    """The tags over which patterns of the table expand."""
    unlisted: str
    """The treatment of tags without an entry: `drop` or `keep`."""
    described: Tagset | None

    def canonical_tag(self, tag: str) -> str:
        """The tag at the full length of its tagset; unchanged where no tagset is described."""
        return self.described.canonical(tag) if self.described else tag

    def read(self, text: str, column: str) -> tuple[Tags, Tags]:
        """The alternatives of a cell, as given and after projection."""
        source_tags = alternatives(text, column)
        if self.table is None:
            tags = tuple(dict.fromkeys(map(self.canonical_tag, source_tags)))
            return tags, tags
        listed_tags: list[str] = []
        projected: dict[str, None] = {}
        for tag in source_tags:
            targets = self.table.project(tag, self.pivot)
            if targets is None and self.unlisted == "keep":
                targets = (tag,)
            if targets is not None:
                listed_tags.append(tag)
                projected |= dict.fromkeys(map(self.canonical_tag, targets))
        return tuple(listed_tags), tuple(projected)

    @cached_property
    def _entries_by_tag(self) -> dict[str, Tags]:
        return {} if self.table is None else self.table.entries_by_tag(self.pivot, self.canonical_tag)

    def possible_entries(self, tags: Tags) -> Tags:
        """The entries of the table to which tags of the pivot may correspond; without a table, the tags themselves.

        Entries, not tags: only an output shows which tags a pattern covers, and the tags that an output happens to
        contain must not decide anything.
        """
        if self.table is None:
            return tags
        unlisted_tags = tags if self.unlisted == "keep" else ()
        return tuple(
            dict.fromkeys([*(entry for tag in tags for entry in self._entries_by_tag.get(tag, ())), *unlisted_tags])
        )

    def entries(self, tags: Tags) -> Tags:
        """The entry that covers each alternative."""
        if self.table is None:
            return tags
        return tuple(self.canonical_tag(tag) if (entry := self.table.entry(tag)) is None else entry for tag in tags)


def projection_of(table: CorrespondenceTable | None, unlisted: str, described: Tagset | None) -> Projection:
    return Projection(table, table.pivot(described) if table else frozenset(), unlisted, described)


def project_document(document: Document, projection: Projection) -> Document:
    """A document with its tags, including those of compounds, projected into the pivot.

    >>> from aune.tasks.tagging.model import documents
    >>> table = CorrespondenceTable({"n": ("Nc", "Np")})
    >>> projection = projection_of(table, "drop", None)
    >>> project_document(documents([("a", "n"), ("b", "?")])[0], projection).column("tag").values()
    ['Nc|Np', '_']
    """
    column = choose_column(document)
    cells = document.column(column)

    def text(cell: str) -> str:
        return "|".join(projection.read(cell, column)[1]) or "_"

    names = Vocabulary()
    codes = names.encode([text(name) for name in cells.names]).codes[cells.codes]
    other_columns = {name: cell for name, cell in document.columns.items() if name not in ("tag", column)}
    compounds = tuple(Compound(compound.start, compound.end, text(compound.tags)) for compound in document.compounds)
    return replace(document, columns={**other_columns, "tag": CodedColumn(codes, names.names)}, compounds=compounds)


def reductions(aspect: str, described: Tagset | None, column: str) -> tuple[Reduction, Reduction]:
    """The functions that reduce tags of the key and of the response to what is compared.

    A key tag without the selected feature is not compared; a response tag without it is wrong.
    """
    if aspect == "tag":
        return tuple, tuple
    if column == "feats":
        value = _universal_feature(aspect)
    elif described is None:
        raise UsageError(f"--aspect {aspect}: expected a tagset that says what tags mean: name it with --tagset")
    elif aspect == "category":
        value = described.category
    elif aspect in described.features:
        value = lambda tag: described.feature(tag, aspect)  # noqa: E731
    else:
        names = ", ".join(["tag", "category", *described.features])
        raise UsageError(f"--aspect {aspect}: expected one of {names} for the tagset {described.name}")

    def at_key(tags: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reduced for reduced in map(value, tags) if reduced is not None))

    def at_response(tags: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(NO_VALUE if reduced is None else reduced for reduced in map(value, tags)))

    return at_key, at_response


def aspects_of(described: Tagset | None, column: str, cells: Sequence[Tags]) -> list[str]:
    """The aspects to which tags can be reduced: their category and their known features."""
    if described:
        return ["category", *described.features]
    if column == "feats":
        return sorted({pair.partition("=")[0] for tags in cells for tag in tags for pair in tag.split("|")})
    return []


def _universal_feature(name: str) -> Callable[[str], str | None]:
    def value(features: str) -> str | None:
        pairs = (pair.partition("=") for pair in features.split("|"))
        return next((feature_value for feature, _, feature_value in pairs if feature == name), None)

    return value


def labels_of(
    key: Ints, response: Ints, key_tags: Sequence[Tags], response_tags: Sequence[Tags]
) -> tuple[list[str], Ints, Ints]:
    """A label per word: its tag; all accepted tags for a key word with several, `several` for such a response word."""
    of_key = ["|".join(sorted(tags)) or NONE for tags in key_tags]
    of_response = [tags[0] if len(tags) == 1 else SEVERAL if tags else NONE for tags in response_tags]
    names = sorted({NONE, *of_key, *of_response})
    number = {name: index for index, name in enumerate(names)}
    of_cell, of_other = (np.array([number[label] for label in labels], np.int64) for labels in (of_key, of_response))
    return names, of_cell[key], of_other[response]


def count_tags(cells: CodedColumn, column: str) -> dict[str, int]:
    """How many words have each tag; a word with alternatives counts for each of them."""
    counts: Counter[str] = Counter()
    for text, count in zip(cells.names, np.bincount(cells.codes, minlength=len(cells.names)).tolist(), strict=True):
        counts.update(dict.fromkeys(alternatives(text, column), count))
    return dict(counts)
