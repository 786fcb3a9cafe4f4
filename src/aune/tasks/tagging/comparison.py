"""Key and response word by word: which words are the same, what their tags mean, and the cases that measures count.

`compare` pairs the words of a chunk of documents and reads every distinct tag cell once. A *case* is one word to be
tagged, with the number of alternatives that the response gives it and how many of them are right; from these two numbers
follows everything GRACE counts. Units are sentences by tag (and by whether the word is known, given a lexicon), so any
measure can be had by document, sentence, tag or category.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.measure import Column
from aune.tasks.tagging.alignment import Difference, Side, paired_words, sides, starts_of
from aune.tasks.tagging.model import Coded, Document, Ints, Mask, alternatives, chosen_column, joined
from aune.tasks.tagging.table import Coverage, Table, coverage, table as table_in
from aune.tasks.tagging.tagset import Tagset, tagset as tagset_named

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
MINIMAL = re.compile(r"[^\W_]+|[^\w\s]|_")
SEVERAL, NONE = "several", "none"
LACKS = "∅"  # the value of a feature that a response tag does not have


class Readings(NamedTuple):
    """What the distinct cells of a tag column mean; a word's cell is its code."""

    codes: Ints
    given: Sequence[tuple[str, ...]]
    """The alternatives as the file has them, those without an entry in the table left out."""
    tags: Sequence[tuple[str, ...]]
    """The alternatives in the tags that are compared."""


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

    @property
    def evaluated(self) -> Mask:
        return self.alternatives > 0

    @property
    def strict(self) -> Mask:
        return self.alternatives == 1

    @property
    def share(self) -> Column:
        """The share of correct alternatives: how often a random choice among them is right."""
        return self.correct / np.maximum(self.alternatives, 1)


@dataclass(frozen=True)
class Comparison:
    """What all tagging measures read."""

    units: Mapping[str, Sequence[str]]
    key: Side
    response: Side
    paired: tuple[Ints, Ints]
    """The key and response words that are the same word."""
    compound_cells: tuple[Ints, Ints, Ints]
    """Key words inside a compound that the response took as a unit: the word, the compound's cell, the response word."""
    key_unit: Ints
    response_unit: Ints
    key_readings: Readings
    response_readings: Readings
    labels: Sequence[str]
    key_label: Ints
    response_label: Ints
    evaluation: str
    case_unit: str
    level: str
    tagset: Tagset | None
    table: Table | None
    pivot: frozenset[str]
    column: str
    differing: tuple[Difference, ...]
    warnings: tuple[str, ...]
    coverage: Coverage | None
    projected: Sequence[tuple[str, ...]]
    """The response's cells in the key's tags, before they are reduced to a level."""

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
        return self.at_level(self.key_readings.tags, self.response_readings.tags)

    def at_level(self, key: Sequence[tuple[str, ...]], response: Sequence[tuple[str, ...]]) -> Cases:
        """The key's words, with these readings of the cells of each side."""
        cells, partner = self.key_readings.codes.copy(), np.full(len(self.key), -1)
        partner[self.paired[0]] = self.paired[1]
        words, compound, unit = self.compound_cells
        cells[words], partner[words] = compound, unit
        there = partner >= 0
        found = _judged(cells[there], self.response_readings.codes[partner[there]], key, response)
        return self._cases(self.key, self.key_unit, partner, there, found)

    def reduced(self, level: str) -> Cases:
        """The key's words when only a category or a feature is compared, whatever `level` is."""
        at_key, at_response = _levels(level, self.tagset, self.column)
        return self.at_level(
            [at_key(tags) for tags in self.key_readings.given], [at_response(tags) for tags in self.projected]
        )

    @cached_property
    def relative(self) -> Cases:
        """The response's words, with the key projected into the response's tags and words."""
        accepted = [self._inverted(tags) for tags in self.key_readings.tags]
        cells, partner = np.zeros(len(self.response), np.int64), np.full(len(self.response), -1)
        partner[self.paired[1]], cells[self.paired[1]] = self.paired[0], self.key_readings.codes[self.paired[0]]
        words, compound, unit = self.compound_cells
        marked = compound != self.key_readings.codes[words]  # the policy `parts` has nothing for a whole unit
        partner[unit[marked]], cells[unit[marked]] = words[marked], compound[marked]
        there = partner >= 0
        found = _judged(cells[there], self.response_readings.codes[there], accepted, self.response_readings.given)
        return self._cases(self.response, self.response_unit, partner, there, found)

    @cached_property
    def cases(self) -> Cases:
        return self.relative if self.evaluation == "relative" else self.absolute

    @cached_property
    def inverse(self) -> dict[str, tuple[str, ...]]:
        """The inverse of the table, over the response's tags."""
        if self.table is None:
            return {}
        tags = {tag for given in self.response_readings.given for tag in given}
        return self.table.inverse(tags | set(self.table.participant_tags()), self.pivot)

    def _inverted(self, tags: tuple[str, ...]) -> tuple[str, ...]:
        if self.table is None:
            return tags
        return tuple(dict.fromkeys(back for tag in tags for back in self.inverse.get(tag, ())))

    def _cases(self, side: Side, unit: Ints, partner: Ints, there: Mask, found: tuple[Ints, Ints]) -> Cases:
        given, correct = np.zeros(len(side), np.int64), np.zeros(len(side), np.int64)
        given[there], correct[there] = found
        weight = np.ones(len(side))
        if self.case_unit == "minimal":
            segments = np.array([max(1, len(MINIMAL.findall(name))) for name in side.words.names] or [1], float)
            weight = segments[side.words.codes]
        return Cases(unit, weight, given, correct, np.arange(len(side)), partner)


def _judged(
    left: Ints, right: Ints, accepted: Sequence[tuple[str, ...]], given: Sequence[tuple[str, ...]]
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
    table: Annotated[str, "correspondence table from the response's tags to the key's: a TSV or TOML file"] = "",
    key_table: Annotated[str, "correspondence table for the key's own tags"] = "",
    unlisted: Annotated[
        Literal["drop", "keep"], "tags without an entry in the table: left out of the alternatives, or kept as they are"
    ] = "drop",
    tagset: Annotated[str, "description of the key's tags: upos, grace, or a TOML file"] = "",
    level: Annotated[str, "what of a tag is compared: tag, category, or a feature such as gender"] = "tag",
    evaluation: Evaluation = "absolute",
    compounds: Compounds = "marking",
    cases: CaseUnit = "words",
    lexicon: Annotated[str, "a tagged corpus or a list of words: which words are known"] = "",
) -> Comparison:
    """Words paired and tags read, for a chunk of documents at once."""
    described = tagset_named(tagset) if tagset else None
    key, response, differing = sides(pairs)
    key_column, response_column = (_column_of(side, column) for side in (key, response))
    key_cells, marked = _key_cells(key, key_column)
    response_cells = joined([one.column(response_column) for one in response.documents])
    as_is = _canonical(described)
    own = table_in(key_table) if key_table else None
    theirs = table_in(table) if table else None
    bare_key = [_read(text, key_column, own, unlisted, frozenset(), as_is)[1] for text in key_cells.names]
    pivot = frozenset(described.tags if described else (tag for tags in bare_key for tag in tags))
    read = [_read(text, response_column, theirs, unlisted, pivot, as_is) for text in response_cells.names]
    at_key, at_response = _levels(level, described, key_column)
    words = Coded(key_cells.codes[: len(key)], key_cells.names)
    key_readings = Readings(words.codes, bare_key, [at_key(tags) for tags in bare_key])
    response_readings = Readings(response_cells.codes, [given for given, _ in read], [at_response(t) for _, t in read])
    paired = paired_words(key, response)
    spanned = _compound_cells(key, response, marked, key_cells.codes[len(key) :], paired, words.codes, compounds)
    labels, key_label, response_label = _labels(key_readings, response_readings)
    units, key_unit, response_unit = _units(
        key, response, labels, key_label, response_label, described, _known(lexicon)
    )
    found = coverage(theirs, _occurrences(response_cells, response_column), pivot, described) if theirs else None
    notes = [
        *_different(differing),
        *_uncovered(found, table),
        *_outside(described, bare_key, response_readings, theirs),
    ]
    if any(one.compounds for one in response.documents):
        notes.append("the response marks compounds: only its words and their tags are scored")
    return Comparison(
        units, key, response, paired, spanned, key_unit, response_unit, key_readings, response_readings,
        labels, key_label, response_label, evaluation, cases, level, described, theirs, pivot, key_column,
        tuple(differing), tuple(notes), found, [tags for _, tags in read],
    )  # fmt: skip


def _column_of(side: Side, wanted: str) -> str:
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


def _read(
    text: str, column: str, table: Table | None, unlisted: str, pivot: frozenset[str], as_is: Callable[[str], str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:  # fmt: skip
    """The alternatives of a cell, as given and as projected."""
    given = alternatives(text, column)
    if table is None:
        tags = tuple(dict.fromkeys(map(as_is, given)))
        return tags, tags
    kept, projected = [], {}
    for tag in given:
        into = table.projected(tag, pivot)
        if into is None and unlisted == "keep":
            into = (tag,)
        if into is not None:
            kept.append(tag)
            projected |= dict.fromkeys(map(as_is, into))
    return tuple(kept), tuple(projected)


def _levels(level: str, described: Tagset | None, column: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """How tags are reduced to what is compared, in the key and in the response.

    A key tag without the feature asked for is not compared; a response tag without it is wrong.
    """
    if level == "tag":
        return tuple, tuple
    if column == "feats":
        value = _universal_feature(level)
    elif described is None:
        raise UsageError(f"--level {level}: expected a tagset that says what tags mean: name it with --tagset")
    elif level == "category":
        value = described.category
    elif level in described.features:
        value = lambda tag: described.feature(tag, level)  # noqa: E731
    else:
        names = ", ".join(["tag", "category", *described.features])
        raise UsageError(f"--level {level}: expected one of {names} for the tagset {described.name}")

    def at_key(tags: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found for found in map(value, tags) if found is not None))

    def at_response(tags: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(LACKS if found is None else found for found in map(value, tags)))

    return at_key, at_response


def levels_of(comparison: Comparison) -> list[str]:
    """What tags can be reduced to: their category and features, as far as they are known."""
    if comparison.tagset:
        return ["category", *comparison.tagset.features]
    if comparison.column == "feats":
        cells = comparison.key_readings.given
        return sorted({pair.partition("=")[0] for tags in cells for tag in tags for pair in tag.split("|")})
    return []


def _universal_feature(name: str) -> Callable[[str], str | None]:
    def value(features: str) -> str | None:
        pairs = (pair.partition("=") for pair in features.split("|"))
        return next((found for feature, _, found in pairs if feature == name), None)

    return value


def _compound_cells(
    key: Side, response: Side, marked: Sequence[tuple[int, int]], cells: Ints, paired: tuple[Ints, Ints], own: Ints, policy: str
) -> tuple[Ints, Ints, Ints]:  # fmt: skip
    """The key words that a response unit takes together: the word, the cell to compare with, the unit."""
    none = np.zeros(0, np.int64)
    if policy == "ignore":
        return none, none, none
    free = np.ones(len(response), bool)
    free[paired[1]] = False
    units = np.flatnonzero(free & ~response.multiword[response.token])
    unit_at = {
        span: unit
        for unit, *span_ in zip(
            units.tolist(), response.word_starts[units].tolist(), response.word_ends[units].tolist(), strict=True
        )
        if (span := tuple(span_))
    }
    words: list[int] = []
    compared: list[int] = []
    by: list[int] = []
    starts, ends = key.word_starts, key.word_ends
    for (first, after), cell in zip(marked, cells.tolist(), strict=True):
        unit = unit_at.pop((int(starts[first]), int(ends[after - 1])), None)
        if unit is not None:
            words += range(first, after)
            compared += [cell] * (after - first)
            by += [unit] * (after - first)
    if policy == "parts":
        taken = set(words)
        for (start, end), unit in unit_at.items():
            first, after = int(np.searchsorted(starts, start)), int(np.searchsorted(starts, end))
            inside = [word for word in range(first, after) if word not in taken]
            if end > start and inside and starts[inside[0]] == start and ends[inside[-1]] == end:
                words += inside
                compared += own[inside].tolist()
                by += [unit] * len(inside)
    return np.array(words, np.int64), np.array(compared, np.int64), np.array(by, np.int64)


def _labels(key: Readings, response: Readings) -> tuple[list[str], Ints, Ints]:
    """A label per word: its tag; for a key word with several accepted tags all of them, for a response `several`."""
    numbers: dict[str, int] = {}
    of_key = ["|".join(sorted(tags)) or NONE for tags in key.tags]
    of_response = [tags[0] if len(tags) == 1 else SEVERAL if tags else NONE for tags in response.tags]
    key_number, response_number = (
        np.array([numbers.setdefault(label, len(numbers)) for label in found] or [0], np.int64)
        for found in (of_key, of_response)
    )
    return list(numbers) or [NONE], key_number[key.codes], response_number[response.codes]


def _units(
    key: Side, response: Side, labels: list[str], key_label: Ints, response_label: Ints, described: Tagset | None,
    known: Callable[[str], bool] | None,
) -> tuple[dict[str, list[str]], Ints, Ints]:  # fmt: skip
    """Units, and the unit of every word: a sentence of the key by tag, and by whether the word is known."""
    sentence_counts = np.array([max(1, len(one.sentences)) for one in key.documents], np.int64)
    first_sentence = starts_of(np.cumsum(sentence_counts))
    beginnings = np.concatenate(
        [(one.sentences if len(one.sentences) else np.zeros(1, np.int64)) + base
         for one, base in zip(key.documents, key.first.tolist(), strict=False)]
    )  # fmt: skip
    key_sentence = np.searchsorted(beginnings, np.arange(len(key)), "right") - 1
    key_sentence = np.maximum(key_sentence, first_sentence[key.document])
    near = np.searchsorted(key.word_starts, response.word_starts, "right") - 1
    near = np.clip(near, key.first[response.document], np.maximum(key.first[response.document + 1] - 1, 0))
    has_key = np.diff(key.first)[response.document] > 0
    response_sentence = first_sentence[response.document]
    response_sentence[has_key] = key_sentence[near[has_key]]
    counted = np.zeros(len(key.documents), bool)
    counted[key.document], counted[response.document] = True, True
    empty = first_sentence[~counted]
    none = np.full(len(empty), max(len(labels) - 1, 0))
    kinds = np.array([known(name) for name in key.words.names] or [0], np.int64) if known else None
    sentence = np.concatenate([key_sentence, response_sentence, empty])
    label = np.concatenate([key_label, response_label, none])
    codes = (sentence * len(labels) + label) * 2
    if kinds is not None:
        codes[: len(key)] += kinds[key.words.codes]
        codes[len(key) : len(key) + len(response)] += kinds[response.words.codes]
    distinct, inverse = np.unique(codes, return_inverse=True)
    rest, is_known = np.divmod(distinct, 2)
    of_sentence, of_label = np.divmod(rest, len(labels))
    document = np.repeat(np.arange(len(key.documents)), sentence_counts)
    names = [
        f"{one.id}:{n + 1}"
        for one, count in zip(key.documents, sentence_counts.tolist(), strict=True)
        for n in range(count)
    ]
    units = _attributes(
        [one.id for one in key.documents], [one.attributes for one in key.documents], document[of_sentence]
    )
    units["sentence"] = _picked(names, of_sentence)
    units["tag"] = _picked(labels, of_label)
    if described:
        units["category"] = _picked([_category(described, label) for label in labels], of_label)
    if known:
        units["word"] = _picked(["unknown", "known"], is_known)
    return units, inverse[: len(key)], inverse[len(key) : len(key) + len(response)]


def _attributes(ids: list[str], attributes: Sequence[Mapping[str, str]], document: Ints) -> dict[str, list[str]]:
    names = sorted({name for one in attributes for name in one} - {"document", "sentence", "tag", "category", "word"})
    return {"document": _picked(ids, document)} | {
        name: _picked([one.get(name, "") for one in attributes], document) for name in names
    }


def _picked(names: Sequence[str], codes: Ints) -> list[str]:
    return list(map(names.__getitem__, codes.tolist()))


def _category(described: Tagset, label: str) -> str:
    if label in (SEVERAL, NONE):
        return label
    return "|".join(dict.fromkeys(described.category(tag) for tag in label.split("|")))


def _known(lexicon: str) -> Callable[[str], bool] | None:
    """Whether a word is in the lexicon, as it is or in lower case; None without a lexicon."""
    if not lexicon:
        return None
    from aune.tasks.tagging.lexicon import words_of  # noqa: PLC0415 - reads files, which the formats above know how to do

    words = words_of(lexicon)
    return lambda word: word in words or word.lower() in words


def _occurrences(cells: Coded, column: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for text, count in zip(cells.names, np.bincount(cells.codes, minlength=len(cells.names)).tolist(), strict=True):
        found.update(dict.fromkeys(alternatives(text, column), count))
    return dict(found)


def _different(differing: Sequence[Difference]) -> list[str]:
    if not differing:
        return []
    first = differing[0]
    others = f" and {len(differing) - 1} more documents" if len(differing) > 1 else ""
    return [
        f"the text differs from the key's in {first.document}{others} ({sum(one.characters for one in differing)} "
        "places): words were realigned there, those that could not be are not evaluated"
    ]


def _uncovered(found: Coverage | None, path: str) -> list[str]:
    """What a user should know about a table."""
    if found is None:
        return []
    notes = []
    if found.missing:
        notes.append(f"{path}: no entry for {_some(found.missing)}: left out of the alternatives")
    if found.unused:
        notes.append(f"{path}: {len(found.unused)} entries never used ({', '.join(found.unused[:3])}…)")
    if found.outside:
        notes.append(f"{path}: {len(found.outside)} tags outside the tagset ({', '.join(found.outside[:3])}…)")
    return notes


def _some(occurrences: Mapping[str, int]) -> str:
    first = sorted(occurrences, key=lambda tag: (-occurrences[tag], tag))[:3]
    return f"{len(occurrences)} tags ({', '.join(f'{tag} {occurrences[tag]}×' for tag in first)})"


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
            notes.append(
                f"{len(strange)} tags of the {side} are not in the tagset {described.name} ({', '.join(strange[:3])}…)"
            )
    return notes
