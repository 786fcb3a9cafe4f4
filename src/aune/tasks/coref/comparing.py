"""From pairs of documents to a comparison, and what there is to say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

from aune.alignment.records import OtherText, Realign, Unplaced, facts_of, policy_of, told_of
from aune.core.rows import bucket
from aune.core.survey import ALONE, Survey
from aune.tasks.coref.classes import of_classes
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.mentions.kinds import told_of_kinds
from aune.tasks.coref.mentions.matches import Match, Zeros, knows_heads, matched_mentions, one_copy
from aune.tasks.coref.mentions.preparation import (
    REPEATED,
    Duplicates,
    Singletons,
    appearance,
    prepared,
    told_of_repeats,
)
from aune.tasks.coref.model import Document
from aune.tasks.coref.realignment import Place, realigned


def compare(
    pairs: Sequence[tuple[Document, Document]],
    survey: Survey = ALONE,
    *,
    match: Match = "exact",
    zeros: Zeros = "linear",
    singletons: Singletons = "keep",
    duplicates: Duplicates = "error",
    kinds: Annotated[
        Literal["format", "english", "french"],
        "where the kinds of mentions come from that a file does not say: nowhere, or a rule over their words",
    ] = "format",
    only: Annotated[
        tuple[str, ...],
        "keep mentions of these kinds (name,noun,pronoun), kinds by a rule (english=pronoun, french=name) or features "
        "(etype=person)",
    ] = (),
    relations: Annotated[
        str,
        "identity: chains as they are; collapse: chains linked by any relation are one; or a relation's name, whose "
        "links between chains are scored instead of the chains",
    ] = "identity",
    realign: Realign = "none",
    place: Place = "none",
    unplaced: Unplaced = "count",
    other_text: OtherText = "refuse",
) -> Comparison:
    """Key and response mentions matched, chunk by chunk."""
    pairs, records = realigned(pairs, realign, place, unplaced, other_text)
    typed = relations not in ("identity", "collapse")
    ready = prepared(
        pairs, singletons="keep" if typed else singletons, duplicates=duplicates, zeros=zeros, kinds=kinds,
        only=only, relations=relations, survey=survey,
    )  # fmt: skip
    copies = matched_mentions(ready.pairs, ready.key, ready.response, match, zeros)
    repeats = any(isinstance(fact, tuple) and fact[0] == REPEATED for fact in ready.facts)
    matched = (
        one_copy(copies, ready.key.column([appearance(one)[one.chains] for one, _ in ready.pairs]))
        if repeats
        else copies
    )
    facts = ready.facts + _differing_tokens(pairs) + _unknown_heads(ready.pairs, match)
    facts.update(facts_of(records, unplaced))
    found = Comparison(
        _units(pairs), ready.pairs, ready.key, ready.response, matched, copies, ready.given, facts, tuple(records),
        policy_of(bool(records), realign, place, unplaced, other_text),
    )  # fmt: skip
    return of_classes(found, relations, singletons) if typed else found


def _units(pairs: Sequence[tuple[Document, Document]]) -> dict[str, list[Any]]:
    """The documents, what is known of them, and the length of their texts as a range."""
    names = sorted(set(chain.from_iterable(key.attributes for key, _ in pairs)))
    return (
        {"document": [key.id for key, _ in pairs]}
        | {"length": [None if key.tokens is None else bucket(len(key.tokens)) for key, _ in pairs]}
        | {name: [key.attributes.get(name, "") for key, _ in pairs] for name in names}
    )


# What a user should know, as facts that add up over chunks, and in words.

TOKENS, LENGTHS, HEADS = "tokens", "lengths", "heads"


def _differing_tokens(pairs: Sequence[tuple[Document, Document]]) -> Counter[Hashable]:
    """Texts that are not the same: positions still match, but the user should know."""
    facts: Counter[Hashable] = Counter()
    for key, response in pairs:
        if key.tokens is None or response.tokens is None or key.tokens == response.tokens:
            continue
        if apart := sum(map(str.__ne__, key.tokens, response.tokens)):
            facts[TOKENS, "documents"] += 1
            facts[TOKENS, "tokens"] += apart
            facts.setdefault((TOKENS, "first", key.id), 1)
        if len(key.tokens) != len(response.tokens):
            facts[LENGTHS, "documents"] += 1
            facts.setdefault((LENGTHS, "first", key.id, len(key.tokens), len(response.tokens)), 1)
    return facts


def _unknown_heads(pairs: Sequence[tuple[Document, Document]], match: str) -> Counter[Hashable]:
    """How many documents say nothing of heads where heads are asked for."""
    facts: Counter[Hashable] = Counter()
    for which, side in enumerate(("key", "response")) if match == "head" else ():
        facts[HEADS, side] = sum(len(both[which]) > 0 and not knows_heads(both[which]) for both in pairs)
    return facts


def told(facts: Mapping[Hashable, int]) -> list[str]:
    """The facts of all comparisons of a system, in words."""
    notes = told_of_repeats(facts) + told_of_kinds(facts) + told_of(facts)
    if documents := facts.get((TOKENS, "documents"), 0):
        listed = _listed(documents, *_first(facts, TOKENS))
        notes.append(
            f"{facts[TOKENS, 'tokens']} tokens differ from the key's in {listed}: mentions are matched by position; "
            "--realign words lays them on the key's text"
        )
    if documents := facts.get((LENGTHS, "documents"), 0):
        name, length, other = _first(facts, LENGTHS)
        notes.append(
            f"the text has another length than the key's in {_listed(documents, name)} "
            f"({other} tokens instead of {length} in {name}): mentions are matched by position; "
            "--realign words lays them on the key's text"
        )
    for side in ("key", "response"):
        if count := facts.get((HEADS, side), 0):
            listed = f"{count} document{'s' * (count != 1)}"
            notes.append(f"the {side} names no heads in {listed}: --match head takes the first token of a mention")
    return notes


def _first(facts: Mapping[Hashable, int], about: str) -> Any:
    return next(fact[2:] for fact in facts if isinstance(fact, tuple) and fact[:2] == (about, "first"))


def _listed(documents: int, first: str) -> str:
    return first if documents == 1 else f"{documents} documents, first {first}"
