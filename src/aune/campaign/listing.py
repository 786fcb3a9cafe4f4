"""The items of a key one by one, as people look at them, and what they type as an edit.

tagging    a word            its tags: Ncms|Ncfs
entities   an entity         what it should be: 3 6 ORG (nothing: no entity); the row + adds one
coref      a mention         the mention that it belongs with: 0 1 (alone: a chain of its own; nothing: no mention)
anaphora   an anaphor        its antecedents: 3 7
speech     an utterance      what was said
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from aune.core.errors import UsageError
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging


class Item(NamedTuple):
    """Something in a key that a dispute can be about."""

    place: str
    """What names it in an edit."""
    text: str
    """The words that it is about."""
    value: str
    """What the key says of it, as one would type it."""
    before: str = ""
    after: str = ""
    """What stands around it, where the items of a key are not its whole text."""


ADD = "+"
"""The place of an item that is not there yet."""
AROUND, AROUND_CHARACTERS = 8, 50  # words or characters on each side


def items(task: str, document: Any) -> list[Item]:
    """Every item of a document.

    >>> [item[:3] for item in items("tagging", tagging.documents([("le", "D"), ("chat", "N")])[0])]
    [('0', 'le', 'D'), ('1', 'chat', 'N')]
    """
    return list(LISTED[task](document))


def edit_of(task: str, place: str, value: str) -> dict[str, Any]:
    """What somebody typed beside an item, as an edit.

    >>> edit_of("entities", "3 5 LOC", "3 6 ORG")
    {'remove': [3, 5, 'LOC'], 'add': [3, 6, 'ORG']}
    >>> edit_of("coref", "3 5", "alone")
    {'mention': [3, 5], 'with': []}
    """
    try:
        return TYPED[task](place.strip(), value.strip())
    except (ValueError, IndexError):
        raise UsageError(f"found {value!r}, expected such as {EXAMPLES[task]}") from None


EXAMPLES = {
    "tagging": "Ncms or Ncms|Ncfs",
    "entities": "3 6 ORG: where it begins, where it ends, its label",
    "coref": "0 1: the place of another mention of its chain, or alone",
    "anaphora": "3 7: the antecedents",
    "speech": "what was said",
}


def _words(document: tagging.Document) -> Iterator[Item]:
    tags = document.column(tagging.chosen_column(document)).values()
    for place, (word, tag) in enumerate(zip(document.words.values(), tags, strict=True)):
        yield Item(str(place), word, tag)


def _entities(document: entities.Document) -> Iterator[Item]:
    reach = AROUND_CHARACTERS if document.unit == "character" else AROUND
    for start, end, label in document.triples():
        named = f"{start} {end} {label}"
        before, after = document.quoted(max(start - reach, 0), start), document.quoted(end, end + reach)
        yield Item(named, document.quoted(start, end), named, before, after)
    yield Item(ADD, "", "")


def _mentions(document: coref.Document) -> Iterator[Item]:
    """Each mention with another of its chain: the first one, which has the second."""
    tokens = document.tokens or ()
    places, spans = document.spans.tolist(), coref.token_spans(document).tolist()
    chains: dict[int, list[list[int]]] = {}
    for place, chain in zip(places, document.chains.tolist(), strict=True):
        chains.setdefault(chain, []).append(place)
    for number, (place, chain) in enumerate(zip(places, document.chains.tolist(), strict=True)):
        other = next((one for one in chains[chain] if one != place), None)
        words = coref.mention_words(document, number, spans[number])
        start, end = spans[number]
        before, after = tokens[max(start - AROUND, 0) : start], tokens[end : end + AROUND]
        yield Item(_two(place), " ".join(words), _two(other) if other else "alone", " ".join(before), " ".join(after))
    yield Item(ADD, "", "")


def _two(place: list[int]) -> str:
    return f"{place[0]} {place[1]}"


def _anaphors(document: anaphora.Document) -> Iterator[Item]:
    for one in document.anaphors:
        yield Item(one.mention, document.text(one.mention), " ".join(one.antecedents))


def _utterances(document: speech.Document) -> Iterator[Item]:
    for one in speech.utterances([document]):
        yield Item(one.id if isinstance(document, speech.Recording) else "", one.id, " ".join(one.words))


LISTED: Mapping[str, Callable[[Any], Iterator[Item]]] = {
    "tagging": _words,
    "entities": _entities,
    "coref": _mentions,
    "anaphora": _anaphors,
    "speech": _utterances,
}


def _typed_entity(place: str, value: str) -> dict[str, Any]:
    def parsed(text: str) -> list[Any]:
        start, end, label = text.split(maxsplit=2)
        return [int(start), int(end), label]

    gone = {} if place == ADD else {"remove": parsed(place)}
    return {**gone, **({"add": parsed(value)} if value else {})}


def _typed_mention(place: str, value: str) -> dict[str, Any]:
    """Of a new mention, both places are typed: its own, a comma, and that of another mention of its chain."""
    own, _, other = value.partition(",") if place == ADD else (place, "", value)
    start, end = map(int, own.split())
    with_: list[int] | None = None
    if other.strip():
        with_ = [] if other.strip() == "alone" else list(map(int, other.split()))
    return {"mention": [start, end], "with": with_}


TYPED: Mapping[str, Callable[[str, str], dict[str, Any]]] = {
    "tagging": lambda place, value: {"word": int(place), "tags": value or "_"},
    "entities": _typed_entity,
    "coref": _typed_mention,
    "anaphora": lambda place, value: {"anaphor": place, "antecedents": value.split()},
    "speech": lambda place, value: {**({"utterance": place} if place else {}), "text": value},
}
