"""Key and response word by word: which words are the same, what their tags mean, and the cases that measures count.

`compare` pairs the words of a chunk of documents and reads every distinct tag cell once. A *case* is one word to be
tagged, with the number of alternatives that the response gives it and how many of them are right; from these two
numbers follows everything GRACE counts. Units are sentences by tag (and by whether the word is known, given a lexicon),
so any measure can be had by document, sentence, tag or category.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.core import task as core
from aune.core.errors import UsageError
from aune.core.measure import Column
from aune.core.options import File
from aune.tasks.tagging.alignment import Difference, Side, paired_words, sides
from aune.tasks.tagging.grace.meanings import (
    Readings,
    Tags,
    aspects_of,
    labels_of,
    occurrences,
    read_cell,
    reductions,
)
from aune.tasks.tagging.grace.table import Coverage, Table, coverage
from aune.tasks.tagging.grace.table import table as table_in
from aune.tasks.tagging.grace.tagset import Tagset
from aune.tasks.tagging.grace.tagset import tagset as tagset_named
from aune.tasks.tagging.model import Coded, Document, Ints, Mask, chosen_column, joined
from aune.tasks.tagging.units import units_of

Evaluation: TypeAlias = Annotated[
    Literal["absolute", "relative"],
    "absolute: the response projected into the key's tags and words; relative: the key projected into the response's",
]
Compounds: TypeAlias = Annotated[
    Literal["marking", "parts", "ignore"],
    "a response unit over several key words is scored against the key's marking of that compound, else not (marking), "
    "else against each word (parts), or never (ignore)",
]
CaseUnit: TypeAlias = Annotated[
    Literal["words", "minimal"], "what counts as a case: a key word, or each of its minimal segments (là-bas is three)"
]
LISTED = 12  # tags that a warning names
MINIMAL = re.compile(r"[^\W_]+|[^\w\s]|_")


class Cases(NamedTuple):
    """The words to be tagged, with what the response makes of each."""

    unit: Ints
    weight: Column
    alternatives: Ints
    """How many tags the response gives; 0 when the word is not evaluated."""
    correct: Ints
    """How many of them the key accepts."""
    word: Ints
    """The word on the side whose words are the cases."""
    partner: Ints
    """The word on the other side, or -1."""
    expected: Mask
    """Whether there is a tag to find; not so where the key has none, or not the feature that is compared."""

    @property
    def evaluated(self) -> Mask:
        return np.asarray(self.alternatives > 0)

    @property
    def lost(self) -> Mask:
        """Words that should have been evaluated and are not."""
        return np.asarray(self.expected & ~self.evaluated)

    @property
    def strict(self) -> Mask:
        return np.asarray(self.alternatives == 1)

    @property
    def share(self) -> Column:
        """The share of correct alternatives: how often a random choice among them is right."""
        return self.correct / np.maximum(self.alternatives, 1)


class Spanned(NamedTuple):
    """Key words that a response unit takes together."""

    word: Ints
    cell: Ints
    """The cell that the unit is compared with."""
    unit: Ints
    marked: Mask
    """Whether that is the key's marking of the compound, and not the word's own cell."""


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """What all tagging measures read."""

    units: Mapping[str, Sequence[str]]
    key: Side
    response: Side
    paired: tuple[Ints, Ints]
    """The key and response words that are the same word."""
    spanned: Spanned
    key_unit: Ints
    response_unit: Ints
    key_readings: Readings
    response_readings: Readings
    labels: Sequence[str]
    key_label: Ints
    response_label: Ints
    evaluation: str
    case_unit: str
    aspect: str
    tagset: Tagset | None
    table: Table | None
    pivot: frozenset[str]
    column: str
    notes: tuple[str, ...]
    """What a user should know about texts, tables and tagsets."""
    coverage: Coverage | None
    projected: Sequence[Tags]
    """The response's cells in the key's tags, before they are reduced to an aspect."""

    @property
    def warnings(self) -> tuple[str, ...]:  # type: ignore[override] # read-only here
        return (*self.notes, *self._not_evaluated())

    def _not_evaluated(self) -> list[str]:
        """How many words are not evaluated, of those that there is something to find for."""
        lost, all_words = (int(which.sum()) for which in (self.cases.lost, self.cases.expected))
        if not lost:
            return []
        return [
            f"{lost} of {all_words} words ({100 * lost / all_words:.2f} %) not evaluated: "
            "`aune errors tagging … --kind 'not evaluated'` lists them"
        ]

    @property
    def unit_count(self) -> int:
        return len(self.units["document"])

    def per_unit(self, unit: Ints, weights: Column | None = None) -> Column:
        """A sum per unit."""
        return np.bincount(unit, weights, self.unit_count)

    def columns(self, name: str) -> tuple[Ints, Ints, Sequence[str]]:
        """A column of both sides over one list of names."""
        both = joined([one.column(name) for side in (self.key, self.response) for one in side.documents])
        return both.codes[: len(self.key)], both.codes[len(self.key) :], both.names

    def carries(self, name: str) -> bool:
        """Whether the key has a column, be it full of `_`."""
        return any(name in one.columns for one in self.key.documents)

    @cached_property
    def absolute(self) -> Cases:
        """The key's words, with the response projected into the pivot."""
        return self.cases_with(self.key_readings.tags, self.response_readings.tags)

    def cases_with(self, key: Sequence[Tags], response: Sequence[Tags]) -> Cases:
        """The key's words, with these readings of the cells of each side."""
        cells, partner = self.key_readings.codes.copy(), np.full(len(self.key), -1)
        partner[self.paired[0]] = self.paired[1]
        cells[self.spanned.word], partner[self.spanned.word] = self.spanned.cell, self.spanned.unit
        there = partner >= 0
        found = _judged(cells[there], self.response_readings.codes[partner[there]], key, response)
        expected = np.array([len(tags) > 0 for tags in key] or [False])[cells]
        return self._cases(self.key, self.key_unit, partner, expected, found)

    @property
    def aspects(self) -> list[str]:
        """What tags can be reduced to: their category and features, as far as they are known."""
        return aspects_of(self.tagset, self.column, self.key_readings.given)

    def reduced(self, aspect: str) -> Cases:
        """The key's words when only a category or a feature is compared, whatever `aspect` the comparison has."""
        at_key, at_response = reductions(aspect, self.tagset, self.column)
        return self.cases_with(
            [at_key(tags) for tags in self.key_readings.given], [at_response(tags) for tags in self.projected]
        )

    @cached_property
    def relative(self) -> Cases:
        """The response's words, with the key projected into the response's tags and words."""
        accepted, given = self.key_readings.tags, self.response_readings.tags
        if self.table is not None:
            accepted = [self._inverted(tags) for tags in self.key_readings.given]
            given = self.response_readings.given
        cells, partner = np.zeros(len(self.response), np.int64), np.full(len(self.response), -1)
        partner[self.paired[1]], cells[self.paired[1]] = self.paired[0], self.key_readings.codes[self.paired[0]]
        word, cell, unit, marked = self.spanned  # the policy `parts` has nothing for a whole unit
        partner[unit[marked]], cells[unit[marked]] = word[marked], cell[marked]
        there = partner >= 0
        found = _judged(cells[there], self.response_readings.codes[there], accepted, given)
        return self._cases(self.response, self.response_unit, partner, np.ones(len(partner), bool), found)

    @cached_property
    def cases(self) -> Cases:
        return self.relative if self.evaluation == "relative" else self.absolute

    @cached_property
    def inverse(self) -> dict[str, Tags]:
        """The inverse of the table, over the response's tags; a tag without an entry that was kept is its own."""
        if self.table is None:
            return {}
        used = {tag for given in self.response_readings.given for tag in given}
        own = {tag for tag in used if self.table.entry(tag) is None}
        found = self.table.inverse((used - own) | set(self.table.participant_tags()), self.pivot)
        as_is = _canonical(self.tagset)
        inverse: dict[str, dict[str, None]] = {}
        for tag, back in [*found.items(), *((tag, (tag,)) for tag in sorted(own))]:
            inverse.setdefault(as_is(tag), {}).update(dict.fromkeys(back))
        return {tag: tuple(back) for tag, back in inverse.items()}

    def _inverted(self, tags: Tags) -> Tags:
        return tuple(dict.fromkeys(back for tag in tags for back in self.inverse.get(tag, ())))

    def _cases(self, side: Side, unit: Ints, partner: Ints, expected: Mask, found: tuple[Ints, Ints]) -> Cases:
        there = partner >= 0
        given, correct = np.zeros(len(side), np.int64), np.zeros(len(side), np.int64)
        given[there], correct[there] = found
        weight = np.ones(len(side))
        if self.case_unit == "minimal":
            segments = np.array([max(1, len(MINIMAL.findall(name))) for name in side.words.names] or [1], float)
            weight = segments[side.words.codes]
        return Cases(unit, weight, given, correct, np.arange(len(side)), partner, expected)


def _judged(
    left: Ints, right: Ints, accepted: Sequence[Tags], given: Sequence[Tags]
) -> tuple[Ints, Ints]:  # fmt: skip
    """How many alternatives each pair of cells has and how many are accepted, looked up once per distinct pair."""
    pairs, inverse = np.unique(left * max(len(given), 1) + right, return_inverse=True)
    keys, responses = np.divmod(pairs, max(len(given), 1))
    sizes = np.zeros(len(pairs), np.int64)
    correct = np.zeros(len(pairs), np.int64)
    sets = {key: frozenset(accepted[key]) for key in set(keys.tolist())}
    for index, (key, response) in enumerate(zip(keys.tolist(), responses.tolist(), strict=True)):
        if sets[key]:
            sizes[index] = len(given[response])
            correct[index] = sum(tag in sets[key] for tag in given[response])
    return sizes[inverse], correct[inverse]


def compare(
    pairs: Sequence[tuple[Document, Document]],
    *,
    column: Annotated[
        str, "the column that is compared: tag, upos, xpos, feats, lemma, or the first that is there (auto)"
    ] = "auto",
    table: Annotated[
        File | None, "correspondence table from the response's tags to the key's: a TSV or TOML file, or system=file,…"
    ] = None,
    key_table: Annotated[File | None, "correspondence table for the key's own tags"] = None,
    unlisted: Annotated[
        Literal["drop", "keep"], "tags without an entry in the table: left out of the alternatives, or kept as they are"
    ] = "drop",
    tagset: Annotated[File | None, "description of the key's tags: upos, grace, or a TOML file"] = None,
    aspect: Annotated[str, "what of a tag is compared: tag, category, or a feature such as gender"] = "tag",
    evaluation: Evaluation = "absolute",
    compounds: Compounds = "marking",
    cases: CaseUnit = "words",
    lexicon: Annotated[File | None, "a tagged corpus or a list of words: which words are known"] = None,
) -> Comparison:
    """Words paired and tags read, for a chunk of documents at once."""
    if table and evaluation == "relative" and aspect != "tag":
        raise UsageError(f"--aspect {aspect}: expected --evaluation absolute, for only the key's tags are described")
    described = tagset_named(tagset) if tagset else None
    key, response, differing = sides(pairs)
    key_column, response_column = _column_of(key, column, "key"), _column_of(response, column, "response")
    key_cells, marked = _key_cells(key, key_column)
    response_cells = joined([one.column(response_column) for one in response.documents])
    as_is = _canonical(described)
    own = table_in(key_table) if key_table else None
    theirs = table_in(table) if table else None
    own_pivot = frozenset(described.tags if described else own.plain_pivot() if own else ())
    bare_key = [read_cell(text, key_column, own, unlisted, own_pivot, as_is)[1] for text in key_cells.names]
    pivot = frozenset(described.tags if described else (tag for tags in bare_key for tag in tags))
    read = [read_cell(text, response_column, theirs, unlisted, pivot, as_is) for text in response_cells.names]
    at_key, at_response = reductions(aspect, described, key_column)
    words = Coded(key_cells.codes[: len(key)], key_cells.names)
    key_readings = Readings(words.codes, bare_key, [at_key(tags) for tags in bare_key])
    response_readings = Readings(response_cells.codes, [given for given, _ in read], [at_response(t) for _, t in read])
    paired = paired_words(key, response)
    spanned = _spanned(key, response, marked, key_cells.codes[len(key) :], paired, words.codes, compounds)
    labels, key_label, response_label = labels_of(key_readings, response_readings)
    units, key_unit, response_unit = units_of(
        key, response, labels, key_label, response_label, described, _known(lexicon)
    )
    found = coverage(theirs, occurrences(response_cells, response_column), pivot, described) if theirs else None
    of_key = coverage(own, occurrences(key_cells, key_column), own_pivot, described) if own else None
    notes = [
        *_different(differing),
        *_uncovered(of_key, key_table, unlisted),
        *_uncovered(found, table, unlisted),
        *_outside(described, bare_key, response_readings, theirs),
    ]
    if any(one.compounds for one in response.documents):
        notes.append("the response marks compounds: only its words and their tags are scored")
    return Comparison(
        units, key, response, paired, spanned, key_unit, response_unit, key_readings, response_readings,
        labels, key_label, response_label, evaluation, cases, aspect, described, theirs, pivot, key_column,
        tuple(notes), found, [tags for _, tags in read],
    )  # fmt: skip


def _column_of(side: Side, wanted: str, which: str) -> str:
    """The column of a side that holds the tags to compare."""
    held = {name for one in side.documents for name in one.columns}
    if wanted != "auto" and wanted not in held and len(side):
        raise UsageError(f"--column {wanted}: the {which} has only {', '.join(sorted(held))}")
    return next((name for one in side.documents if (name := chosen_column(one, wanted)) in one.columns), "tag")


def _key_cells(key: Side, column: str) -> tuple[Coded, list[tuple[int, int]]]:
    """The key's cells, first of words and then of compounds, and the words of each compound."""
    marked, texts = [], []
    for one, base in zip(key.documents, key.first.tolist(), strict=False):
        marked += [(base + compound.start, base + compound.end) for compound in one.compounds]
        texts += [compound.tags for compound in one.compounds]
    extra = Coded(np.arange(len(texts)), texts)
    return joined([*(one.column(column) for one in key.documents), extra]), marked


def _canonical(described: Tagset | None) -> Callable[[str], str]:
    return described.canonical if described else str


def _spanned(
    key: Side, response: Side, marked: Sequence[tuple[int, int]], cells: Ints, paired: tuple[Ints, Ints],
    own: Ints, policy: str,
) -> Spanned:  # fmt: skip
    """The key words that a response unit takes together."""
    found: list[tuple[int, int, int, bool]] = []
    if policy != "ignore":
        starts, ends = key.word_starts, key.word_ends
        units = _free_units(response, paired[1])
        for (first, after), cell in zip(marked, cells.tolist(), strict=True):
            unit = units.pop((int(starts[first]), int(ends[after - 1])), None)
            if unit is not None:
                found += [(word, cell, unit, True) for word in range(first, after)]
        if policy == "parts":
            taken = {word for word, *_ in found}
            for (start, end), unit in units.items():
                inside = range(int(np.searchsorted(starts, start)), int(np.searchsorted(starts, end)))
                whole = len(inside) > 0 and starts[inside[0]] == start and ends[inside[-1]] == end
                found += [(word, int(own[word]), unit, False) for word in inside if whole and word not in taken]
    words, compared, by, marking = np.array(found, np.int64).reshape(-1, 4).T
    return Spanned(words, compared, by, marking.astype(bool))


def _free_units(response: Side, paired: Ints) -> dict[tuple[int, int], int]:
    """The response's words that have no partner, by the characters that they cover."""
    free = ~response.multiword[response.token]
    free[paired] = False
    words = np.flatnonzero(free & (response.word_ends > response.word_starts))
    spans = zip(response.word_starts[words].tolist(), response.word_ends[words].tolist(), strict=True)
    return dict(zip(spans, words.tolist(), strict=True))


def _known(lexicon: str | None) -> Callable[[str], bool] | None:
    """Whether a word is in the lexicon, as it is or in lower case; None without a lexicon."""
    if not lexicon:
        return None
    from aune.tasks.tagging.lexicon import words_of  # noqa: PLC0415 - reads files, which the formats above know how to do

    words = words_of(lexicon)
    return lambda word: word in words or word.lower() in words


def _different(differing: Sequence[Difference]) -> list[str]:
    if not differing:
        return []
    first = differing[0]
    others = f" and {len(differing) - 1} more documents" if len(differing) > 1 else ""
    return [
        f"the text differs from the key's in {first.document}{others} ({sum(one.characters for one in differing)} "
        "characters): words were realigned there"
    ]


def _uncovered(found: Coverage | None, path: str | None, unlisted: str) -> list[str]:
    """What a user should know about a table."""
    if found is None:
        return []
    notes = []
    if found.missing:
        often = sorted(found.missing, key=lambda tag: (-found.missing[tag], tag))
        said = [f"{tag} {found.missing[tag]}×" for tag in often]
        done = "left out of the alternatives" if unlisted == "drop" else "kept as they are"
        notes.append(f"{path}: tags without an entry, {done}: {_listed(said)}")
    if found.unused:
        notes.append(f"{path}: entries never used: {_listed(found.unused)}")
    if found.outside:
        notes.append(f"{path}: tags outside the pivot's: {_listed(found.outside)}")
    return notes


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {rest} more" if rest > 0 else "")


def _outside(
    described: Tagset | None, key: Sequence[Sequence[str]], response: Readings, table: Table | None
) -> list[str]:
    """Tags that the description does not have, on either side."""
    if described is None:
        return []
    notes = []
    for side, cells in (("key", key), ("response", () if table else response.given)):
        strange = sorted({tag for tags in cells for tag in tags if tag not in described})
        if strange:
            notes.append(f"tags of the {side} outside the tagset {described.name}: {_listed(strange)}")
    return notes
