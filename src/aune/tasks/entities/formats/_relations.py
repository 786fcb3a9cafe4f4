"""Features of entities and relations between them, as records of JSON write them.

A relation names its ends by the numbers of the entities in their list (`from` and `to`, `head` and `tail`), by their
ids (`from_id` and `to_id`), or, as Prodigy does, by their places (`head_span` and `child_span`) or tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from aune.syntax.jsonlines import to_json_line
from aune.tasks.entities.model import Document, Features, Relation

ENDS = (
    ("head_span", "child_span"), ("from", "to"), ("head", "tail"), ("from_id", "to_id"), ("source", "target"),
    ("head", "child"),
)  # fmt: skip
"""Pairs of fields that name the ends of a relation, the source first."""
KINDS = ("label", "type", "kind", "relation")
UNNAMED = "relation"
"""The kind of a relation that has none."""
NOT_FEATURES = frozenset(("id", "color", "features", *KINDS, *(name for pair in ENDS for name in pair)))


class RelationList(NamedTuple):
    """The relations of a record that could be read, and the number of others: between tokens, or to nothing."""

    relations: list[Relation]
    unread: int


def read_features(item: Mapping[str, Any], known: Collection[str]) -> Features:
    """The features of an entity or a relation: those in its object `features`, and its other plain fields."""
    listed = item.get("features")
    values = dict(listed) if isinstance(listed, dict) else {}
    for name, value in item.items():
        if name not in known and name and isinstance(value, str | int | float):
            values.setdefault(name, value)
    return tuple(sorted((name, text) for name, value in values.items() if name for text in _texts(value)))


def _texts(value: Any) -> list[str]:
    """The values of a feature as text."""
    if isinstance(value, list) and not any(isinstance(part, list | dict) for part in value):
        return [text for part in value for text in _texts(part)]
    if value is None:
        return []
    return [value if isinstance(value, str) else to_json_line(value)]


def feature_object(features: Features) -> dict[str, str | list[str]]:
    """Features as a JSON object; several values of a name are a list.

    >>> feature_object((("case", "acc"), ("sense", "a"), ("sense", "b")))
    {'case': 'acc', 'sense': ['a', 'b']}
    """
    values: dict[str, list[str]] = {}
    for name, value in features:
        values.setdefault(name, []).append(value)
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}


def read_relations(items: Sequence[Any], entities: Sequence[Any], numbers: Sequence[int | None]) -> RelationList:
    """The relations between the entities of a record; `numbers` are the spans of the entities, None for none."""
    if not items:
        return RelationList([], 0)
    relations: list[Relation] = []
    ends = _Ends(entities, numbers)
    unread = 0
    for item in items:
        source, target = ends.of(item) if isinstance(item, dict) else (None, None)
        if source is None or target is None:
            unread += 1
            continue
        kind = next((item[name] for name in KINDS if isinstance(item.get(name), str) and item[name]), UNNAMED)
        relations.append(Relation(kind, source, target, read_features(item, NOT_FEATURES)))
    return RelationList(relations, unread)


class _Ends:
    """Finds the spans that relations name."""

    def __init__(self, entities: Sequence[Any], numbers: Sequence[int | None]) -> None:
        self._numbers = numbers
        self._ids: dict[str, int] = {}
        self._places: dict[tuple[Any, ...], int] = {}
        self._tokens: dict[int, int] = {}
        for entity, number in zip(entities, numbers, strict=True):
            if number is None or not isinstance(entity, dict):
                continue
            if isinstance(entity.get("id"), str | int):
                self._ids.setdefault(str(entity["id"]), number)
            place = (entity.get("start"), entity.get("end"))
            for key in ((*place, entity.get("label")), place):
                self._places.setdefault(tuple(map(str, key)), number)
            if isinstance(last := entity.get("token_end"), int):
                self._tokens.setdefault(last, number)

    def of(self, item: Mapping[str, Any]) -> tuple[int | None, int | None]:
        for names in ENDS:
            if all(item.get(name) is not None for name in names):
                first, second = (self._span(item[name], name, "child" in names) for name in names)
                return first, second
        return None, None

    def _span(self, value: Any, name: str, is_token: bool) -> int | None:
        if isinstance(value, dict):
            place = (str(value.get("start")), str(value.get("end")))
            return self._places.get((*place, str(value.get("label"))), self._places.get(place))
        if isinstance(value, str) or name.endswith("_id"):
            return self._ids.get(str(value))
        if type(value) is not int:
            return None
        if is_token:
            return self._tokens.get(value)
        return self._numbers[value] if 0 <= value < len(self._numbers) else None


def relation_objects(document: Document) -> list[dict[str, Any]]:
    """The relations of a document, with the numbers of its spans."""
    return [relation_object(relation) for relation in document.relations]


def relation_object(relation: Relation) -> dict[str, Any]:
    features = {"features": feature_object(relation.features)} if relation.features else {}
    return {"from": relation.source, "to": relation.target, "label": relation.kind, **features}
