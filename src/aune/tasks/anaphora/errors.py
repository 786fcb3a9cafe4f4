"""The errors behind the scores of the anaphora task: those that `pairs` counts."""

from __future__ import annotations

from aune.core.cases import Case
from aune.tasks.anaphora.comparison import Comparison, Unit
from aune.tasks.anaphora.model import text_order

KINDS = ("incorrect", "false alarm", "miss")


def errors(comparison: Comparison) -> list[Case]:
    """Incorrect antecedents, false alarms and misses, by the strict reading of `pairs`; the cost of each is one.

    The attribute `chain` says whether an incorrect antecedent is another mention of the right chain, `reached` whether
    the response's links lead from the anaphor to a name or noun of that chain, or to pronouns only.
    """
    named = comparison.reached.followed.tolist()
    return [case for unit, led in zip(comparison.rows, named, strict=True) for case in errors_of(unit, bool(led))]


def errors_of(unit: Unit, named: bool = False) -> list[Case]:
    """The errors of one anaphor, from which the response's links lead to a name or noun of its chain or do not."""
    expected = unit.expected.antecedents if unit.expected else ()
    if unit.is_anaphoric and not unit.antecedents:
        return [_case(unit, "miss", "", named)]
    kind = "incorrect" if unit.is_anaphoric else "false alarm"
    return [_case(unit, kind, antecedent, named) for antecedent in unit.antecedents if antecedent not in expected]


def _case(unit: Unit, kind: str, antecedent: str, named: bool) -> Case:
    key = unit.key
    expected = unit.expected.antecedents if unit.expected else ()
    right = unit.in_chain(antecedent)
    reached = (
        ("right chain" if named else "right chain, by pronouns only") if right else "wrong chain" * bool(antecedent)
    )
    chain = ("same" if right else "other") if antecedent else ""
    return Case(
        key.id,
        _place(unit),
        kind,
        " | ".join(map(key.text, expected)),
        unit.response.texts.get(antecedent) or key.text(antecedent),
        context=_context(unit),
        attributes={
            "anaphor": unit.mention,
            "chain": chain,
            "reached": reached if antecedent else "",
            **unit.attributes,
        },
    )


def _place(unit: Unit) -> tuple[int, int]:
    """Where the anaphor is: its characters in the passage, or its tokens; nowhere when its name says neither."""
    if unit.mention in unit.key.offsets:
        start = unit.key.offsets[unit.mention]
        return start, start + len(unit.key.text(unit.mention))
    start, last, _ = text_order(unit.mention)
    return (start, last + 1) if start < 2**40 else (0, 0)


def _context(unit: Unit) -> str:
    """The passage with the anaphor in brackets, or the anaphor alone."""
    if unit.mention not in unit.key.offsets:
        return unit.key.text(unit.mention)
    start, end = _place(unit)
    passage = unit.key.passage
    return f"{passage[:start]}[{passage[start:end]}]{passage[end:]}"
