"""Entities with all their mentions, in the sense of ACE: what they are worth, and how key and response ones pair up."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import chain
from typing import NamedTuple

import numpy as np

from aune.core.arrays import Floats, Ints
from aune.core.errors import InputError, Problem
from aune.core.files import text_of, toml_of
from aune.core.matching import first_matching
from aune.core.measure import WEIGHT
from aune.core.options import check_known, kept_while_unchanged
from aune.tasks.entities.model import Document, Mention, Referent
from aune.tasks.entities.pairing.spans import crossing

TABLES = ("types", "classes", "mentions", "errors", "mention_errors")
NUMBERS = ("false_alarm", "mention_false_alarm")
DIGITS = 12  # of gains that are compared: no more are sure once weights were multiplied and added
TINY = 1e-200  # weights below it cannot be multiplied


class Worth(NamedTuple):
    """The weights of a configuration file."""

    types: Mapping[str, float]
    classes: Mapping[str, float]
    mentions: Mapping[str, float]
    errors: Mapping[str, float]
    mention_errors: Mapping[str, float]
    false_alarm: float
    mention_false_alarm: float

    @property
    def top(self) -> float:
        """What one mention can be worth at most, or cost."""
        highest = (max(table.values()) for table in (self.types, self.classes, self.mentions))
        return math.prod(highest) * (1 + self.false_alarm) * (1 + self.mention_false_alarm)

    def of_entity(self, referent: Referent) -> float:
        return _of(self.types, referent.type) * _of(self.classes, referent.kind)

    def of_mention(self, mention: Mention) -> float:
        return _of(self.mentions, mention.type)

    def of_pair(self, key: Referent, response: Referent) -> float:
        """Eq. 1.2: the smaller worth, less for each attribute that is wrong."""
        worth = min(self.of_entity(key), self.of_entity(response))
        wrong = {"type": key.type != response.type, "subtype": key.subtype != response.subtype}
        return worth * _left(self.errors, {**wrong, "class": key.kind != response.kind})

    def of_mention_pair(self, key: Mention, response: Mention) -> float:
        worth = min(self.of_mention(key), self.of_mention(response))
        wrong = {"type": key.type != response.type, "role": key.role != response.role}
        return worth * _left(self.mention_errors, {**wrong, "style": key.style != response.style})


def _of(table: Mapping[str, float], name: str) -> float:
    return table.get(name, table.get("other", 1.0))


def _left(errors: Mapping[str, float], wrong: Mapping[str, bool]) -> float:
    return float(np.prod([errors.get(name, 1.0) for name, is_wrong in wrong.items() if is_wrong]))


@kept_while_unchanged
def worth(path: str) -> Worth:
    """The weights in a file; those that it does not name are the usual ones."""
    usual = tomllib.loads((files("aune.tasks.entities") / "typologies" / "ace.toml").read_text("utf-8"))
    try:
        given = toml_of(text_of(path)) if path else {}
        check_known(given, (*TABLES, *NUMBERS), f"section of {path}")
        tables = [{**usual[one], **given.get(one, {})} for one in TABLES]
        numbers = [float(given.get(name, usual[name])) for name in NUMBERS]
        weights = [{name: float(value) for name, value in table.items()} for table in tables]
        for number in chain(numbers, *(table.values() for table in weights)):
            if number not in WEIGHT:
                raise ValueError(f"the weight {number:g} (weights are {WEIGHT})")
        return Worth(*weights, *numbers)  # type: ignore[arg-type]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        what = f"found {error}, expected a TOML file of ACE weights: mend it"
        raise InputError([Problem(path, 1, 1, what)]) from None


def referents_of(document: Document) -> Sequence[Referent]:
    """The entities of a document; without mentions of their own, each span is an entity that is named once."""
    if document.referents is not None:
        return document.referents
    return [
        Referent(label.partition(".")[0], label.partition(".")[2], "SPC", (Mention(start, end),))
        for start, end, label in document.triples()
    ]


class Referents(NamedTuple):
    """All entities and mentions of one side of a chunk."""

    entities: list[Referent]
    document: Ints
    mentions: list[Mention]
    owner: Ints
    start: Ints
    end: Ints


def side(documents: Sequence[Document], offsets: Ints) -> Referents:
    """The entities of documents, in order of content: by their first mention, then by what they are."""
    entities: list[Referent] = []
    document: list[int] = []
    mentions: list[tuple[int, int, Mention]] = []
    for number, one in enumerate(documents):
        own = [entity._replace(mentions=tuple(sorted(entity.mentions))) for entity in referents_of(one)]
        for entity in sorted(own, key=lambda entity: (entity.mentions, entity)):
            mentions += [(int(offsets[number]) + mention.start, len(entities), mention) for mention in entity.mentions]
            entities.append(entity)
            document.append(number)
    mentions.sort()
    start = np.asarray([place for place, _, _ in mentions], np.int64)
    length = np.asarray([mention.end - mention.start for _, _, mention in mentions], np.int64)
    owner = np.asarray([entity for _, entity, _ in mentions], np.int64)
    kept = [mention for _, _, mention in mentions]
    return Referents(entities, np.asarray(document, np.int64), kept, owner, start, start + np.maximum(length, 1))


class Values(NamedTuple):
    """What entities bring."""

    response: Floats
    mapped: Ints
    """The key entity that each response entity is mapped to; -1: none."""
    key: Floats


def values(key: Referents, response: Referents, weights: Worth) -> Values:
    """The mapping of entities that gives the response its largest value (Doddington et al. 2004).

    Of mappings of equal value it is the first: the first key entity in the text has the first response entity that it
    can have, then the next one, and so on; mentions likewise.
    """
    left, right = crossing(key.start, key.end, response.start, response.end)
    wide = max(len(response.entities), 1)
    pairs, pair = np.unique(key.owner[left] * wide + response.owner[right], return_inverse=True)
    one, other = np.divmod(pairs, wide)
    plain = np.asarray([weights.of_mention(mention) for mention in response.mentions])
    lone = weights.mention_false_alarm * plain
    gain = np.asarray([weights.of_mention_pair(key.mentions[a], response.mentions[b]) for a, b in _both(left, right)])
    gain = gain + lone[right]
    kept = first_matching(_within(pair, left), _within(pair, right), _in_steps(gain, weights))
    penalty = np.bincount(response.owner, lone, len(response.entities))
    mentions = np.bincount(pair[kept], gain[kept], len(pairs)) - penalty[other]
    value = mentions * [weights.of_pair(key.entities[a], response.entities[b]) for a, b in _both(one, other)]
    own = np.asarray([weights.of_entity(entity) for entity in response.entities])
    total = -weights.false_alarm * own * np.bincount(response.owner, plain, len(own))
    chosen = first_matching(one, other, _in_steps(value - total[other], weights))
    mapped = np.full(len(own), -1)
    total[other[chosen]], mapped[other[chosen]] = value[chosen], one[chosen]
    known = [weights.of_entity(entity) * sum(map(weights.of_mention, entity.mentions)) for entity in key.entities]
    return Values(total, mapped, np.asarray(known, float))


def _in_steps(gain: Floats, weights: Worth) -> Ints:
    """Gains as whole numbers, so that those that weights make equal are; none that is above 0 becomes 0."""
    digits = DIGITS - math.ceil(math.log10(max(weights.top, TINY)))
    return np.asarray(np.maximum(np.rint(gain * 10.0**digits), gain > 0), np.int64)


def _both(left: Ints, right: Ints) -> Iterator[tuple[int, int]]:
    return zip(left.tolist(), right.tolist(), strict=True)


def _within(pair: Ints, mention: Ints) -> Ints:
    """A number of its own, from 0, for each mention in each pair of entities."""
    return np.asarray(np.unique(pair * (int(mention.max(initial=0)) + 1) + mention, return_inverse=True)[1])
