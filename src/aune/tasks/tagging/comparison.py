"""Key and response word by word: which words are the same, what their tags mean, and the cases that measures count.

`compare` pairs the words of a chunk of documents and reads every distinct tag cell once. A *case* is one word to be
tagged, with the number of alternatives that the response gives it and how many of them are right; from these two
numbers follows everything GRACE counts. Units are sentences by tag (and by whether the word is known, given a lexicon),
so any measure can be had by document, sentence, tag or category.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.core import task as core
from aune.core.arrays import Ints, Mask
from aune.core.errors import UsageError
from aune.core.measure import Column
from aune.core.options import File
from aune.core.survey import ALONE, Survey
from aune.tasks.tagging.alignment import Difference, Side, paired_words, related_pairs, sides
from aune.tasks.tagging.compounds import Spanned, spanned, with_units
from aune.tasks.tagging.grace.meanings import (
    Projection,
    Readings,
    Tags,
    aspects_of,
    labels_of,
    occurrences,
    projection_of,
    reductions,
)
from aune.tasks.tagging.grace.table import Correspondences, Coverage, coverage
from aune.tasks.tagging.grace.table import table as table_in
from aune.tasks.tagging.grace.tagset import Tagset
from aune.tasks.tagging.grace.tagset import tagset as tagset_named
from aune.tasks.tagging.model import NO_HEAD, Coded, Document, alternatives, column_that_speaks, joined, with_words
from aune.tasks.tagging.notes import Fact
from aune.tasks.tagging.plain import COLUMNS
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
    Literal["words", "minimal"], "what counts as a case: a key word, or each of its minimal segments (là-bas is two)"
]
MINIMAL = re.compile(r"[^\W_]+")
"""A minimal unit: what stands between separators, which are blanks and all punctuation, hyphen and apostrophe too."""


class Cases(NamedTuple):
    """The words to be tagged, with what the response makes of each."""

    unit: Ints
    weight: Column
    alternatives: Ints
    """How many tags the response gives; 0 when the word is not evaluated."""
    correct: Ints
    """How many of them the key accepts."""
    word: Ints
    """The word on the side whose words are the cases; -1 for a key word that a relative evaluation has nothing for."""
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


class Words(NamedTuple):
    """The response for measures that count words and not cases: a compound that the key marks twice is its words."""

    side: Side
    paired: tuple[Ints, Ints]
    """The key and response words that are the same word."""
    unit: Ints


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
    words: Words
    key_readings: Readings
    key_tagged: Mask
    """(cells of the key,): whether the file gives a tag at all, be it one that the key's table drops."""
    response_readings: Readings
    labels: Sequence[str]
    """Of the tags that are compared: the pivot's, or in a relative evaluation the entries of the response's table."""
    key_label: Ints
    response_label: Ints
    evaluation: str
    case_unit: str
    aspect: str
    tagset: Tagset | None
    projection: Projection
    """From the response's tags to the pivot's."""
    column: str
    coverage: Coverage | None
    projected: Sequence[Tags]
    """The response's cells in the key's tags, before they are reduced to an aspect."""
    held: frozenset[str]
    """The columns of the whole key, and `heads` where it has trees."""
    seen: Mapping[Fact, int] = field(default_factory=dict)
    signed: Mapping[str, Any] = field(default_factory=dict)
    """The column, where it was left to be found."""

    @property
    def table(self) -> Correspondences | None:
        return self.projection.table

    @property
    def facts(self) -> Mapping[Fact, int]:  # type: ignore[override] # read-only here
        """What a user may have to know, as numbers that add up over chunks: see `notes.py`."""
        cases = self.cases
        counted: dict[Fact, int] = {("cases",): int(cases.expected.sum()), ("lost",): int(cases.lost.sum())}
        return {**self.seen, **counted, **_heads_seen(self.key)}

    @property
    def unit_count(self) -> int:
        return len(self.units["document"])

    def per_unit(self, unit: Ints, weights: Column | None = None) -> Column:
        """A sum per unit."""
        return np.bincount(unit, weights, self.unit_count)

    def columns(self, name: str) -> tuple[Ints, Ints, Sequence[str]]:
        """A column of the words of both sides over one list of names."""
        both = joined([document.column(name) for side in (self.key, self.words.side) for document in side.documents])
        return both.codes[: len(self.key)], both.codes[len(self.key) :], both.names

    def carries(self, name: str) -> bool:
        """Whether some document of the key has a column, be it full of `_`, or `heads`."""
        return name in self.held

    @cached_property
    def key_partner(self) -> Ints:
        """(key words,): the response's word or unit for each word of the key, or -1."""
        partner = np.full(len(self.key), -1)
        partner[self.paired[0]] = self.paired[1]
        partner[self.spanned.word] = self.spanned.unit
        return partner

    @cached_property
    def absolute(self) -> Cases:
        """The key's words, with the response projected into the pivot."""
        return self.cases_with(self.key_readings.tags, self.response_readings.tags)

    def cases_with(self, key: Sequence[Tags], response: Sequence[Tags]) -> Cases:
        """The key's words, with these readings of the cells of each side."""
        cells, partner = self.key_readings.codes.copy(), self.key_partner
        cells[self.spanned.word] = self.spanned.cell
        there = partner >= 0
        given, correct = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
        given[there], correct[there] = _judged(
            cells[there], self.response_readings.codes[partner[there]], key, response
        )
        expected = self._expected(key)[cells]
        return Cases(self.key_unit, self._weights(self.key), given, correct, np.arange(len(cells)), partner, expected)

    def _expected(self, key: Sequence[Tags]) -> Mask:
        """(cells of the key,): whether there is something to find: a tag, and the feature that is compared."""
        given, reduced = _filled(self.key_readings.given), _filled(key)
        return np.asarray(self.key_tagged & (reduced | ~given))

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
    def own_tags(self) -> tuple[Sequence[Tags], Sequence[Tags]]:
        """The cells of key and response in the response's own tags: entries of its table, by the inverse table."""
        return _compared(self.key_readings, self.response_readings, self.projection)

    @property
    def compared(self) -> tuple[Sequence[Tags], Sequence[Tags]]:
        """The cells of key and response in the tags that the evaluation compares."""
        return self.own_tags if self.evaluation == "relative" else (self.key_readings.tags, self.response_readings.tags)

    @cached_property
    def relative(self) -> Cases:
        """The response's words, with the key projected into the response's tags and words.

        Words of the key that the response has nothing for are cases, too: leaving text out must not help.
        """
        accepted, given = self.own_tags
        cells, partner = np.zeros(len(self.response), np.int64), np.full(len(self.response), -1)
        partner[self.paired[1]], cells[self.paired[1]] = self.paired[0], self.key_readings.codes[self.paired[0]]
        word, cell, unit, marked = self.spanned  # the policy `parts` has nothing for a whole unit
        partner[unit[marked]], cells[unit[marked]] = word[marked], cell[marked]
        there = partner >= 0
        sizes, correct = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
        sizes[there], correct[there] = _judged(cells[there], self.response_readings.codes[there], accepted, given)
        tagged = self._expected(self.key_readings.tags)
        expected = ~there | tagged[cells]
        bare = np.flatnonzero(~covered(self.key, self.response) & tagged[self.key_readings.codes])
        nothing = np.zeros(len(bare), np.int64)
        return Cases(
            np.concatenate([self.response_unit, self.key_unit[bare]]),
            np.concatenate([self._weights(self.response), self._weights(self.key)[bare]]),
            np.concatenate([sizes, nothing]),
            np.concatenate([correct, nothing]),
            np.concatenate([np.arange(len(cells)), nothing - 1]),
            np.concatenate([partner, bare]),
            np.concatenate([expected, np.ones(len(bare), bool)]),
        )

    @cached_property
    def cases(self) -> Cases:
        return self.relative if self.evaluation == "relative" else self.absolute

    def kinds(self) -> tuple[Ints, Ints]:
        """(key words,): how many alternatives each was given and how many are right, in the evaluation asked for."""
        if self.evaluation != "relative":
            return self.absolute.alternatives, self.absolute.correct
        of_response = self.relative.word >= 0
        given, correct = (
            np.where(self.key_partner >= 0, np.append(column[of_response], 0)[self.key_partner], 0)
            for column in (self.relative.alternatives, self.relative.correct)
        )
        return given, correct

    def _weights(self, side: Side) -> Column:
        if self.case_unit == "words":
            return np.ones(len(side))
        segments = np.array([minimal_units(name) for name in side.words.names] or [1], float)
        return np.asarray(segments[side.words.codes])


def minimal_units(form: str) -> int:
    """How many minimal units a word has; one for punctuation that stands alone.

    >>> minimal_units("là-bas"), minimal_units("aujourd'hui"), minimal_units("...")
    (2, 2, 1)
    """
    return max(1, len(MINIMAL.findall(form)))


def covered(key: Side, response: Side) -> Mask:
    """Which words of the key share characters with the response."""
    real = response.ends > response.starts
    ends, starts = np.sort(response.ends[real]), np.sort(response.starts[real])
    before = np.searchsorted(ends, key.word_starts, "right")
    reached = np.searchsorted(starts, key.word_ends, "left")
    return np.asarray(reached > before)


def _filled(cells: Sequence[Tags]) -> Mask:
    return np.array([len(tags) > 0 for tags in cells] or [False])


def _judged(left: Ints, right: Ints, accepted: Sequence[Tags], given: Sequence[Tags]) -> tuple[Ints, Ints]:
    """How many alternatives each pair of cells has and how many are accepted, looked up once per distinct pair."""
    pairs, inverse = np.unique(left * max(len(given), 1) + right, return_inverse=True)
    keys, responses = np.divmod(pairs, max(len(given), 1))
    sizes, correct = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    sets = {key: frozenset(accepted[key]) for key in set(keys.tolist())}
    for index, (key, response) in enumerate(zip(keys.tolist(), responses.tolist(), strict=True)):
        if sets[key]:
            sizes[index] = len(given[response])
            correct[index] = sum(tag in sets[key] for tag in given[response])
    return sizes[inverse], correct[inverse]


def compare(
    pairs: Sequence[tuple[Document, Document]],
    asking: Survey = ALONE,
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
    of_key, of_response = (
        projection_of(table_in(path) if path else None, unlisted, described) for path in (key_table, table)
    )
    seen: Counter[Fact] = Counter()
    key, response, differing = sides(with_words(pairs))
    spoken = _found_column(key.documents, asking) if column == "auto" else None
    key_column = _key_column(key.documents, (spoken or "tag") if column == "auto" else column)
    response_column = _response_column(response.documents, key_column, asking)
    joining = None
    if compounds != "ignore" and any(document.compounds for document in response.documents):
        joining = with_units(key, response, response_column)
        seen["units",], seen["no units",] = joining.joined, joining.left
        key, response, differing = sides(joining.pairs)
    seen.update({("differs", one.document): one.characters for one in differing})
    key_cells, marked = _key_cells(key, key_column)
    response_cells = joined([document.column(response_column) for document in response.documents])
    at_key, at_response = reductions(aspect, described, key_column)
    bare = [of_key.read(text, key_column)[1] for text in key_cells.names]
    read = [of_response.read(text, response_column) for text in response_cells.names]
    key_readings = Readings(key_cells.codes[: len(key)], bare, [at_key(tags) for tags in bare])
    response_readings = Readings(response_cells.codes, [given for given, _ in read], [at_response(t) for _, t in read])
    paired = _paired(key, response, differing)
    over = spanned(key, response, marked, key_cells.codes[len(key) :], paired, key_readings.codes, compounds)
    covers = _seen_of_table(seen, of_response, occurrences(response_cells, response_column), table)
    _seen_of_table(seen, of_key, occurrences(key_cells, key_column), key_table)
    _seen_of_tagset(seen, described, key_readings, response_readings, of_response)
    if evaluation == "relative" and table:
        _seen_inexpressible(seen, key_readings, of_response, table)
    seen.update({*_tags_used("key", key_readings), *_tags_used("response", response_readings)})
    compared = _compared(key_readings, response_readings, of_response if evaluation == "relative" else None)
    labels, key_label, response_label = labels_of(key_readings.codes, response_readings.codes, *compared)
    units, key_unit, response_unit = units_of(
        key, response, labels, key_label, response_label, described if evaluation == "absolute" else None,
        _known(lexicon),
    )  # fmt: skip
    words = Words(response, paired, response_unit)
    if joining is not None:
        same_key, apart, differing = sides(joining.words)
        words = Words(apart, _paired(same_key, apart, differing), response_unit[joining.unit])
    return Comparison(
        units, key, response, paired, over, key_unit, response_unit, words, key_readings,
        key_tagged=_filled([alternatives(text, key_column) for text in key_cells.names]),
        response_readings=response_readings, labels=labels, key_label=key_label, response_label=response_label,
        evaluation=evaluation, case_unit=cases, aspect=aspect, tagset=described, projection=of_response,
        column=key_column, coverage=covers, projected=[tags for _, tags in read], held=_held(key.documents, asking),
        seen=seen, signed={"column": spoken} if spoken else {},
    )  # fmt: skip


def _paired(key: Side, response: Side, differing: Sequence[Difference]) -> tuple[Ints, Ints]:
    paired = paired_words(key, response)
    return related_pairs(key, response, paired) if differing else paired


def _compared(
    key: Readings, response: Readings, projection: Projection | None
) -> tuple[Sequence[Tags], Sequence[Tags]]:
    """The cells of both sides in the pivot's tags; under a projection by a table, as the entries of the table."""
    if projection is None or projection.table is None:
        return key.tags, response.tags
    return [projection.expressed(tags) for tags in key.given], [projection.entries(tags) for tags in response.given]


def _heads_seen(key: Side) -> dict[Fact, int]:
    """How many words have a head, and how many have none."""
    heads = sum(int((document.heads != NO_HEAD).sum()) for document in key.documents if document.heads is not None)
    return {("head",): heads, ("no head",): len(key) - heads}


def _held(documents: Sequence[Document], asking: Survey) -> frozenset[str]:
    trees = {"heads" for document in documents if document.heads is not None}
    return asking.asked("columns of the key", {name for document in documents for name in document.columns} | trees)


def _found_column(documents: Sequence[Document], asking: Survey) -> str | None:
    """The first column of tags in which any document of the whole key says something."""
    spoken = asking.asked(
        "columns that speak", {name for document in documents if (name := column_that_speaks(document))}
    )
    return next((name for name in COLUMNS if name in spoken), None)


def _key_column(documents: Sequence[Document], wanted: str) -> str:
    """The column of the key that holds the tags to compare; every document must have it."""
    for one in documents:
        if len(one) and wanted not in one.columns and column_that_speaks(one):
            held = ", ".join(sorted(one.columns))
            raise UsageError(f"--column {wanted}: the key has only {held} in document {one.id!r}: name a column of all")
    return wanted


def _response_column(documents: Sequence[Document], key_column: str, asking: Survey) -> str:
    """The column of the response: the key's where it has one of that name, else its only kind of tags."""
    found = {
        key_column if key_column in document.columns else column_that_speaks(document) or key_column
        for document in documents
        if len(document)
    }
    held = asking.asked("columns of the response", found)
    if len(held) > 1:
        raise UsageError(f"the response has its tags in different columns ({', '.join(sorted(held))}): make them one")
    return next(iter(held), key_column)


def _key_cells(key: Side, column: str) -> tuple[Coded, list[tuple[int, int]]]:
    """The key's cells, first of words and then of compounds, and the words of each compound."""
    marked, texts = [], []
    for one, base in zip(key.documents, key.first.tolist(), strict=False):
        marked += [(base + compound.start, base + compound.end) for compound in one.compounds]
        texts += [compound.tags for compound in one.compounds]
    extra = Coded(np.arange(len(texts)), texts)
    return joined([*(document.column(column) for document in key.documents), extra]), marked


def _known(lexicon: str | None) -> Callable[[str], bool] | None:
    """Whether a word is in the lexicon, as it is or in lower case; None without a lexicon."""
    if not lexicon:
        return None
    from aune.tasks.tagging.lexicon import words_of  # noqa: PLC0415 - reads files, which the formats above know how to do

    words = words_of(lexicon)
    return lambda word: word in words or word.lower() in words


def _seen_of_table(
    seen: Counter[Fact], projection: Projection, found: Mapping[str, int], path: str | None
) -> Coverage | None:
    """What a table does not know, and which of its entries are used."""
    if projection.table is None or path is None:
        return None
    covers = coverage(projection.table, found, projection.pivot, projection.described)
    seen.update({("missing", path, projection.unlisted, tag): number for tag, number in covers.missing.items()})
    seen.update(("entry", path, entry) for entry in projection.table.entries)
    seen.update(("used", path, entry) for entry in projection.table.entries if entry not in covers.unused)
    seen.update(("outside", path, tag) for tag in covers.outside)
    return covers


def _tags_used(side: str, readings: Readings) -> Iterator[Fact]:
    for cell in np.unique(readings.codes).tolist():
        yield from (("tag", side, tag) for tag in readings.tags[cell])


def _seen_of_tagset(
    seen: Counter[Fact], described: Tagset | None, key: Readings, response: Readings, theirs: Projection
) -> None:
    """Tags that the description does not have, on either side."""
    if described is None:
        return
    for side, cells in (("key", key.given), ("response", () if theirs.table else response.given)):
        strange = {tag for tags in cells for tag in tags if tag not in described}
        seen.update(("strange", side, described.name, tag) for tag in strange)


def _seen_inexpressible(seen: Counter[Fact], key: Readings, projection: Projection, path: str) -> None:
    """Tags of the key that no entry of the table may be: the response cannot say them in its own tags."""
    counts = np.bincount(key.codes, minlength=len(key.given)).tolist()
    for tags, number in zip(key.given, counts, strict=True):
        if tags and number and not projection.expressed(tags):
            seen["inexpressible", path, "|".join(tags)] += number
