"""Agreement of annotators beyond chance: Cohen's κ, Fleiss's κ, Krippendorff's α.

The judgements of annotators are a table per document, units × annotators, None where an annotator made none. A value is
a label, a number, or a set (the chain of a mention). Counts add up over documents, so the coefficients are measures
like any other: their intervals come from resampling documents.

    κ, α = 1 − observed disagreement / expected disagreement

- Cohen: two annotators; expected from the labels of each. Units that either left out do not count.
- Fleiss: any number; expected from the labels of all. Units with fewer than two values do not count.
- Krippendorff: any number, missing values, and a distance between values: `nominal` (0 or 1), `ordinal` (by the ranks
  between), `interval` (the squared difference), and for sets `masi` or `jaccard`. Chains of different documents are not
  compared: expected disagreement is counted within documents, and added up.

Edge cases: undefined if no disagreement is possible (one label only, or no unit with two values): observed
agreement is then 1, and so is that expected by chance. `observed` and `expected` are disagreements, so 0 is perfect.

Sources: Cohen 1960; Fleiss 1971; Krippendorff 2004; Passonneau 2004 and 2006 (chains as sets, MASI).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import accumulate, combinations, groupby, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from aune import __version__
from aune.contract.measure import AT_MOST_ONE, NON_NEGATIVE, Column, Measure, ratio
from aune.contract.options import check_known
from aune.contract.signature import signature
from aune.contract.task import Judgements
from aune.errors import NothingToScoreError, UsageError
from aune.numeric.arrays import owner_indices
from aune.results.result import Result, SystemScore
from aune.results.rows import make_rows
from aune.statistics.gwet import gwet_measure

MOST_CELLS = 30_000_000  # counts: some hundreds of MB

Distance: TypeAlias = Literal["nominal", "ordinal", "interval", "masi", "jaccard"]
UNDEFINED_REASON = "everybody always said the same thing, or nothing was said twice: there is nothing to disagree on"


class Kappa(NamedTuple):
    """Disagreement observed and expected, and agreement beyond chance."""

    observed: Column
    expected: Column
    kappa: Column


class Alpha(NamedTuple):
    """Disagreement observed and expected, and agreement beyond chance."""

    observed: Column
    expected: Column
    alpha: Column


def _beyond_chance(observed: Column, expected: Column) -> Column:
    """1 − observed / expected; undefined where no disagreement is expected, independently of rounding."""
    expected = np.where(np.asarray(expected) < 1e-12, 0.0, expected)
    return 1 - ratio(observed, expected)


class CohenCounts(NamedTuple):
    """Units that both annotators judged, by document."""

    agreed: Column
    units: Column
    first: Column
    """(documents, labels): how often the first annotator gave each label."""
    second: Column


def count_cohen(corpus: Sequence[Judgements], labels: Sequence[Hashable]) -> CohenCounts:
    place = {label: index for index, label in enumerate(labels)}
    shape = (len(corpus), len(labels))
    agreed, first, second = np.zeros(len(corpus)), np.zeros(shape), np.zeros(shape)
    for number, rows in enumerate(corpus):
        for first_label, second_label in rows:
            if first_label is not None and second_label is not None:
                agreed[number] += first_label == second_label
                first[number, place[first_label]] += 1
                second[number, place[second_label]] += 1
    return CohenCounts(agreed, first.sum(axis=-1), first, second)


def score_cohen(counts: CohenCounts) -> Kappa:
    agreed, units, first, second = counts
    observed = 1 - ratio(agreed, units)
    expected = 1 - ratio((first * second).sum(axis=-1), units**2)
    return Kappa(observed, expected, _beyond_chance(observed, expected))


class FleissCounts(NamedTuple):
    """Units with at least two values, by document."""

    agreement: Column
    """The share of agreeing pairs of annotators, summed over units."""
    units: Column
    labels: Column
    """(documents, labels): how often each label was given."""


def count_fleiss(corpus: Sequence[Judgements], labels: Sequence[Hashable]) -> FleissCounts:
    tallies = [_tally_rows(rows, labels) for rows in corpus]
    agreement = [math.fsum((tally.agreed / (tally.values * (tally.values - 1))).tolist()) for tally in tallies]
    units, label_counts = [len(tally.values) for tally in tallies], [tally.label_counts for tally in tallies]
    return FleissCounts(np.array(agreement), np.array(units), np.array(label_counts))


def score_fleiss(counts: FleissCounts) -> Kappa:
    agreement, units, labels = counts
    observed = 1 - ratio(agreement, units)
    expected = 1 - ratio((labels**2).sum(axis=-1), labels.sum(axis=-1) ** 2)
    return Kappa(observed, expected, _beyond_chance(observed, expected))


class _Tally(NamedTuple):
    """The values of the units that have at least two."""

    values: Column
    """How many values each unit has."""
    agreed: Column
    """How many pairs of them are equal, in either order."""
    label_counts: Column
    """How often each label was given."""


def _tally_rows(rows: Judgements, labels: Sequence[Hashable]) -> _Tally:
    times = [Counter(row) for row in _comparable_rows(rows)]
    agreed = [sum(number * (number - 1) for number in counts.values()) for counts in times]
    total: Counter[Hashable] = Counter()
    for counts in times:
        total.update(counts)
    label_counts = np.array([total[label] for label in labels], float)
    return _Tally(np.array([counts.total() for counts in times], float), np.array(agreed, float), label_counts)


def _comparable_rows(rows: Judgements) -> list[list[Any]]:
    """The values of each unit that has at least two."""
    filled_rows = ([value for value in row if value is not None] for row in rows)
    return [row for row in filled_rows if len(row) > 1]


def _table(rows: Judgements, labels: Sequence[Hashable]) -> Column:
    """How often each unit with at least two values got each label: (units, labels)."""
    place = {label: index for index, label in enumerate(labels)}
    judged = _comparable_rows(rows)
    table = np.zeros((len(judged), len(labels)))
    for number, row in enumerate(judged):
        for value in row:
            table[number, place[value]] += 1
    return table


class NominalCounts(NamedTuple):
    """Values of units that have at least two, by document."""

    disagreed: Column
    """The share of the other values that differ from a value, summed over values."""
    labels: Column


def count_nominal(corpus: Sequence[Judgements], labels: Sequence[Hashable]) -> NominalCounts:
    tallies = [_tally_rows(rows, labels) for rows in corpus]
    disagreed = [
        math.fsum(((tally.values * (tally.values - 1) - tally.agreed) / (tally.values - 1)).tolist())
        for tally in tallies
    ]
    return NominalCounts(np.array(disagreed), np.array([tally.label_counts for tally in tallies]))


def score_nominal(counts: NominalCounts) -> Alpha:
    disagreed, labels = counts
    values = labels.sum(axis=-1)
    observed = ratio(disagreed, values)
    expected = ratio(values**2 - (labels**2).sum(axis=-1), values * (values - 1))
    return Alpha(observed, expected, _beyond_chance(observed, expected))


class CoincidenceCounts(NamedTuple):
    """(documents, values, values): how often two values occurred in the same unit, by document."""

    coincidences: Column


def count_coincidences(corpus: Sequence[Judgements], labels: Sequence[Hashable]) -> CoincidenceCounts:
    coincidences = np.zeros((len(corpus), len(labels), len(labels)))
    for number, rows in enumerate(corpus):
        table = _table(rows, labels)
        share = 1 / (table.sum(axis=1) - 1)
        met = (table * share[:, None]).T @ table
        met[np.diag_indices(len(labels))] -= share @ table
        coincidences[number] = met
    return CoincidenceCounts(coincidences)


def score_scale(counts: CoincidenceCounts, positions: Column | None) -> Alpha:
    """α with squared distances between positions; on an ordinal scale the position of a value is its middle rank."""
    met = counts.coincidences
    margins = met.sum(axis=-1)
    at = np.cumsum(margins, axis=-1) - margins / 2 if positions is None else np.broadcast_to(positions, margins.shape)
    values = margins.sum(axis=-1)
    distance = (at[..., :, None] - at[..., None, :]) ** 2
    observed = ratio((met * distance).sum(axis=(-1, -2)), values)
    chance = (margins[..., :, None] * margins[..., None, :] * distance).sum(axis=(-1, -2))
    expected = ratio(chance, values * (values - 1))
    return Alpha(observed, expected, _beyond_chance(observed, expected))


class SetCounts(NamedTuple):
    """Distances between sets, by document."""

    observed: Column
    expected: Column
    values: Column


def count_sets(corpus: Sequence[Judgements], distance: str, documents: Sequence[str] | None = None) -> SetCounts:
    """The distances in each unit; `documents` names the document of each unit, if units are parts of documents.

    Values are compared with all values of the document, so the coefficient does not depend on how documents are cut.
    """
    names = range(len(corpus)) if documents is None else documents
    tables = zip(names, corpus, strict=True)
    parts = ([rows for _, rows in group] for _, group in groupby(tables, key=lambda table: table[0]))
    counts = [row for tables_of_document in parts for row in _set_counts(tables_of_document, distance)]
    return SetCounts(*(np.array(column, float) for column in zip(*counts, strict=True)))


def _set_counts(parts: Sequence[Judgements], distance: str) -> list[tuple[float, float, float]]:
    """The observed and expected distances and the number of values, in each part of one document."""
    from scipy import sparse  # noqa: PLC0415 - slow to import, and only needed for sets

    by_part = [_comparable_rows(rows) for rows in parts]
    judged = [row for rows in by_part for row in rows]
    values = float(sum(map(len, judged)))
    if values < 2:
        return [(0.0, 0.0, float(sum(map(len, rows)))) for rows in by_part]
    objects = {id(value): value for row in judged for value in row}  # units share sets: each is inspected once
    place = {judgement: number for number, judgement in enumerate(sorted({*objects.values()}, key=_sort_key))}
    places = {name: place[value] for name, value in objects.items()}
    units = [number for number, row in enumerate(judged) for _ in row]
    columns = [places[id(value)] for row in judged for value in row]
    table: Any = sparse.csr_array((np.ones(len(columns)), (units, columns)), (len(judged), len(place)))
    similarity = _similarity(list(place), distance)
    unit_sizes, margins = table.sum(axis=1), table.sum(axis=0)
    pairs = unit_sizes**2 - (table @ similarity * table).sum(axis=1)  # distance is one minus similarity
    observed = (pairs / (unit_sizes - 1)).tolist()
    alike = similarity @ margins
    counts = []
    for start, end in pairwise(accumulate(map(len, by_part), initial=0)):
        chosen = table[start:end]
        expected = float(chosen.sum() * values - chosen.sum(axis=0) @ alike) / (values - 1)
        counts.append((math.fsum(observed[start:end]), expected, float(chosen.sum())))
    return counts


def _sort_key(judgement: Hashable) -> list[str]:
    """The sort key of a judgement, independent of the order of the annotators."""
    return sorted(map(repr, judgement)) if isinstance(judgement, frozenset | tuple) else [repr(judgement)]


def distances(sets: Sequence[Any], distance: str = "masi") -> Column:
    """The distance of each pair of sets: 1 − Jaccard, or MASI, which also depends on whether one contains the other.

    MASI is Jaccard times 1 for equal sets, 2/3 if one contains the other, 1/3 if each has a member that the other
    lacks, and 0 if nothing is common.

    >>> distances([frozenset("ab"), frozenset("abc")]).round(3).tolist()
    [[0.0, 0.556], [0.556, 0.0]]
    """
    return np.asarray(1 - _similarity(sets, distance).toarray())


def _similarity(sets: Sequence[Any], distance: str) -> Any:
    """One minus the distance, as a sparse matrix: only sets with a common member are similar."""
    from scipy import sparse  # noqa: PLC0415 - slow to import, and only needed for sets

    members = {member: place for place, member in enumerate(dict.fromkeys(m for label_set in sets for m in label_set))}
    sizes = np.array([len(label_set) for label_set in sets])
    owner = owner_indices(sizes)
    member_places = [members[member] for label_set in sets for member in label_set]
    membership = sparse.csr_array((np.ones(len(member_places)), (owner, member_places)), (len(sets), len(members)))
    common = (membership @ membership.T).tocoo()
    first, second, shared = sizes[common.row], sizes[common.col], common.data
    similarity = shared / (first + second - shared)
    if distance == "masi":
        similarity *= np.array([1 / 3, 2 / 3, 1.0])[(shared == first).astype(int) + (shared == second)]
    empty = np.flatnonzero(sizes == 0)  # two empty sets are equal
    rows, columns = np.repeat(empty, len(empty)), np.tile(empty, len(empty))
    cells = np.append(common.row, rows), np.append(common.col, columns)
    return sparse.csr_array((np.append(similarity, np.ones(len(rows))), cells), (len(sets), len(sets)))


def score_sets(counts: SetCounts) -> Alpha:
    observed, expected = ratio(counts.observed, counts.values), ratio(counts.expected, counts.values)
    return Alpha(observed, expected, _beyond_chance(observed, expected))


def _measure(count: Callable[..., Any], score: Callable[..., Any], name: str, value: str) -> Measure:
    perfect = {"observed": 0.0, "expected": 0.0, value: 1.0}
    mixed: Mapping[str, Any] = {"observed": "lower", "expected": "lower"}
    return Measure(
        count,
        score,
        better_by_value=mixed,
        perfect=perfect,
        range={"observed": NON_NEGATIVE, "expected": NON_NEGATIVE, value: AT_MOST_ONE},
        main=value,
        undefined={value: UNDEFINED_REASON},
        percent=False,
        label=name,
    )


def measure_for(
    coefficient: str, distance: str = "nominal", labels: Sequence[Any] = (), *, judged: str = "",
    documents: Sequence[str] | None = None,
) -> Measure:  # fmt: skip
    """The coefficient as a measure. Its `count` takes units of judgements and the labels.

    Of sets, `judged` says which judgements they are, and `documents` names the document of each unit.
    """
    if coefficient == "gwet":
        positions = [as_number(label) for label in labels] if distance == "interval" else None
        return gwet_measure(distance, positions, len(labels))
    if coefficient == "cohen":
        return _measure(count_cohen, score_cohen, "cohen", "kappa")
    if coefficient == "fleiss":
        return _measure(count_fleiss, score_fleiss, "fleiss", "kappa")
    if distance == "nominal":
        return _measure(count_nominal, score_nominal, "krippendorff", "alpha")
    if distance in ("masi", "jaccard"):

        def count(corpus: Sequence[Judgements], labels: Sequence[Hashable]) -> SetCounts:
            return count_sets(corpus, distance, documents)

        return _measure(count, score_sets, f"krippendorff({judged or distance})", "alpha")
    places = None if distance == "ordinal" else np.array([as_number(label) for label in labels])

    def score(counts: CoincidenceCounts) -> Alpha:
        return score_scale(counts, places)

    return _measure(count_coincidences, score, f"krippendorff({distance})", "alpha")


def as_number(label: Any) -> float:
    """The label as a number, for the distances that need one."""
    try:
        return float(label)
    except (TypeError, ValueError):
        raise UsageError(f"value {label!r}: expected a number for this distance: use nominal") from None


def agreement(
    corpus: Mapping[str, Judgements],
    annotators: Sequence[str],
    *,
    distance: Distance | None = None,
    gwet: bool = False,
    task: str = "agreement",
    attributes: Mapping[str, Sequence[str]] | None = None,
    judged: str = "",
) -> Result:
    """Agreement of every pair of annotators, and of all of them under the name `overall`.

    `corpus` maps document names to tables of judgements, units × annotators. The distance is masi for sets and
    nominal for other values by default; `gwet` adds Gwet's AC1 (nominal) or AC2. With `attributes`, an entry is a
    part of a document, and the attributes name the document. `judged` names the coefficient of sets.

    >>> table = [("N", "N", "N"), ("N", "V", "N"), ("V", "V", None), ("V", "V", "V")]
    >>> result = agreement({"text": table}, ["Ann", "Ben", "Cid"])
    >>> result["Ann–Ben", "cohen"].kappa, round(result["overall", "krippendorff"].alpha, 3)
    (0.5, 0.667)
    """
    if len(annotators) < 2:
        raise UsageError("expected at least two annotators")
    values = [value for rows in corpus.values() for row in rows for value in row if value is not None]
    if not values:
        raise NothingToScoreError("nothing was annotated: there is no agreement to measure")
    sets = isinstance(values[0], frozenset)
    if sets and gwet:
        raise UsageError("gwet compares labels, and chains are sets: leave the option out")
    chosen = distance or ("masi" if sets else "nominal")
    check_known([chosen], ("masi", "jaccard") if sets else ("nominal", "ordinal", "interval"), "distance")
    labels = [] if sets else sorted(set(values), key=as_number if chosen in ("ordinal", "interval") else str)
    _check_size(corpus, len(labels), chosen)
    annotator_places = range(len(annotators))
    groups: dict[str, Sequence[int]] = {
        f"{annotators[a]}–{annotators[b]}": (a, b) for a, b in combinations(annotator_places, 2)
    }
    if len(annotators) > 2:
        groups["overall"] = annotator_places
    attributes = attributes or {"document": list(corpus)}
    scores = []
    for name, columns in groups.items():
        for coefficient in [*_coefficients(chosen, name == "overall"), *(["gwet"] if gwet else [])]:
            measure = measure_for(coefficient, chosen, labels, judged=judged, documents=attributes["document"])
            scores.append(_score_group(name, measure, corpus, columns, chosen, labels, task, attributes))
    return Result(task, scores)


def _check_size(corpus: Mapping[str, Judgements], labels: int, distance: str) -> None:
    """Refuse tables of documents and labels, or of pairs of values, that are too large for memory."""
    pairs = distance in ("ordinal", "interval")
    cells = labels * max(
        len(corpus) * (labels if pairs else 1), *(len(rows) if pairs else 0 for rows in corpus.values())
    )
    if cells > MOST_CELLS:
        what = f"found {labels:,} different values in {len(corpus):,} documents, which make {cells:,} counts"
        raise UsageError(f"{what}, expected at most {MOST_CELLS:,}: use coarser values, or fewer documents")


def _coefficients(distance: str, overall: bool) -> list[str]:
    if distance != "nominal":
        return ["krippendorff"]
    return ["fleiss" if overall else "cohen", "krippendorff"]


def _score_group(
    name: str, measure: Measure, corpus: Mapping[str, Judgements], columns: Sequence[int], distance: str,
    labels: Sequence[Any], task: str, attributes: Mapping[str, Sequence[str]],
) -> SystemScore:  # fmt: skip
    tables = [[[row[column] for column in columns] for row in rows] for rows in corpus.values()]
    rows = make_rows(attributes, [measure.count(tables, labels)])
    sign = signature(f"{task}.{measure.name}", {"distance": distance, "annotators": len(columns)}, __version__)
    return SystemScore(name, measure, sign, rows)
