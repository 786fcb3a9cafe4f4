"""Do measures judge as people do? Graded or pairwise judgements of people, from a file, beside scores.

A table has a judgement on each row. Pairwise: `document`, `first`, `second` (two systems), `preferred` (one of them, or
nothing for a tie), perhaps `judge`, and `votes` where several people said the same; which of the two systems a row
names first does not matter. Graded: `document`, `system`, `grade` (higher is better), perhaps `judge`.

The agreement of the judges comes first: what people do not agree on no measure can be asked to foretell, and they agree
only when they know what the output is for (the application, which is part of the result).

Source: the thesis of Ben Jannet 2015, §5.2.4 (Luzzati et al. 2014); Popescu-Belis 1999, §2.1; Bañeras-Roux et al. 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.core.corpus import sources
from aune.core.errors import UsageError
from aune.meta.impact import WHOLE, Score
from aune.statistics.comparison import rounded
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
        """The share of the votes that the more popular system has."""
        return max(self.for_first, self.for_second) / self.votes


class Grade(NamedTuple):
    """What one judge gave a system on a document."""

    document: str
    system: str
    grade: float
    judge: str = ""


class Agreement(NamedTuple):
    """How far judges agree: on how many items, what share of their pairs of judgements agree, and beyond chance."""

    kind: str
    items: int
    judgements: int
    observed: float | None
    coefficient: float | None
    """Fleiss' κ of choices, Krippendorff's α (interval) of grades."""


class Preference(NamedTuple):
    """How often a measure prefers what most people prefer, where at least a share of them agree."""

    measure: str
    least: float
    items: int
    """Pairs that most people decide alike and that the measure has scores of; none where people are even."""
    right: float | None
    """A tie of the measure is a wrong answer."""
    half: float | None
    """A tie of the measure is half a right answer."""
    unscored: int = 0
    """Such pairs that the measure has no scores of."""


KINDS = ({"document", "first", "second", "preferred"}, {"document", "system", "grade"})
"""The columns of a table of choices, and those of one of grades."""


def read_judgements(path: str) -> tuple[list[Choice], list[Grade]]:
    """The judgements in a table, CSV or TSV; of one of the two kinds."""
    choices: dict[tuple[str, str, str], list[int]] = {}
    grades: list[Grade] = []
    for source in sources(path):
        names, rows = records(source)
        if not any(kind <= {*names} for kind in KINDS):
            expected = "expected document, first, second and preferred, or document, system and grade: rename them"
            source.problem(1, 1, f"found the columns {', '.join(names)}, {expected}")
            source.finish()
        for line, row in rows:
            try:
                if "grade" in names:
                    grades.append(_grade(row))
                    continue
                pair, place, votes = _vote(row)
                choices.setdefault((row["document"], *pair), [0, 0, 0])[place] += votes
            except (ValueError, KeyError, TypeError) as error:
                expected = "two systems, one of them (or nothing) as preferred, and numbers as votes and grade: mend it"
                source.problem(line, 1, f"found {error}, expected {expected}")
        source.finish()
    return [Choice(*names, *votes) for names, votes in choices.items()], grades


def _grade(row: Mapping[str, str]) -> Grade:
    grade = float(row["grade"])
    if not np.isfinite(grade):
        raise ValueError(repr(row["grade"]))
    return Grade(row["document"], row["system"], grade, row.get("judge") or "")


def _vote(row: Mapping[str, str]) -> tuple[tuple[str, str], int, int]:
    """The two systems in the order of their names, whether the first or the second is preferred or none, how often."""
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
        "choices", len(table), int(votes.sum()), rounded(observed), None if kappa is None else rounded(kappa)
    )


def agreement_of_grades(grades: Sequence[Grade]) -> Agreement:
    """Krippendorff's α of grades with the interval distance.

    >>> grades = [Grade("1", "A", 1, "x"), Grade("1", "A", 1, "y"), Grade("1", "B", 3, "x"), Grade("1", "B", 3, "y")]
    >>> agreement_of_grades(grades).coefficient
    1.0
    """
    items: dict[tuple[str, str], list[float]] = {}
    for one in grades:
        items.setdefault((one.document, one.system), []).append(one.grade)
    several = [np.array(values) for values in items.values() if len(values) > 1]
    if not several:
        return Agreement("grades", len(items), len(grades), None, None)
    pooled = np.concatenate(several)
    within = sum(_spread(values) for values in several)
    among = _spread(pooled)
    same = [float(np.mean([a == b for i, a in enumerate(v) for b in v[i + 1 :]])) for v in several]
    alpha = None if among == 0 else rounded(1 - within / among)
    return Agreement("grades", len(several), len(pooled), rounded(float(np.mean(same))), alpha)


def _spread(values: NDArray[np.float64]) -> float:
    """The squared differences of all pairs of values, over their number less one."""
    return 2 * len(values) * float(((values - values.mean()) ** 2).sum()) / (len(values) - 1)


def preferences(
    scores: Sequence[Score], choices: Sequence[Choice], shares: Sequence[float] = (1.0, 0.7, 0.0)
) -> list[Preference]:
    """For each measure, how often it prefers what most people prefer, on the items that enough of them agree on.

    >>> above = [Score("A", "wer", 0.1, "1", better="lower"), Score("B", "wer", 0.2, "1", better="lower")]
    >>> preferences(above, [Choice("1", "A", "B", 5, 1)], [0.0])[0].right
    1.0
    """
    table: dict[str, dict[tuple[str, str], float]] = {}
    for one in scores:
        if one.document != WHOLE and not one.downstream:
            table.setdefault(one.measure, {})[one.document, one.system] = one.turned
    if not table:
        raise UsageError("no scores by document: judgements are compared with scores of single documents")
    found = [_preference(name, known, choices, least) for name, known in table.items() for least in shares]
    if not any(one.items for one in found) and any(one.unscored for one in found):
        judged, scored = choices[0], next(iter(next(iter(table.values()))))
        raise UsageError(
            f"no judged pair has scores: judged are {judged.first} and {judged.second} on {judged.document}, say, and "
            f"scored is {scored[1]} on {scored[0]}: call documents and systems the same in both tables"
        )
    return found


def _preference(
    measure: str, known: Mapping[tuple[str, str], float], choices: Sequence[Choice], least: float
) -> Preference:
    decided = [choice for choice in choices if choice.for_first != choice.for_second and choice.share >= least]
    pairs = [
        (np.sign(known[one.document, one.first] - known[one.document, one.second]), one.for_first > one.for_second)
        for one in decided
        if (one.document, one.first) in known and (one.document, one.second) in known
    ]
    unscored = len(decided) - len(pairs)
    if not pairs:
        return Preference(measure, least, 0, None, None, unscored)
    right = [float(sign == (1 if first else -1)) for sign, first in pairs]
    half = [good + 0.5 * (sign == 0) for good, (sign, _) in zip(right, pairs, strict=True)]
    return Preference(
        measure, least, len(pairs), rounded(float(np.mean(right))), rounded(float(np.mean(half))), unscored
    )


def graded_scores(grades: Sequence[Grade]) -> list[Score]:
    """Mean grades as scores of a downstream system called people, for `impact`."""
    items: dict[tuple[str, str], list[float]] = {}
    for one in grades:
        items.setdefault((one.document, one.system), []).append(one.grade)
    return [Score(system, "grade", float(np.mean(values)), text, "people") for (text, system), values in items.items()]
