"""Key and response word by word: the correspondence of words, the meaning of tags, and the cases that measures count.

`compare` pairs the words of a chunk of documents and reads every distinct tag cell once. A *case* is one word to be
tagged, with the number of alternatives that the response gives it and the number of those that are right. All counts
of GRACE follow from these two numbers. Units are sentences by tag (and by whether the word is known, given a lexicon),
so any measure is available by document, sentence, tag or category.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract import task as core
from aune.contract.measure import Column
from aune.contract.options import OptionFile
from aune.contract.survey import STANDALONE, Survey
from aune.errors import UsageError
from aune.numeric.arrays import Ints, Mask, distinct
from aune.tasks.tagging.alignment import Difference, Side, paired_words, related_pairs, sides
from aune.tasks.tagging.compounds import JoinedWords, Units, match_units, with_units
from aune.tasks.tagging.grace.correspondence_table import CorrespondenceTable, Coverage, coverage
from aune.tasks.tagging.grace.correspondence_table import read_table as table_in
from aune.tasks.tagging.grace.readings import (
    Projection,
    Readings,
    Tags,
    aspects_of,
    count_tags,
    labels_of,
    projection_of,
    reductions,
)
from aune.tasks.tagging.grace.tagset import Tagset
from aune.tasks.tagging.grace.tagset import tagset as tagset_named
from aune.tasks.tagging.model import (
    NO_HEAD,
    CodedColumn,
    Document,
    alternatives,
    concatenate,
    first_filled_column,
    with_words,
)
from aune.tasks.tagging.notes import Fact
from aune.tasks.tagging.python_inputs import COLUMNS
from aune.tasks.tagging.units import build_units

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
"""A minimal unit, delimited by separators: blanks and all punctuation, including hyphens and apostrophes."""


class Cases(NamedTuple):
    """The words to be tagged, and how the response tags each."""

    unit: Ints
    weight: Column
    alternatives: Ints
    """The number of tags that the response gives; 0 if the word is not evaluated."""
    correct: Ints
    """The number of those that the key accepts."""
    word: Ints
    """The word, on the side of the cases; -1 for a key word without a response in a relative evaluation."""
    partner: Ints
    """The word on the other side, or -1."""
    expected: Mask
    """Whether a tag is expected: the key has one, and it has the feature that is compared."""

    @property
    def is_evaluated(self) -> Mask:
        return np.asarray(self.alternatives > 0)

    @property
    def is_unevaluated(self) -> Mask:
        """Expected words that are not evaluated."""
        return np.asarray(self.expected & ~self.is_evaluated)

    @property
    def strict(self) -> Mask:
        return np.asarray(self.alternatives == 1)

    @property
    def share(self) -> Column:
        """The share of correct alternatives: the probability that a random choice among them is right."""
        return self.correct / np.maximum(self.alternatives, 1)


class ResponseWords(NamedTuple):
    """The response for measures that count words, not cases: a compound that the key marks twice is its words."""

    side: Side
    paired: tuple[Ints, Ints]
    """The key and response words that correspond."""
    unit: Ints


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """The data from which all tagging measures are computed."""

    units: Mapping[str, Sequence[str]]
    key: Side
    response: Side
    paired: tuple[Ints, Ints]
    """The key and response words that correspond."""
    joined_words: JoinedWords
    key_unit: Ints
    response_unit: Ints
    words: ResponseWords
    key_readings: Readings
    key_tagged: Mask
    """(cells of the key,): whether the file gives a tag at all, even one that the key's table drops."""
    response_readings: Readings
    labels: Sequence[str]
    """The labels of the compared tags: the pivot's, or in a relative evaluation the entries of the response's table."""
    key_label: Ints
    response_label: Ints
    evaluation: str
    case_unit: str
    aspect: str
    tagset: Tagset | None
    projection: Projection
    """The projection from the response's tags to the pivot's."""
    column: str
    coverage: Coverage | None
    projected_tags: Sequence[Tags]
    """The response's cells in the key's tags, before the reduction to an aspect."""
    key_columns: frozenset[str]
    """The columns of the whole key, and `heads` if it has trees."""
    recorded_facts: Mapping[Fact, int] = field(default_factory=dict)
    signed: Mapping[str, Any] = field(default_factory=dict)
    """The column, if it was detected automatically."""

    @property
    def table(self) -> CorrespondenceTable | None:
        return self.projection.table

    @property
    def facts(self) -> Mapping[Fact, int]:  # type: ignore[override] # read-only here
        """Facts for warnings, as numbers that add up over chunks: see `notes.py`."""
        cases = self.cases
        case_facts: dict[Fact, int] = {
            ("cases",): int(cases.expected.sum()),
            ("lost",): int(cases.is_unevaluated.sum()),
        }
        return {**self.recorded_facts, **case_facts, **_head_facts(self.key)}

    @property
    def unit_count(self) -> int:
        return len(self.units["document"])

    def per_unit(self, unit: Ints, weights: Column | None = None) -> Column:
        """The sum of the weights in each unit."""
        return np.bincount(unit, weights, self.unit_count)

    def columns(self, name: str) -> tuple[Ints, Ints, Sequence[str]]:
        """A column of the words of both sides, with one shared list of names."""
        column = concatenate(
            [document.column(name) for side in (self.key, self.words.side) for document in side.documents]
        )
        return column.codes[: len(self.key)], column.codes[len(self.key) :], column.names

    def carries(self, name: str) -> bool:
        """Whether some document of the key has a column (even one full of `_`), or `heads`."""
        return name in self.key_columns

    @cached_property
    def key_partner(self) -> Ints:
        """(key words,): the response's corresponding word or unit, or -1."""
        partner = np.full(len(self.key), -1)
        partner[self.paired[0]] = self.paired[1]
        partner[self.joined_words.word] = self.joined_words.unit
        return partner

    @cached_property
    def absolute(self) -> Cases:
        """The key's words as cases, with the response projected into the pivot."""
        return self.make_cases(self.key_readings.tags, self.response_readings.tags)

    def make_cases(self, key: Sequence[Tags], response: Sequence[Tags]) -> Cases:
        """The key's words as cases, with these readings of the cells of each side."""
        cells, partner = self.key_readings.codes.copy(), self.key_partner
        cells[self.joined_words.word] = self.joined_words.cell
        has_partner = partner >= 0
        sizes, correct = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
        sizes[has_partner], correct[has_partner] = _judge_pairs(
            cells[has_partner], self.response_readings.codes[partner[has_partner]], key, response
        )
        expected = self._is_expected(key)[cells]
        return Cases(self.key_unit, self._weights(self.key), sizes, correct, np.arange(len(cells)), partner, expected)

    def _is_expected(self, key: Sequence[Tags]) -> Mask:
        """(cells of the key,): whether a tag is expected: there is one, and it has the feature that is compared."""
        has_tag, has_reading = _is_filled(self.key_readings.alternatives), _is_filled(key)
        return np.asarray(self.key_tagged & (has_reading | ~has_tag))

    @property
    def aspects(self) -> list[str]:
        """The aspects to which tags can be reduced: their category and their known features."""
        return aspects_of(self.tagset, self.column, self.key_readings.alternatives)

    def aspect_cases(self, aspect: str) -> Cases:
        """The key's words as cases, reduced to a category or a feature, whatever the `aspect` of the comparison."""
        at_key, at_response = reductions(aspect, self.tagset, self.column)
        return self.make_cases(
            [at_key(tags) for tags in self.key_readings.alternatives],
            [at_response(tags) for tags in self.projected_tags],
        )

    @cached_property
    def in_response_tags(self) -> tuple[Sequence[Tags], Sequence[Tags]]:
        """The cells of key and response in the response's own tags: entries of its table, through the inverse table."""
        return _compared_tags(self.key_readings, self.response_readings, self.projection)

    @property
    def compared_tags(self) -> tuple[Sequence[Tags], Sequence[Tags]]:
        """The cells of key and response in the tags that the evaluation compares."""
        return (
            self.in_response_tags
            if self.evaluation == "relative"
            else (self.key_readings.tags, self.response_readings.tags)
        )

    @cached_property
    def relative(self) -> Cases:
        """The response's words as cases, with the key projected into the response's tags and words.

        Key words without a response are cases too, so that omitting text brings no advantage.
        """
        accepted, response_tags = self.in_response_tags
        cells, partner = np.zeros(len(self.response), np.int64), np.full(len(self.response), -1)
        partner[self.paired[1]], cells[self.paired[1]] = self.paired[0], self.key_readings.codes[self.paired[0]]
        word, cell, unit, marked = self.joined_words  # the policy `parts` has no tag for a whole unit
        partner[unit[marked]], cells[unit[marked]] = word[marked], cell[marked]
        has_partner = partner >= 0
        sizes, correct = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
        sizes[has_partner], correct[has_partner] = _judge_pairs(
            cells[has_partner], self.response_readings.codes[has_partner], accepted, response_tags
        )
        tagged = self._is_expected(self.key_readings.tags)
        expected = ~has_partner | tagged[cells]
        uncovered = np.flatnonzero(~is_covered(self.key, self.response) & tagged[self.key_readings.codes])
        zeros = np.zeros(len(uncovered), np.int64)
        return Cases(
            np.concatenate([self.response_unit, self.key_unit[uncovered]]),
            np.concatenate([self._weights(self.response), self._weights(self.key)[uncovered]]),
            np.concatenate([sizes, zeros]),
            np.concatenate([correct, zeros]),
            np.concatenate([np.arange(len(cells)), zeros - 1]),
            np.concatenate([partner, uncovered]),
            np.concatenate([expected, np.ones(len(uncovered), bool)]),
        )

    @cached_property
    def cases(self) -> Cases:
        return self.relative if self.evaluation == "relative" else self.absolute

    def key_outcomes(self) -> tuple[Ints, Ints]:
        """(key words,): the numbers of alternatives and of correct ones, in the selected evaluation."""
        if self.evaluation != "relative":
            return self.absolute.alternatives, self.absolute.correct
        of_response = self.relative.word >= 0
        sizes, correct = (
            np.where(self.key_partner >= 0, np.append(column[of_response], 0)[self.key_partner], 0)
            for column in (self.relative.alternatives, self.relative.correct)
        )
        return sizes, correct

    def _weights(self, side: Side) -> Column:
        if self.case_unit == "words":
            return np.ones(len(side))
        segments = np.array([minimal_units(name) for name in side.words.names] or [1], float)
        return np.asarray(segments[side.words.codes])


def minimal_units(form: str) -> int:
    """The number of minimal units of a word; 1 for punctuation that stands alone.

    >>> minimal_units("là-bas"), minimal_units("aujourd'hui"), minimal_units("...")
    (2, 2, 1)
    """
    return max(1, len(MINIMAL.findall(form)))


def is_covered(key: Side, response: Side) -> Mask:
    """Whether each word of the key shares characters with the response."""
    real = response.ends > response.starts
    ends, starts = np.sort(response.ends[real]), np.sort(response.starts[real])
    before = np.searchsorted(ends, key.word_starts, "right")
    reached = np.searchsorted(starts, key.word_ends, "left")
    return np.asarray(reached > before)


def _is_filled(cells: Sequence[Tags]) -> Mask:
    return np.array([len(tags) > 0 for tags in cells] or [False])


def _judge_pairs(
    key_cells: Ints, response_cells: Ints, accepted: Sequence[Tags], response_tags: Sequence[Tags]
) -> tuple[Ints, Ints]:
    """The numbers of alternatives and of accepted ones for each pair of cells, computed once per distinct pair."""
    pairs, inverse = np.unique(key_cells * max(len(response_tags), 1) + response_cells, return_inverse=True)
    keys, responses = np.divmod(pairs, max(len(response_tags), 1))
    sizes, correct = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    sets = {key: frozenset(accepted[key]) for key in set(keys.tolist())}
    for index, (key, response) in enumerate(zip(keys.tolist(), responses.tolist(), strict=True)):
        if sets[key]:
            sizes[index] = len(response_tags[response])
            correct[index] = sum(tag in sets[key] for tag in response_tags[response])
    return sizes[inverse], correct[inverse]


def compare(
    pairs: Sequence[tuple[Document, Document]],
    asking: Survey = STANDALONE,
    *,
    column: Annotated[
        str, "the column that is compared: tag, upos, xpos, feats, lemma, or the first that is there (auto)"
    ] = "auto",
    table: Annotated[
        OptionFile | None,
        "correspondence table from the response's tags to the key's: a TSV or TOML file, or system=file,…",
    ] = None,
    key_table: Annotated[OptionFile | None, "correspondence table for the key's own tags"] = None,
    unlisted: Annotated[
        Literal["drop", "keep"], "tags without an entry in the table: left out of the alternatives, or kept as they are"
    ] = "drop",
    tagset: Annotated[OptionFile | None, "description of the key's tags: upos, grace, or a TOML file"] = None,
    aspect: Annotated[str, "what of a tag is compared: tag, category, or a feature such as gender"] = "tag",
    evaluation: Evaluation = "absolute",
    compounds: Compounds = "marking",
    cases: CaseUnit = "words",
    lexicon: Annotated[OptionFile | None, "a tagged corpus or a list of words: which words are known"] = None,
) -> Comparison:
    """Pair the words and read the tags of a chunk of documents at once."""
    if table and evaluation == "relative" and aspect != "tag":
        raise UsageError(f"--aspect {aspect}: expected --evaluation absolute, for only the key's tags are described")
    if unlisted != "drop" and not (table or key_table):
        raise UsageError(f"--unlisted {unlisted}: expected --table or --key-table, which list tags")
    described = tagset_named(tagset) if tagset else None
    key_projection, response_projection = (
        projection_of(table_in(path) if path else None, unlisted, described) for path in (key_table, table)
    )
    facts: Counter[Fact] = Counter()
    texts = _prepare_sides(pairs, column, compounds, asking, facts)
    key, response, key_column, response_column = texts.key, texts.response, texts.key_column, texts.response_column
    key_cells, marked = _key_cells(key, key_column)
    response_cells = concatenate([document.column(response_column) for document in response.documents])
    projections = key_projection, response_projection
    key_readings, response_readings, projected = _read_tags(
        texts, key_cells, response_cells, projections, reductions(aspect, described, key_column)
    )
    paired = _pair_words(key, response, texts.differing)
    joined_words = match_units(
        key, response, marked, key_cells.codes[len(key) :], paired, key_readings.codes, compounds
    )
    table_coverage = _record_table(facts, response_projection, count_tags(response_cells, response_column), table)
    _record_table(facts, key_projection, count_tags(key_cells, key_column), key_table)
    inverted = table if evaluation == "relative" else None
    _record_tags(facts, described, key_readings, response_readings, response_projection, inverted)
    compared = _compared_tags(
        key_readings, response_readings, response_projection if evaluation == "relative" else None
    )
    labels, key_label, response_label = labels_of(key_readings.codes, response_readings.codes, *compared)
    units, key_unit, response_unit = build_units(
        key, response, labels, key_label, response_label, described if evaluation == "absolute" else None,
        _lexicon_lookup(lexicon),
    )  # fmt: skip
    return Comparison(
        units, key, response, paired, joined_words, key_unit, response_unit,
        _response_words(texts, paired, response_unit), key_readings,
        key_tagged=_is_filled([alternatives(text, key_column) for text in key_cells.names]),
        response_readings=response_readings, labels=labels, key_label=key_label, response_label=response_label,
        evaluation=evaluation, case_unit=cases, aspect=aspect, tagset=described, projection=response_projection,
        column=key_column, coverage=table_coverage, projected_tags=projected,
        key_columns=_key_column_names(key.documents, asking), recorded_facts=facts,
        signed={"column": texts.filled_column} if texts.filled_column else {},
    )  # fmt: skip


class PreparedSides(NamedTuple):
    """Both sides of a chunk, with the compared columns, and with the compounds of the response joined."""

    key: Side
    response: Side
    differing: Sequence[Difference]
    key_column: str
    response_column: str
    filled_column: str | None
    """The column of the key that was detected, if none was named."""
    joining: Units | None
    """The result of joining the response's compounds; None if there are none to join."""


def _prepare_sides(
    pairs: Sequence[Any], column: str, compounds: str, asking: Survey, facts: Counter[Fact]
) -> PreparedSides:
    """The words of both sides and the columns to compare; records how many compounds were joined."""
    key, response, differing = sides(with_words(pairs))
    filled_column = _first_key_column(key.documents, asking) if column == "auto" else None
    key_column = _key_column(key.documents, (filled_column or "tag") if column == "auto" else column)
    response_column = _response_column(response.documents, key_column, asking)
    joining = None
    if compounds != "ignore" and any(document.compounds for document in response.documents):
        joining = with_units(key, response, response_column)
        facts["units",], facts["no units",] = joining.joined_count, joining.split_count
        key, response, differing = sides(joining.pairs)
    facts.update({("differs", difference.document): difference.characters for difference in differing})
    return PreparedSides(key, response, differing, key_column, response_column, filled_column, joining)


def _read_tags(
    texts: PreparedSides, key_cells: CodedColumn, response_cells: CodedColumn,
    projections: tuple[Projection, Projection], reduce: tuple[Callable[[Tags], Tags], Callable[[Tags], Tags]],
) -> tuple[Readings, Readings, list[Tags]]:  # fmt: skip
    """The readings of the cells of both sides, and the response's in the key's tags before reduction."""
    key_tags = [projections[0].read(text, texts.key_column)[1] for text in key_cells.names]
    readings = [projections[1].read(text, texts.response_column) for text in response_cells.names]
    projected = [tags for _, tags in readings]
    return (
        Readings(key_cells.codes[: len(texts.key)], key_tags, [reduce[0](tags) for tags in key_tags]),
        Readings(response_cells.codes, [written for written, _ in readings], [reduce[1](tags) for tags in projected]),
        projected,
    )


def _response_words(texts: PreparedSides, paired: tuple[Ints, Ints], response_unit: Ints) -> ResponseWords:
    """The response for measures that count words: its compounds are not joined."""
    if texts.joining is None:
        return ResponseWords(texts.response, paired, response_unit)
    same_key, word_side, differing = sides(texts.joining.words)
    return ResponseWords(word_side, _pair_words(same_key, word_side, differing), response_unit[texts.joining.unit])


def _record_tags(
    facts: Counter[Fact], described: Tagset | None, key: Readings, response: Readings, projection: Projection,
    inverted: Any,
) -> None:  # fmt: skip
    """Record the tags of both sides, and those that the tagset or the inverted table (if relative) lacks."""
    _record_tagset(facts, described, key, response, projection)
    if inverted:
        _record_inexpressible(facts, key, projection, inverted)
    facts.update({*_tags_used("key", key), *_tags_used("response", response)})


def _pair_words(key: Side, response: Side, differing: Sequence[Difference]) -> tuple[Ints, Ints]:
    paired = paired_words(key, response)
    return related_pairs(key, response, paired) if differing else paired


def _compared_tags(
    key: Readings, response: Readings, projection: Projection | None
) -> tuple[Sequence[Tags], Sequence[Tags]]:
    """The cells of both sides in the pivot's tags; with a table, as the entries of the table."""
    if projection is None or projection.table is None:
        return key.tags, response.tags
    return [projection.possible_entries(tags) for tags in key.alternatives], [
        projection.entries(tags) for tags in response.alternatives
    ]


def _head_facts(key: Side) -> dict[Fact, int]:
    """How many words have a head, and how many have none."""
    heads = sum(int((document.heads != NO_HEAD).sum()) for document in key.documents if document.heads is not None)
    return {("head",): heads, ("no head",): len(key) - heads}


def _key_column_names(documents: Sequence[Document], asking: Survey) -> frozenset[str]:
    trees = {"heads" for document in documents if document.heads is not None}
    return asking.ask("columns of the key", {name for document in documents for name in document.columns} | trees)


def _first_key_column(documents: Sequence[Document], asking: Survey) -> str | None:
    """The first column of tags that has a value in any document of the whole key."""
    filled = asking.ask(
        "columns that speak", {name for document in documents if (name := first_filled_column(document))}
    )
    return next((name for name in COLUMNS if name in filled), None)


def _key_column(documents: Sequence[Document], name: str) -> str:
    """The column of the key with the tags to compare; every document must have it."""
    for document in documents:
        if len(document) and name not in document.columns and first_filled_column(document):
            available = ", ".join(sorted(document.columns))
            raise UsageError(
                f"--column {name}: the key has only {available} in document {document.id!r}: name a column of all"
            )
    return name


def _response_column(documents: Sequence[Document], key_column: str, asking: Survey) -> str:
    """The column of the response: the one with the name of the key's column if it exists, else its only tag column."""
    candidates = {
        key_column if key_column in document.columns else first_filled_column(document) or key_column
        for document in documents
        if len(document)
    }
    columns = asking.ask("columns of the response", candidates)
    if len(columns) > 1:
        raise UsageError(
            f"the response has its tags in different columns ({', '.join(sorted(columns))}): make them one"
        )
    return next(iter(columns), key_column)


def _key_cells(key: Side, column: str) -> tuple[CodedColumn, list[tuple[int, int]]]:
    """The key's cells, first of words and then of compounds, and the words of each compound."""
    marked, texts = [], []
    for document, base in zip(key.documents, key.first.tolist(), strict=False):
        marked += [(base + compound.start, base + compound.end) for compound in document.compounds]
        texts += [compound.tags for compound in document.compounds]
    extra = CodedColumn(np.arange(len(texts)), texts)
    return concatenate([*(document.column(column) for document in key.documents), extra]), marked


def _lexicon_lookup(lexicon: str | None) -> Callable[[str], bool] | None:
    """A function that looks a word up in the lexicon, as it is or in lower case; None without a lexicon."""
    if not lexicon:
        return None
    from aune.tasks.tagging.lexicon import read_words  # noqa: PLC0415 - it reads files, like the formats above

    words = read_words(lexicon)
    return lambda word: word in words or word.lower() in words


def _record_table(
    facts: Counter[Fact], projection: Projection, tag_counts: Mapping[str, int], path: str | None
) -> Coverage | None:
    """The tags that a table lacks, and its entries that are used."""
    if projection.table is None or path is None:
        return None
    table_coverage = coverage(projection.table, tag_counts, projection.pivot, projection.described)
    facts.update(
        {("missing", path, projection.unlisted, tag): number for tag, number in table_coverage.missing.items()}
    )
    facts.update(("entry", path, entry) for entry in projection.table.entries)
    facts.update(("used", path, entry) for entry in projection.table.entries if entry not in table_coverage.unused)
    facts.update(("outside", path, tag) for tag in table_coverage.outside)
    return table_coverage


def _tags_used(side: str, readings: Readings) -> Iterator[Fact]:
    for cell in distinct(readings.codes).tolist():
        yield from (("tag", side, tag) for tag in readings.tags[cell])


def _record_tagset(
    facts: Counter[Fact], described: Tagset | None, key: Readings, response: Readings, projection: Projection
) -> None:
    """Record the tags of either side that the description lacks."""
    if described is None:
        return
    for side, cells in (("key", key.alternatives), ("response", () if projection.table else response.alternatives)):
        unknown = {tag for tags in cells for tag in tags if tag not in described}
        facts.update(("strange", side, described.name, tag) for tag in unknown)


def _record_inexpressible(facts: Counter[Fact], key: Readings, projection: Projection, path: str) -> None:
    """Record tags of the key that no entry of the table covers: the response cannot express them in its own tags."""
    counts = np.bincount(key.codes, minlength=len(key.alternatives)).tolist()
    for tags, number in zip(key.alternatives, counts, strict=True):
        if tags and number and not projection.possible_entries(tags):
            facts["inexpressible", path, "|".join(tags)] += number
