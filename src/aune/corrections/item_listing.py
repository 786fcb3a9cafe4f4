"""The items of a key one by one as they are displayed, and the edits that people type.

tagging    a word            its tags: Ncms|Ncfs
entities   an entity         its correction: 3 6 ORG (empty: no entity); the row + adds one
coref      a mention         another mention of its chain: 0 1 (alone: a chain of its own; empty: no mention)
anaphora   an anaphor        its antecedents: 3 7
speech     an utterance      its words
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from aune.errors import UsageError
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging


class Item(NamedTuple):
    """An item of a key that a dispute can be about."""

    place: str
    """The place of the item, as an edit names it."""
    text: str
    """The words of the item."""
    value: str
    """The key's value of the item, as a person would type it."""
    before: str = ""
    after: str = ""
    """The surrounding text, for tasks whose items do not cover the whole text."""


ADD = "+"
"""The place of an item that is to be added."""
AROUND, AROUND_CHARACTERS = 8, 50  # words or characters on each side


def list_items(task: str, document: Any) -> list[Item]:
    """Every item of a document.

    >>> [item[:3] for item in list_items("tagging", tagging.documents([("le", "D"), ("chat", "N")])[0])]
    [('0', 'le', 'D'), ('1', 'chat', 'N')]
    """
    return list(LISTERS[task](document))


def parse_edit(task: str, place: str, value: str) -> dict[str, Any]:
    """Parse the value that a person typed beside an item into an edit.

    >>> parse_edit("entities", "3 5 LOC", "3 6 ORG")
    {'remove': [3, 5, 'LOC'], 'add': [3, 6, 'ORG']}
    >>> parse_edit("coref", "3 5", "alone")
    {'mention': [3, 5], 'with': []}
    """
    try:
        return PARSERS[task](place.strip(), value.strip())
    except (ValueError, IndexError):
        raise UsageError(f"found {value!r}, expected such as {EXAMPLES[task]}") from None


EXAMPLES = {
    "tagging": "Ncms or Ncms|Ncfs",
    "entities": "3 6 ORG: where it begins, where it ends, its label",
    "coref": "0 1: the place of another mention of its chain, or alone",
    "anaphora": "3 7: the antecedents",
    "speech": "what was said",
}


def _word_items(document: tagging.Document) -> Iterator[Item]:
    tags = document.column(tagging.choose_column(document)).values()
    for place, (word, tag) in enumerate(zip(document.words.values(), tags, strict=True)):
        yield Item(str(place), word, tag)


def _entity_items(document: entities.Document) -> Iterator[Item]:
    reach = AROUND_CHARACTERS if document.unit == "character" else AROUND
    for start, end, label in document.triples():
        typed = f"{start} {end} {label}"
        before, after = document.excerpt(max(start - reach, 0), start), document.excerpt(end, end + reach)
        yield Item(typed, document.excerpt(start, end), typed, before, after)
    yield Item(ADD, "", "")


def _mention_items(document: coref.Document) -> Iterator[Item]:
    """Each mention with another one of its chain: the first one, or the second if it is the first one itself."""
    tokens = document.tokens or ()
    places, spans = document.spans.tolist(), coref.token_spans(document).tolist()
    chains: dict[int, list[list[int]]] = {}
    for place, chain in zip(places, document.chains.tolist(), strict=True):
        chains.setdefault(chain, []).append(place)
    for number, (place, chain) in enumerate(zip(places, document.chains.tolist(), strict=True)):
        other = next((mate for mate in chains[chain] if mate != place), None)
        words = coref.mention_words(document, number, spans[number])
        start, end = spans[number]
        before, after = tokens[max(start - AROUND, 0) : start], tokens[end : end + AROUND]
        yield Item(
            _span_text(place),
            " ".join(words),
            _span_text(other) if other else "alone",
            " ".join(before),
            " ".join(after),
        )
    yield Item(ADD, "", "")


def _span_text(place: list[int]) -> str:
    return f"{place[0]} {place[1]}"


def _anaphor_items(document: anaphora.Document) -> Iterator[Item]:
    for anaphor in document.anaphors:
        yield Item(anaphor.mention, document.text(anaphor.mention), " ".join(anaphor.antecedents))


def _utterance_items(document: speech.Document) -> Iterator[Item]:
    for utterance in speech.utterances([document]):
        yield Item(
            utterance.id if isinstance(document, speech.Recording) else "", utterance.id, " ".join(utterance.words)
        )


LISTERS: Mapping[str, Callable[[Any], Iterator[Item]]] = {
    "tagging": _word_items,
    "entities": _entity_items,
    "coref": _mention_items,
    "anaphora": _anaphor_items,
    "speech": _utterance_items,
}


def _parse_entity_edit(place: str, value: str) -> dict[str, Any]:
    def parse_span(text: str) -> list[Any]:
        start, end, label = text.split(maxsplit=2)
        return [int(start), int(end), label]

    removal = {} if place == ADD else {"remove": parse_span(place)}
    return {**removal, **({"add": parse_span(value)} if value else {})}


def _parse_mention_edit(place: str, value: str) -> dict[str, Any]:
    """For a new mention, both places are typed: its own, a comma, and that of another mention of its chain."""
    mention, _, other = value.partition(",") if place == ADD else (place, "", value)
    start, end = map(int, mention.split())
    with_: list[int] | None = None
    if other.strip():
        with_ = [] if other.strip() == "alone" else list(map(int, other.split()))
    return {"mention": [start, end], "with": with_}


PARSERS: Mapping[str, Callable[[str, str], dict[str, Any]]] = {
    "tagging": lambda place, value: {"word": int(place), "tags": value or "_"},
    "entities": _parse_entity_edit,
    "coref": _parse_mention_edit,
    "anaphora": lambda place, value: {"anaphor": place, "antecedents": value.split()},
    "speech": lambda place, value: {**({"utterance": place} if place else {}), "text": value},
}
