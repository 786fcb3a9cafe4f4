"""The errors behind the scores of the anaphora task, as `pairs` counts them."""

from __future__ import annotations

from aune.contract.error_record import ErrorRecord
from aune.tasks.anaphora.comparison import Comparison, Unit
from aune.tasks.anaphora.model import text_order

KINDS = ("incorrect", "false alarm", "miss")


def errors(comparison: Comparison) -> list[ErrorRecord]:
    """Incorrect antecedents, false alarms and misses, by the strict reading of `pairs`; each has a cost of one.

    The attribute `chain` states whether an incorrect antecedent is another mention of the correct chain, and `reached`
    whether the response's class of the anaphor contains a name or noun of that chain, or only pronouns.
    """
    named = comparison.reach.named.tolist()
    return [case for unit, led in zip(comparison.rows, named, strict=True) for case in errors_of(unit, bool(led))]


def errors_of(unit: Unit, named: bool = False) -> list[ErrorRecord]:
    """The errors of one anaphor; `named` means that the response's class of it contains a name or noun of its chain."""
    expected = unit.key_anaphor.antecedents if unit.key_anaphor else ()
    if unit.is_anaphoric and not unit.antecedents:
        return [_case(unit, "miss", "", named)]
    kind = "incorrect" if unit.is_anaphoric else "false alarm"
    return [_case(unit, kind, antecedent, named) for antecedent in unit.antecedents if antecedent not in expected]


def _case(unit: Unit, kind: str, antecedent: str, named: bool) -> ErrorRecord:
    key = unit.key
    expected = unit.key_anaphor.antecedents if unit.key_anaphor else ()
    right = unit.is_in_chain(antecedent)
    reached = (
        ("right chain" if named else "right chain, by pronouns only") if right else "wrong chain" * bool(antecedent)
    )
    chain = ("same" if right else "other") if antecedent else ""
    return ErrorRecord(
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
    """The position of the anaphor: characters of the passage, or tokens; (0, 0) if its name contains neither."""
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
