"""The anaphors of the key, and the antecedents that systems and annotators give them.

A response that names one of the key's antecedents agrees with the key. There is no evidence from strings: the
antecedent of a pronoun differs from text to text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aune.corrections.document_diffs import Edit
from aune.doubtful_items.items import Adaptor, Item
from aune.doubtful_items.maxent import cross_fit
from aune.tasks.anaphora.model import Anaphor, Document, text_order

NONE = ""
REACH = 60  # characters around an anaphor


def items(documents: Sequence[Document], comparisons: Mapping[str, Sequence[Any]]) -> list[Item]:
    """An item for every anaphor of the key."""
    rows: dict[tuple[str, str], Item] = {}
    for system, parts in comparisons.items():
        for unit in (unit for part in parts for unit in part.rows if unit.key_anaphor):
            name = unit.key.id, unit.mention
            item = rows.get(name) or _item(unit.key, unit.key_anaphor)
            answer = unit.antecedents
            chosen = item.value if set(answer) & set(unit.key_anaphor.antecedents) else tuple(answer)
            rows[name] = replace(item, answers={**item.answers, system: chosen})
    return _with_likelihoods([rows[name] for name in sorted(rows)])


def _item(document: Document, anaphor: Anaphor) -> Item:
    start, end = _span(document, anaphor.mention)
    passage = document.passage
    return Item(
        document.id, (start, end), document.text(anaphor.mention), tuple(anaphor.antecedents), {},
        passage[max(start - REACH, 0) : start], passage[end : end + REACH], where=(document, anaphor),
    )  # fmt: skip


def _span(document: Document, mention: str) -> tuple[int, int]:
    if mention in document.offsets:
        start = document.offsets[mention]
        return start, start + len(document.text(mention))
    first, last, _ = text_order(mention)
    return (first, last + 1) if first < 2**40 else (0, 0)


def _with_likelihoods(without_model: list[Item]) -> list[Item]:
    """Add to each item how likely the key's antecedents are among the mentions of its text, according to a model."""
    choices = [(number, choice) for number, item in enumerate(without_model) for choice in [*_choices(item), NONE]]
    features = [_features(without_model[number], choice) for number, choice in choices]
    labels = ["yes" if _is_chosen(without_model[number], choice) else "no" for number, choice in choices]
    documents = {name: place for place, name in enumerate(dict.fromkeys(item.document for item in without_model))}
    judged = cross_fit(features, labels, [documents[without_model[number].document] for number, _ in choices])
    if judged.classes != ["no", "yes"]:
        return without_model
    shares: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for (number, choice), share in zip(choices, judged.matrix[:, 1].tolist(), strict=True):
        shares[number][choice] = share
    return [_add_judgement(item, shares[number]) for number, item in enumerate(without_model)]


def _add_judgement(item: Item, shares: Mapping[str, float]) -> Item:
    of_key = sum(share for choice, share in shares.items() if _is_chosen(item, choice))
    best = min(shares, key=lambda choice: (-shares[choice], choice))
    likely = item.value if _is_chosen(item, best) else (best,) if best else ()
    return replace(item, likelihood=of_key / sum(shares.values()), likely=likely)


def _is_chosen(item: Item, choice: str) -> bool:
    antecedents: Sequence[str] = item.value  # type: ignore[assignment]
    return choice in antecedents if choice else not antecedents


def _choices(item: Item) -> list[str]:
    """The possible antecedents: the candidates in the key, or all its mentions; and all antecedents in answers."""
    document, anaphor = item.where
    listed = [candidate.mention for candidate in anaphor.candidates]
    known = listed or [name for name in {**document.chains, **document.texts} if name != anaphor.mention]
    named = [name for answer in (item.value, *item.answers.values()) for name in answer]  # type: ignore[attr-defined]
    return sorted({*known, *named}, key=text_order)


def _features(item: Item, choice: str) -> list[str]:
    document, _ = item.where
    if not choice:
        return ["none", f"none {item.text.lower()}"]
    start, place = item.place[0], _span(document, choice)[0]
    text = document.text(choice)
    rank = sum(place < _span(document, other)[0] < start for other in _choices(item))
    distance = next(limit for limit in (10, 30, 60, 120, 240, 10**12) if abs(start - place) <= limit)
    side = "before" if place < start else "after"
    return [
        f"{side} rank={min(rank, 4)}", f"{side} distance={distance}", f"first={place == 0 or rank > 2}",
        f"times={min(document.passage.count(text), 4)}", f"words={min(len(text.split()), 3)}",
        f"{side} {item.text.lower()}",
    ]  # fmt: skip


def edit(item: Item, value: Hashable) -> Edit | None:
    return {"anaphor": item.where[1].mention, "antecedents": list(value)}  # type: ignore[call-overload]


def words(item: Item, value: Hashable) -> str:
    document, _ = item.where
    names: Sequence[str] = value  # type: ignore[assignment]
    return ", ".join(document.text(name) for name in names) or "no antecedent"


ADAPTOR = Adaptor(items, words, edit)
