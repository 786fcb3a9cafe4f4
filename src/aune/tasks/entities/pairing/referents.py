"""Entities with all their mentions, in the sense of ACE: their worth, and the mapping between key and response."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from aune.contract.measure import WEIGHT_RANGE
from aune.contract.options import cache_while_unchanged, check_known
from aune.errors import InputError, Problem
from aune.files import parse_toml, read_text
from aune.numeric.arrays import Floats, Ints
from aune.numeric.matching import first_matching
from aune.tasks.entities.model import Mention, Referent
from aune.tasks.entities.pairing.spans import crossing_pairs
from aune.tasks.entities.pairing.trees import Trees

TABLES = ("types", "classes", "mentions", "errors", "mention_errors")
NUMBERS = ("false_alarm", "mention_false_alarm")
DIGITS = 12  # of gains that are compared: further digits are rounding errors of the weights
TINY = 1e-200  # smaller weights underflow when multiplied


class EntityWeights(NamedTuple):
    """The weights of a configuration file."""

    types: Mapping[str, float]
    classes: Mapping[str, float]
    mentions: Mapping[str, float]
    errors: Mapping[str, float]
    mention_errors: Mapping[str, float]
    false_alarm: float
    mention_false_alarm: float

    @property
    def max_worth(self) -> float:
        """The highest worth, or cost, of one mention."""
        highest = (max(table.values()) for table in (self.types, self.classes, self.mentions))
        return math.prod(highest) * (1 + self.false_alarm) * (1 + self.mention_false_alarm)

    def entity_worth(self, referent: Referent) -> float:
        types = [referent.type] if referent.type in self.types else referent.type.split("+")
        type_worth = sum(_weight_of(self.types, type) for type in types) / len(types)
        return type_worth * _weight_of(self.classes, referent.kind)

    def mention_worth(self, mention: Mention) -> float:
        return _weight_of(self.mentions, mention.type)

    def pair_worth(self, key: Referent, response: Referent) -> float:
        """The worth of a pair (eq. 1.2): the smaller of both, reduced for each wrong attribute."""
        worth = min(self.entity_worth(key), self.entity_worth(response))
        wrong = {"type": key.type != response.type, "subtype": key.subtype != response.subtype}
        return worth * _remaining_share(self.errors, {**wrong, "class": key.kind != response.kind})

    def mention_pair_worth(self, key: Mention, response: Mention) -> float:
        worth = min(self.mention_worth(key), self.mention_worth(response))
        wrong = {"type": key.type != response.type, "role": key.role != response.role}
        return worth * _remaining_share(self.mention_errors, {**wrong, "style": key.style != response.style})


def _weight_of(table: Mapping[str, float], name: str) -> float:
    if name in table:
        return table[name]
    folded = {key.lower(): value for key, value in table.items()}  # `--case fold` makes labels lower case
    return folded.get(name, table.get("other", 1.0))


def _remaining_share(errors: Mapping[str, float], wrong: Mapping[str, bool]) -> float:
    return float(np.prod([errors.get(name, 1.0) for name, is_wrong in wrong.items() if is_wrong]))


@cache_while_unchanged
def load_weights(path: str) -> EntityWeights:
    """The weights in a file; weights that it does not name have their defaults."""
    from importlib.resources import files  # noqa: PLC0415 - most measures need no weights

    usual = parse_toml((files("aune.typologies") / "ace.toml").read_text("utf-8"))
    try:
        settings = parse_toml(read_text(path)) if path else {}
        check_known(settings, (*TABLES, *NUMBERS), f"section of {path}")
        tables = [{**usual[section], **settings.get(section, {})} for section in TABLES]
        numbers = [float(settings.get(name, usual[name])) for name in NUMBERS]
        weights = [{name: float(value) for name, value in table.items()} for table in tables]
        for number in chain(numbers, *(table.values() for table in weights)):
            if number not in WEIGHT_RANGE:
                raise ValueError(f"the weight {number:g} (weights are {WEIGHT_RANGE})")
        return EntityWeights(*weights, *numbers)  # type: ignore[arg-type]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            [
                Problem.in_file(
                    "weights.unreadable",
                    path,
                    1,
                    1,
                    found=str(error),
                    expected="a TOML file of ACE weights",
                    remedies=["mend it"],
                )
            ]
        ) from None


def referents_of_trees(trees: Trees, sets: Sequence[tuple[str, ...]], offsets: Ints) -> list[list[Referent]]:
    """The entities of each document, from trees: each is an entity with one named mention. Components are left out.

    An entity with several labels is one entity; its types are joined by `+`, and so are its sub-types.
    """
    referents: list[list[Referent]] = [[] for _ in offsets]
    spans = trees.spans
    for start, end, document, number in zip(
        spans.start.tolist(), spans.end.tolist(), spans.document.tolist(), trees.labels.tolist(), strict=True
    ):
        type, subtype = split_labels(sets[number])
        offset = int(offsets[document])
        referents[document].append(Referent(type, subtype, mentions=(Mention(start - offset, end - offset),)))
    return referents


def split_labels(labels: Sequence[str]) -> tuple[str, str]:
    """The types and the sub-types of an entity with these labels, joined by `+`.

    >>> split_labels(["loc.adm.town"]), split_labels(["loc.adm", "org.adm"]), split_labels(["PER"])
    (('loc', 'adm.town'), ('loc+org', 'adm+adm'), ('PER', ''))
    """
    parts = [label.partition(".") for label in labels]
    subtypes = [subtype for _, _, subtype in parts]
    return "+".join(type for type, _, _ in parts), "+".join(subtypes) if any(subtypes) else ""


class Referents(NamedTuple):
    """All entities and mentions of one side of a chunk."""

    entities: list[Referent]
    document: Ints
    mentions: list[Mention]
    owner: Ints
    start: Ints
    end: Ints


def side_referents(documents: Sequence[Sequence[Referent]], offsets: Ints) -> Referents:
    """The entities of each document, ordered by content: by their first mention, then by their other properties."""
    entities: list[Referent] = []
    document: list[int] = []
    mentions: list[tuple[int, int, Mention]] = []
    for number, unordered in enumerate(documents):
        referents = [entity._replace(mentions=tuple(sorted(entity.mentions))) for entity in unordered]
        for entity in sorted(referents, key=lambda entity: (entity.mentions, entity)):
            mentions += [(int(offsets[number]) + mention.start, len(entities), mention) for mention in entity.mentions]
            entities.append(entity)
            document.append(number)
    mentions.sort()
    start = np.asarray([place for place, _, _ in mentions], np.int64)
    length = np.asarray([mention.end - mention.start for _, _, mention in mentions], np.int64)
    owner = np.asarray([entity for _, entity, _ in mentions], np.int64)
    sorted_mentions = [mention for _, _, mention in mentions]
    return Referents(
        entities, np.asarray(document, np.int64), sorted_mentions, owner, start, start + np.maximum(length, 1)
    )


class EntityMapping(NamedTuple):
    """The mapping of entities, and the value that each contributes."""

    response: Floats
    mapped: Ints
    """The key entity to which each response entity is mapped; -1 if it is unmapped."""
    key: Floats


def map_entities(key: Referents, response: Referents, weights: EntityWeights) -> EntityMapping:
    """The mapping of entities that gives the response its largest value (Doddington et al. 2004).

    Among mappings of equal value, the first is chosen: the first key entity in the text has the first response entity
    that is possible, then the next key entity, and so on; mentions are mapped in the same way.
    """
    left, right = crossing_pairs(key.start, key.end, response.start, response.end)
    wide = max(len(response.entities), 1)
    pairs, pair = np.unique(key.owner[left] * wide + response.owner[right], return_inverse=True)
    key_entity, response_entity = np.divmod(pairs, wide)
    mention_worth = np.asarray([weights.mention_worth(mention) for mention in response.mentions])
    false_alarm_cost = weights.mention_false_alarm * mention_worth
    gain = np.asarray(
        [weights.mention_pair_worth(key.mentions[a], response.mentions[b]) for a, b in _index_pairs(left, right)]
    )
    gain = gain + false_alarm_cost[right]
    matched = first_matching(_number_within(pair, left), _number_within(pair, right), _quantise_gains(gain, weights))
    penalty = np.bincount(response.owner, false_alarm_cost, len(response.entities))
    mentions = np.bincount(pair[matched], gain[matched], len(pairs)) - penalty[response_entity]
    value = mentions * [
        weights.pair_worth(key.entities[a], response.entities[b]) for a, b in _index_pairs(key_entity, response_entity)
    ]
    response_worth = np.asarray([weights.entity_worth(entity) for entity in response.entities])
    total = -weights.false_alarm * response_worth * np.bincount(response.owner, mention_worth, len(response_worth))
    chosen = first_matching(key_entity, response_entity, _quantise_gains(value - total[response_entity], weights))
    mapped = np.full(len(response_worth), -1)
    total[response_entity[chosen]], mapped[response_entity[chosen]] = value[chosen], key_entity[chosen]
    key_worth = [
        weights.entity_worth(entity) * sum(map(weights.mention_worth, entity.mentions)) for entity in key.entities
    ]
    return EntityMapping(total, mapped, np.asarray(key_worth, float))


def _quantise_gains(gain: Floats, weights: EntityWeights) -> Ints:
    """Gains as integers, so that weights that should tie do tie; a gain above 0 never becomes 0."""
    digits = DIGITS - math.ceil(math.log10(max(weights.max_worth, TINY)))
    return np.asarray(np.maximum(np.rint(gain * 10.0**digits), gain > 0), np.int64)


def _index_pairs(left: Ints, right: Ints) -> Iterator[tuple[int, int]]:
    return zip(left.tolist(), right.tolist(), strict=True)


def _number_within(pair: Ints, mention: Ints) -> Ints:
    """A distinct number, from 0, for each mention within each pair of entities."""
    return np.asarray(np.unique(pair * (int(mention.max(initial=0)) + 1) + mention, return_inverse=True)[1])
