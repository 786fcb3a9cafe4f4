"""Anaphors with their antecedents, what the key says above what the response says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aune.core.views import Confusion, Counterpart, View
from aune.tasks.anaphora.comparison import Comparison, Unit
from aune.tasks.anaphora.errors import errors_of
from aune.tasks.anaphora.model import text_order

NONE = "no antecedent"


def view(comparison: Comparison) -> Iterator[View]:
    """A view per document: an anaphor and its antecedent per line."""
    units: dict[str, list[Unit]] = {}
    for unit in comparison.rows:
        units.setdefault(unit.key.id, []).append(unit)
    for document, mine in units.items():
        words: list[str] = []
        columns, places = [], []
        for unit in [one for one in mine if one.mention]:
            key, given = _texts(unit)
            text = unit.key.text(unit.mention)
            error = next((case.kind for case in errors_of(unit)), "")
            columns.append(Counterpart(len(words), len(words) + 1, [text]))
            columns.append(Counterpart(len(words) + 1, len(words) + 2, [given], (), error))
            words += [text, key]
            places += [min(text_order(unit.mention)[0], 2**31)] * 2
        yield View(document, words, list(range(0, len(words), 2)) or [0], columns=columns, places=places)


def _texts(unit: Unit) -> tuple[str, str]:
    """The antecedents of the key and of the response, in words."""
    expected = unit.expected.antecedents if unit.expected else ()
    key = " | ".join(map(unit.key.text, expected)) or NONE
    given = " | ".join(unit.response.texts.get(one) or unit.key.text(one) for one in unit.antecedents) or NONE
    return key, given


def confusion(comparison: Comparison) -> Confusion | None:
    """What happened to each pronoun."""
    if "pronoun" not in comparison.units:
        return None
    right = Counter(
        unit.attributes.get("pronoun", "") for unit in comparison.rows if unit.mention and not errors_of(unit)
    )
    return Confusion("pronoun", "kind", right)
