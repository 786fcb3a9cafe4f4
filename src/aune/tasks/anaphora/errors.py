"""The errors behind the scores of the anaphora task: those that `pairs` counts."""

from __future__ import annotations

from aune.cases import Case
from aune.tasks.anaphora.comparison import Comparison, Unit
from aune.tasks.anaphora.model import text_order


def errors(comparison: Comparison) -> list[Case]:
    """Incorrect antecedents, false alarms and misses, by the strict reading of `pairs`; the cost of each is one.

    The attribute `chain` says whether an incorrect antecedent is another mention of the right chain.
    """
    return [case for unit in comparison.rows for case in _errors(unit)]


def _errors(unit: Unit) -> list[Case]:
    expected = unit.expected.antecedents if unit.expected else ()
    if unit.is_anaphoric and not unit.antecedents:
        return [_case(unit, "miss", "")]
    kind = "incorrect" if unit.is_anaphoric else "false alarm"
    return [_case(unit, kind, antecedent) for antecedent in unit.antecedents if antecedent not in expected]


def _case(unit: Unit, kind: str, antecedent: str) -> Case:
    key = unit.key
    start, last, _ = text_order(unit.mention)
    expected = unit.expected.antecedents if unit.expected else ()
    same = "same" if unit.in_chain(antecedent) else "other"
    return Case(
        key.id,
        (start, last + 1) if start < 2**40 else (0, 0),
        kind,
        " | ".join(map(key.text, expected)),
        unit.response.texts.get(antecedent) or key.text(antecedent),
        context=key.text(unit.mention),
        attributes={"anaphor": unit.mention, "chain": same if antecedent else "", **unit.attributes},
    )
