"""Compare measures with human judgements, graded or pairwise, from a file.

A table has a judgement in each row. Pairwise: `document`, `first`, `second` (two systems), `preferred` (one of them, or
empty for a tie), optionally `judge`, and `votes` if several people gave the same judgement; the order of the two
systems in a row has no meaning. Graded: `document`, `system`, `grade` (higher is better), optionally `judge`.

The agreement of the judges comes first: no measure can predict judgements on which people disagree, and they agree
only if they know the purpose of the output (the application, which is part of the result).

Source: the thesis of Ben Jannet 2015, §5.2.4 (Luzzati et al. 2014); Popescu-Belis 1999, §2.1; Bañeras-Roux et al. 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.errors import UsageError
from aune.meta.impact import ALL_DOCUMENTS, Score
from aune.reading.source import sources
from aune.statistics.comparison import round_value
from aune.syntax.tables import records


class Choice(NamedTuple):
    """How many people preferred each of two systems on a document."""

    document: str
    first: str
    second: str
    for_first: int
    for_second: int
    ties: int = 0

    @property
    def votes(self) -> int:
        return self.for_first + self.for_second + self.ties

    @property
    def share(self) -> float:
        """The share of votes for the more popular system."""
        return max(self.for_first, self.for_second) / self.votes


class Grade(NamedTuple):
    """The grade of one judge for a system on a document."""

    document: str
    system: str
    grade: float
    judge: str = ""


class Agreement(NamedTuple):
    """How far judges agree: number of items, share of agreeing pairs of judgements, and agreement beyond chance."""

    kind: str
    items: int
    judgements: int
    observed: float | None
    coefficient: float | None
    """Fleiss' κ for choices, Krippendorff's α (interval) for grades."""


class Preference(NamedTuple):
    """How often a measure agrees with the majority, on items where at least a given share of people agree."""

    measure: str
    least: float
    items: int
    """The number of pairs with a majority and with scores of the measure; even votes do not count."""
    right: float | None
    """The share of right answers, if a tie of the measure counts as wrong."""
    half: float | None
    """The share of right answers, if a tie of the measure counts as half right."""
    unscored: int = 0
    """The number of pairs with a majority that lack scores of the measure."""


TABLE_COLUMNS = ({"document", "first", "second", "preferred"}, {"document", "system", "grade"})
"""The columns of a table of choices, and those of a table of grades."""


def read_judgements(path: str) -> tuple[list[Choice], list[Grade]]:
    """Read the judgements in a table, CSV or TSV; they are of one of the two kinds."""
    choices: dict[tuple[str, str, str], list[int]] = {}
    grades: list[Grade] = []
    for source in sources(path):
        names, rows = records(source)
        if not any(kind <= {*names} for kind in TABLE_COLUMNS):
            expected = "document, first, second and preferred, or document, system and grade"
            source.add_problem("field.missing", 1, 1, found=f"the columns {', '.join(names)}", expected=expected,
                               remedies=["rename them"])  # fmt: skip
            source.raise_problems()
        for line, row in rows:
            try:
                if "grade" in names:
                    grades.append(_grade(row))
                    continue
                pair, place, votes = _vote(row)
                choices.setdefault((row["document"], *pair), [0, 0, 0])[place] += votes
            except (ValueError, KeyError, TypeError) as error:
                expected = "two systems, one of them (or nothing) as preferred, and numbers as votes and grade"
                source.add_problem("judgement.malformed", line, 1, found=f"{error}", expected=expected,
                                   remedies=["correct it"])  # fmt: skip
        source.raise_problems()
    return [Choice(*names, *votes) for names, votes in choices.items()], grades


def _grade(row: Mapping[str, str]) -> Grade:
    grade = float(row["grade"])
    if not np.isfinite(grade):
        raise ValueError(repr(row["grade"]))
    return Grade(row["document"], row["system"], grade, row.get("judge") or "")


def _vote(row: Mapping[str, str]) -> tuple[tuple[str, str], int, int]:
    """The two systems sorted by name; 0, 1 or 2 for the first, the second or no preference; the number of votes."""
    first, second = sorted((row["first"], row["second"]))
    votes = int(row.get("votes") or 1)
    if first == second or votes < 0:
        raise ValueError(f"{first} against {second}" if first == second else f"{votes} votes")
    return (first, second), {first: 0, second: 1, "": 2}[row["preferred"] or ""], votes


def agreement_of_choices(choices: Sequence[Choice]) -> Agreement:
    """The observed agreement of pairs of judges, and Fleiss' κ (the first system, the second, or none).

    >>> agreement_of_choices([Choice("1", "A", "B", 3, 0), Choice("2", "A", "B", 0, 3)]).coefficient
    1.0
    """
    table = np.array([choice[3:6] for choice in choices if choice.votes > 1], float).reshape(-1, 3)
    votes = table.sum(axis=1)
    if not len(table):
        return Agreement("choices", len(choices), sum(choice.votes for choice in choices), None, None)
    observed = float(np.mean((table * (table - 1)).sum(axis=1) / (votes * (votes - 1))))
    chance = float(((table.sum(axis=0) / votes.sum()) ** 2).sum())
    kappa = (observed - chance) / (1 - chance) if chance < 1 else None
    return Agreement(
        "choices", len(table), int(votes.sum()), round_value(observed), None if kappa is None else round_value(kappa)
    )


def agreement_of_grades(grades: Sequence[Grade]) -> Agreement:
    """Krippendorff's α of grades with the interval distance.

    >>> grades = [Grade("1", "A", 1, "x"), Grade("1", "A", 1, "y"), Grade("1", "B", 3, "x"), Grade("1", "B", 3, "y")]
    >>> agreement_of_grades(grades).coefficient
    1.0
    """
    items: dict[tuple[str, str], list[float]] = {}
    for grade in grades:
        items.setdefault((grade.document, grade.system), []).append(grade.grade)
    several = [np.array(values) for values in items.values() if len(values) > 1]
    if not several:
        return Agreement("grades", len(items), len(grades), None, None)
    pooled = np.concatenate(several)
    within = sum(_variance(values) for values in several)
    among = _variance(pooled)
    same = [float(np.mean([a == b for i, a in enumerate(v) for b in v[i + 1 :]])) for v in several]
    alpha = None if among == 0 else round_value(1 - within / among)
    return Agreement("grades", len(several), len(pooled), round_value(float(np.mean(same))), alpha)


def _variance(values: NDArray[np.float64]) -> float:
    """The sum of squared differences of all pairs of values, over their number less one."""
    return 2 * len(values) * float(((values - values.mean()) ** 2).sum()) / (len(values) - 1)


def preferences(
    scores: Sequence[Score], choices: Sequence[Choice], shares: Sequence[float] = (1.0, 0.7, 0.0)
) -> list[Preference]:
    """How often each measure prefers what most people prefer, on the items on which enough of them agree.

    >>> above = [Score("A", "wer", 0.1, "1", better="lower"), Score("B", "wer", 0.2, "1", better="lower")]
    >>> preferences(above, [Choice("1", "A", "B", 5, 1)], [0.0])[0].right
    1.0
    """
    table: dict[str, dict[tuple[str, str], float]] = {}
    for entry in scores:
        if entry.document != ALL_DOCUMENTS and not entry.downstream:
            table.setdefault(entry.measure, {})[entry.document, entry.system] = entry.goodness
    if not table:
        raise UsageError("no scores by document: judgements are compared with scores of single documents")
    results = [_preference(name, known, choices, least) for name, known in table.items() for least in shares]
    if not any(entry.items for entry in results) and any(entry.unscored for entry in results):
        judged, scored = choices[0], next(iter(next(iter(table.values()))))
        raise UsageError(
            f"no judged pair has scores: judged are {judged.first} and {judged.second} on {judged.document}, say, and "
            f"scored is {scored[1]} on {scored[0]}: call documents and systems the same in both tables"
        )
    return results


def _preference(
    measure: str, known: Mapping[tuple[str, str], float], choices: Sequence[Choice], least: float
) -> Preference:
    decided = [choice for choice in choices if choice.for_first != choice.for_second and choice.share >= least]
    pairs = [
        (
            np.sign(known[item.document, item.first] - known[item.document, item.second]),
            item.for_first > item.for_second,
        )
        for item in decided
        if (item.document, item.first) in known and (item.document, item.second) in known
    ]
    unscored = len(decided) - len(pairs)
    if not pairs:
        return Preference(measure, least, 0, None, None, unscored)
    right = [float(sign == (1 if first else -1)) for sign, first in pairs]
    half = [good + 0.5 * (sign == 0) for good, (sign, _) in zip(right, pairs, strict=True)]
    return Preference(
        measure, least, len(pairs), round_value(float(np.mean(right))), round_value(float(np.mean(half))), unscored
    )


def graded_scores(grades: Sequence[Grade]) -> list[Score]:
    """Mean grades as scores of a downstream system called people, for `impact`."""
    items: dict[tuple[str, str], list[float]] = {}
    for grade in grades:
        items.setdefault((grade.document, grade.system), []).append(grade.grade)
    return [Score(system, "grade", float(np.mean(values)), text, "people") for (text, system), values in items.items()]
