"""Show anaphors with their antecedents: in their passage if it is known, otherwise key and response line by line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aune.contract.views import Confusion, Counterpart, Span, View
from aune.numeric.grouping import group_items
from aune.tasks.anaphora.comparison import Comparison, Unit
from aune.tasks.anaphora.errors import errors_of
from aune.tasks.anaphora.model import text_order

NONE = "no antecedent"


def view(comparison: Comparison) -> Iterator[View]:
    """A view per document: its passage, or one anaphor with its antecedents per line."""
    units = group_items((unit.key.id, unit) for unit in comparison.rows)
    for document, rows in units.items():
        if rows[0].key.offsets:
            yield _passage(document, [row for row in rows if row.mention])
            continue
        words: list[str] = []
        columns, places = [], []
        for unit in [row for row in rows if row.mention]:
            key, response = _texts(unit)
            text = unit.key.text(unit.mention)
            error = next((case.kind for case in errors_of(unit)), "")
            columns.append(Counterpart(len(words), len(words) + 1, [text]))
            columns.append(Counterpart(len(words) + 1, len(words) + 2, [response], (), error))
            words += [text, key]
            places += [min(text_order(unit.mention)[0], 2**31)] * 2
        yield View(document, words, list(range(0, len(words), 2)) or [0], columns=columns, places=places)


def _passage(document: str, units: Sequence[Unit]) -> View:
    """The words of a passage, with the mentions in the chains of key and response."""
    key = units[0].key if units else None
    if key is None:
        return View(document, [])
    words = list(re.finditer(r"\S+", key.passage))
    starts = [word.start() for word in words]
    key_chains = _chains(
        key.offsets, {unit.mention: unit.key_anaphor.antecedents if unit.key_anaphor else () for unit in units}
    )
    response_chains = _chains(key.offsets, {unit.mention: unit.antecedents for unit in units})
    wrong = {unit.mention: next((case.kind for case in errors_of(unit)), "") for unit in units}
    sides: tuple[list[Span], list[Span]] = ([], [])
    for mention, start in key.offsets.items():
        first = max(0, bisect_right(starts, start) - 1)
        last = max(first, bisect_right(starts, start + max(0, len(key.text(mention)) - 1)) - 1)
        for side, groups in zip(sides, (key_chains, response_chains), strict=True):
            span = Span(first, last + 1, groups[mention], "", key_chains[mention], wrong.get(mention, ""))
            side.append(span)
    return View(document, [word[0] for word in words], places=starts, key=sides[0], response=sides[1])


def _chains(mentions: Iterable[str], antecedents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The number of each mention's chain: an anaphor has the chain of its antecedents."""
    numbers: dict[str, int] = {}
    for anaphor, named in antecedents.items():
        numbers |= dict.fromkeys([anaphor, *named], len(numbers))
    for mention in mentions:
        numbers.setdefault(mention, len(numbers))
    order = {number: place for place, number in enumerate(dict.fromkeys(numbers.values()))}
    return {mention: order[number] for mention, number in numbers.items()}


def _texts(unit: Unit) -> tuple[str, str]:
    """The antecedents in the key and in the response, as words."""
    expected = unit.key_anaphor.antecedents if unit.key_anaphor else ()
    key = " | ".join(map(unit.key.text, expected)) or NONE
    response = (
        " | ".join(unit.response.texts.get(antecedent) or unit.key.text(antecedent) for antecedent in unit.antecedents)
        or NONE
    )
    return key, response


def confusion(comparison: Comparison) -> Confusion | None:
    """The results for each pronoun."""
    if "pronoun" not in comparison.units:
        return None
    right = Counter(
        unit.attributes.get("pronoun", "") for unit in comparison.rows if unit.mention and not errors_of(unit)
    )
    return Confusion("pronoun", "kind", right)
