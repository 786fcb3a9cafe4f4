"""Make a comparison from pairs of documents, and word the notes for users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np

from aune.alignment.offset_slips import count_slips, is_inside_word, slip_note
from aune.alignment.placement_records import (
    COVERAGE,
    PLACING,
    OtherText,
    PlacementRecord,
    Realign,
    Unplaced,
    placement_facts,
    placement_notes,
    placement_signature,
)
from aune.contract.survey import STANDALONE, Survey
from aune.numeric.arrays import Ints
from aune.results.rows import length_bucket
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.mentions.kinds import UNKNOWN_KINDS, unknown_kind_notes
from aune.tasks.coref.mentions.matches import Match, Zeros, choose_copies, matched_mentions
from aune.tasks.coref.mentions.preparation import (
    REPEATED,
    Duplicates,
    Singletons,
    appearance_order,
    prepare_pairs,
    repeat_notes,
)
from aune.tasks.coref.model import Document
from aune.tasks.coref.realignment import Place, realign_pairs
from aune.tasks.coref.super_classes import compare_super_classes


def compare(
    pairs: Sequence[tuple[Document, Document]],
    survey: Survey = STANDALONE,
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
    """Match the key and response mentions of a chunk of documents."""
    records: list[PlacementRecord] = []
    if realign != "none" or any(response.listed is not None for _, response in pairs):
        pairs, records = realign_pairs(pairs, realign, place, unplaced, other_text)
    typed = relations not in ("identity", "collapse")
    ready = prepare_pairs(
        pairs, singletons="keep" if typed else singletons, duplicates=duplicates, zeros=zeros, kinds=kinds,
        only=only, relations=relations, survey=survey,
    )  # fmt: skip
    copies = matched_mentions(ready.pairs, ready.key, ready.response, match, zeros)
    repeats = any(isinstance(fact, tuple) and fact[0] == REPEATED for fact in ready.facts)
    matched = (
        choose_copies(copies, ready.key.column([appearance_order(key)[key.chains] for key, _ in ready.pairs]))
        if repeats
        else copies
    )
    facts = ready.facts + _differing_tokens(pairs) + _early_ends(pairs) + _missing_recognition(ready.pairs, match)
    facts += _slips(pairs) + _cut_words(pairs)
    if records:
        facts.update(placement_facts(records, unplaced))
    comparison = Comparison(
        _units(pairs),
        ready.pairs,
        ready.key,
        ready.response,
        matched,
        copies,
        ready.unfiltered_pairs,
        facts,
        tuple(records),
        placement_signature(realign, place, unplaced, other_text) if records else {},
    )
    return compare_super_classes(comparison, relations, singletons) if typed else comparison


def _units(pairs: Sequence[tuple[Document, Document]]) -> dict[str, list[Any]]:
    """The documents, their attributes, and the lengths of their texts as ranges."""
    names = sorted(set(chain.from_iterable(key.attributes for key, _ in pairs)))
    return (
        {"document": [key.id for key, _ in pairs]}
        | {"length": [None if key.tokens is None else length_bucket(len(key.tokens)) for key, _ in pairs]}
        | {name: [key.attributes.get(name, "") for key, _ in pairs] for name in names}
    )


# Notes for users: facts that are counted, summed over chunks and then worded.

TOKENS, LENGTHS, HEADS, MINIMA, ENDS, SLIP, CUT = "tokens", "lengths", "heads", "minima", "ends", "slip", "cut words"
FEWEST_TO_END = 8
"""A response that ends early is only reported if the key has at least this many mentions."""


def _differing_tokens(pairs: Sequence[tuple[Document, Document]]) -> Counter[Hashable]:
    """Count differences between the texts: positions still match, but the user should know."""
    facts: Counter[Hashable] = Counter()
    for key, response in pairs:
        if key.tokens is None or response.tokens is None or key.tokens == response.tokens:
            continue
        if differing := sum(map(str.__ne__, key.tokens, response.tokens)):
            facts[TOKENS, "documents"] += 1
            facts[TOKENS, "tokens"] += differing
            facts.setdefault((TOKENS, "first", key.id), 1)
        if len(key.tokens) != len(response.tokens):
            facts[LENGTHS, "documents"] += 1
            facts.setdefault((LENGTHS, "first", key.id, len(key.tokens), len(response.tokens)), 1)
    return facts


def _early_ends(pairs: Sequence[tuple[Document, Document]]) -> Counter[Hashable]:
    """Count documents in which more than half of the key's mentions start after the last one of the response."""
    facts: Counter[Hashable] = Counter()
    for key, response in pairs:
        if len(key) < FEWEST_TO_END or not len(response):
            continue
        starts = np.sort(key.spans[:, 0])
        after = int((starts > response.spans[:, 0].max()).sum())
        if after > len(key) / 2:
            facts[ENDS, "documents"] += 1
            facts.setdefault((ENDS, "first", key.id, after, len(key)), 1)
    return facts


def _slips(pairs: Sequence[tuple[Document, Document]]) -> Counter[Hashable]:
    """Count the response mentions at the position of a key mention, both as they are and shifted."""
    facts: Counter[Hashable] = Counter()
    for key, response in pairs:
        if len(key) and len(response):
            facts.update({(SLIP, name): number for name, number in count_slips(key.spans, response.spans).items()})
    return facts


def _cut_words(pairs: Sequence[tuple[Document, Document]]) -> Counter[Hashable]:
    """Count the mentions of each side that begin or end inside a word or at a blank, if positions are characters."""
    facts: Counter[Hashable] = Counter()
    for pair in pairs:
        for side, document in zip(("key", "response"), pair, strict=True):
            if document.unit == "character" and document.tokens and document.positions is not None:
                facts[CUT, side, "mentions"] += len(document)
                facts[CUT, side] += count_cutting_mentions(document.spans, document.positions, document.tokens)
    return facts


def count_cutting_mentions(spans: Ints, positions: Ints, tokens: Sequence[str]) -> int:
    """The number of character spans that begin or end inside a word, begin with a blank or end with one."""
    numbers = np.maximum(np.searchsorted(positions, spans, "right") - 1, 0)
    numbers[:, 1] = np.maximum(np.searchsorted(positions, spans[:, 1], "left") - 1, 0)
    places = (spans - positions[numbers]).tolist()
    return sum(
        start >= len(tokens[first])
        or end > len(tokens[last])
        or is_inside_word(tokens[first], start)
        or is_inside_word(tokens[last], end)
        for (start, end), (first, last) in zip(places, numbers.tolist(), strict=True)
    )


def _missing_recognition(pairs: Sequence[tuple[Document, Document]], match: str) -> Counter[Hashable]:
    """Count documents without the heads, or the minimal spans in the key, by which mentions are recognised."""
    facts: Counter[Hashable] = Counter()
    for which, side in {"head": ((0, "key"), (1, "response")), "partial": ((0, "key"),)}.get(match, ()):
        facts[HEADS, side, match] = sum(len(pair[which]) > 0 and pair[which].heads is None for pair in pairs)
        facts[MINIMA, side, match] = sum(
            len(pair[which]) > 0 and pair[which].heads is None and pair[which].minima is not None for pair in pairs
        )
    if match == "minimum":
        facts[MINIMA, "key", match] = sum(len(key) > 0 and key.minima is None for key, _ in pairs)
    return facts


DESCRIPTIONS = (
    ({REPEATED}, repeat_notes),
    ({UNKNOWN_KINDS}, unknown_kind_notes),
    ({PLACING, COVERAGE}, placement_notes),
)
"""The kinds of facts that other modules count, with the functions that word them."""


def fact_notes(facts: Mapping[Hashable, int]) -> list[str]:
    """The notes for the facts of all comparisons of a system."""
    kinds = {fact[0] for fact in facts if isinstance(fact, tuple)}
    notes = [text for described, describe in DESCRIPTIONS if described & kinds for text in describe(facts)]
    if documents := facts.get((TOKENS, "documents"), 0):
        listed = _document_list(documents, *_first_example(facts, TOKENS))
        notes.append(
            f"{facts[TOKENS, 'tokens']} tokens differ from the key's in {listed}: mentions are matched by position; "
            "--realign words locates them in the key's text"
        )
    if documents := facts.get((LENGTHS, "documents"), 0):
        name, key_length, response_length = _first_example(facts, LENGTHS)
        notes.append(
            f"the text has another length than the key's in {_document_list(documents, name)} "
            f"({response_length} tokens instead of {key_length} in {name}): mentions are matched by position; "
            "--realign words locates them in the key's text"
        )
    if documents := facts.get((ENDS, "documents"), 0):
        name, after, total = _first_example(facts, ENDS)
        notes.append(
            f"no mention of the response stands in the last part of {_document_list(documents, name)} "
            f"({after} of the key's {total} mentions come after it in {name}): is it complete?"
        )
    slips = {fact[1]: number for fact, number in facts.items() if isinstance(fact, tuple) and fact[0] == SLIP}
    if note := slip_note(slips, "mentions"):
        notes.append(note)
    return notes + _cut_word_notes(facts) + _recognition_notes(facts)


def _cut_word_notes(facts: Mapping[Hashable, int]) -> list[str]:
    """Notes about sides on which most mentions begin or end at impossible positions."""
    counts = {side: (facts.get((CUT, side), 0), facts.get((CUT, side, "mentions"), 0)) for side in ("key", "response")}
    return [
        f"{cut:,} of the {mentions:,} mentions of the {side} begin or end inside a word or with a blank: are its "
        "offsets off by one, or its ends of the other kind (--ends inclusive, --ends exclusive)?"
        for side, (cut, mentions) in counts.items()
        if cut > mentions / 2
    ]


FALLBACKS = {"head": "takes the first token of a mention", "partial": "compares all tokens of a mention"}
"""How each way of matching treats a mention without a head."""


def _recognition_notes(facts: Mapping[Hashable, int]) -> list[str]:
    """Notes about sides without the heads or minimal spans that are to be compared."""
    notes = []
    for match, fallback in FALLBACKS.items():
        for side in ("key", "response"):
            if count := facts.get((HEADS, side, match), 0):
                minimal_spans = (
                    "; --match minimum compares its minimal spans" if facts.get((MINIMA, side, match), 0) else ""
                )
                notes.append(
                    f"the {side} names no heads in {_count_documents(count)}: --match {match} {fallback}{minimal_spans}"
                )
    if count := facts.get((MINIMA, "key", "minimum"), 0):
        notes.append(
            f"the key names no minimal spans in {_count_documents(count)}: --match minimum compares all tokens of a "
            "mention"
        )
    return notes


def _count_documents(count: int) -> str:
    return f"{count} document{'s' * (count != 1)}"


def _first_example(facts: Mapping[Hashable, int], about: str) -> Any:
    return next(fact[2:] for fact in facts if isinstance(fact, tuple) and fact[:2] == (about, "first"))


def _document_list(documents: int, first: str) -> str:
    return first if documents == 1 else f"{documents} documents, first {first}"
