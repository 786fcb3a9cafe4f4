r"""Lines of brat about spans: attributes, notes, normalizations and chains are features; relations, events and
equivalences are relations.

    A1	Gender T1 f                       the feature Gender of T1
    #1	AnnotatorNotes T1	sure            the feature AnnotatorNotes
    N1	Reference T1 Q:42	Ann Lee        the feature normalization
    R1	Founder Arg1:T1 Arg2:T2           a relation
    E1	Meet:T3 Who:T1 Whom:T2            two relations from the trigger, which have the feature event
    *	Same T1 T2                        a relation, which has the feature equivalence
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from aune.syntax import brat
from aune.syntax.brat import BratFile, Line
from aune.tasks.entities.model import Document, Features, Relation

CHAIN, NORMALIZATION, NOTE = "COREF", "normalization", "AnnotatorNotes"
"""Names of features that are no attributes in brat."""
EVENT, EQUIVALENCE, ROLES = "event", "equivalence", "roles"
"""Names of features of relations."""
USUAL_ROLES = ("Arg1", "Arg2")
ONE_WORD = re.compile(r"\S+")
ROLE = re.compile(r"[^\s:]+")
REFERENCE = re.compile(r"(\S+) (\S+:\S+)(?: (\S.*))?")


class FeatureLine(NamedTuple):
    """A feature of an annotation, and the line that says so."""

    line: Line
    target: str
    name: str
    value: str


def feature_lines(file: BratFile) -> Iterator[FeatureLine]:
    """Everything that a file says about single annotations."""
    for attribute in file.attributes:
        yield FeatureLine(attribute.line, attribute.target, attribute.name, attribute.value)
    for note in file.notes:
        if note.kind == NOTE and note.text:
            yield FeatureLine(note.line, note.target, NOTE, note.text)
    for item in file.normalizations:
        yield FeatureLine(item.line, item.target, NORMALIZATION, f"{item.kind} {item.reference} {item.text}".strip())
    for link in file.links:
        if isinstance(link, brat.Chain):
            yield FeatureLine(link.line, link.member, CHAIN, link.name)


class Links(NamedTuple):
    """What a file says about its spans, by their names, and how many lines say something else."""

    features: dict[str, list[tuple[str, str]]]
    relations: list[tuple[Line, Relation]]
    """Relations with the numbers of the spans, and their lines."""
    left_out: Counter[str]


def read_links(file: BratFile, numbers: Mapping[str, int]) -> Links:
    """The features and relations of the spans that have numbers, by name."""
    triggers = {event.name: event.trigger for event in file.events}
    by_target: dict[str, list[tuple[str, str]]] = {}
    for item in feature_lines(file):
        by_target.setdefault(item.target, []).append((item.name, item.value))
    left_out: Counter[str] = Counter()
    features: dict[str, list[tuple[str, str]]] = {}
    relation_names = {link.name for link in file.links if isinstance(link, brat.Relation)}
    for target, items in by_target.items():
        span = triggers.get(target, target)
        if span in numbers:
            features.setdefault(span, []).extend(items)
        elif target not in relation_names:
            left_out["attributes and notes of what is no span"] += len(items)
    left_out["events without arguments"] = sum(not event.arguments for event in file.events)
    relations = []
    for line, kind, ends, about in _relations(file, by_target):
        source, target_number = (numbers.get(triggers.get(end, end)) for end in ends)
        if source is None or target_number is None:
            left_out["relations between what is no span"] += 1
        else:
            relations.append((line, Relation(kind, source, target_number, tuple(sorted(about)))))
    return Links(features, relations, +left_out)


def _relations(
    file: BratFile, features: Mapping[str, list[tuple[str, str]]]
) -> Iterator[tuple[Line, str, tuple[str, str], list[tuple[str, str]]]]:
    """Links between two annotations: the line, the kind, their names, and features of the relation."""
    groups = 0
    for link in file.links:
        if isinstance(link, brat.Relation):
            roles = [] if link.roles == USUAL_ROLES else [(ROLES, " ".join(link.roles))]
            yield link.line, link.label, (link.source, link.target), [*roles, *features.get(link.name, ())]
        elif isinstance(link, brat.Equivalence):
            groups += 1
            for pair in zip(link.members, link.members[1:], strict=False):
                yield link.line, link.label, pair, [(EQUIVALENCE, str(groups))]
    for event in file.events:
        for role, target in event.arguments:
            yield event.line, role, (event.trigger, target), [(EVENT, event.name)]


class LinkWriter:
    """Writes features and relations as lines, with numbers that follow those of the file."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        numbers: Counter[str] = Counter()
        for name in used:
            if name[1:].isdecimal() and len(name) < 12:
                numbers[name[0]] = max(numbers[name[0]], int(name[1:]))
        self._numbers = numbers

    def _name(self, letter: str) -> str:
        self._numbers[letter] += 1
        return f"{letter}{self._numbers[letter]}"

    def features(self, target: str, features: Features) -> Iterator[str]:
        """The lines of the features of an annotation; those that brat cannot represent are left out."""
        for name, value in features:
            reference = REFERENCE.fullmatch(value) if name == NORMALIZATION else None
            if not value.strip() or value != " ".join(value.split()) or not ONE_WORD.fullmatch(name):
                continue
            if name == CHAIN:
                yield f"COREF\t{target}\t{value}\n"
            elif name == NOTE:
                yield f"{self._name('#')}\t{NOTE} {target}\t{value}\n"
            elif reference:
                quote = f"\t{reference[3]}" if reference[3] else ""
                yield f"{self._name('N')}\t{reference[1]} {target} {reference[2]}{quote}\n"
            else:
                yield f"{self._name('A')}\t{name} {target}{'' if value == 'true' else f' {value}'}\n"

    def relations(self, relations: Iterable[Relation], names: Mapping[int, str], document: Document) -> Iterator[str]:
        """The lines of relations between spans with names; those that brat cannot represent are left out."""
        groups: dict[tuple[str, ...], list[Relation]] = {}
        for relation in relations:
            features = dict(relation.features)
            if features.keys() == {EVENT} and ROLE.fullmatch(relation.kind):
                groups.setdefault((EVENT, features[EVENT], names[relation.source]), []).append(relation)
            elif features.keys() == {EQUIVALENCE} and ONE_WORD.fullmatch(relation.kind):
                groups.setdefault((EQUIVALENCE, features[EQUIVALENCE], relation.kind), []).append(relation)
            else:
                yield from self._relation(relation, names)
        for (group, *_), members in groups.items():
            yield from self._event(members, names, document) if group == EVENT else self._equivalence(members, names)

    def _relation(self, relation: Relation, names: Mapping[int, str]) -> Iterator[str]:
        if not ONE_WORD.fullmatch(relation.kind):
            return
        features = dict(relation.features)
        roles = features.get(ROLES, "").split()
        if len(roles) != 2 or not all(map(ROLE.fullmatch, roles)):
            roles = list(USUAL_ROLES)
        name = self._name("R")
        ends = zip(roles, (names[relation.source], names[relation.target]), strict=True)
        yield f"{name}\t{relation.kind} {' '.join(f'{role}:{end}' for role, end in ends)}\n"
        yield from self.features(name, tuple(item for item in relation.features if item[0] != ROLES))

    def _event(self, members: list[Relation], names: Mapping[int, str], document: Document) -> Iterator[str]:
        source = members[0].source
        label = document.names[int(document.labels[source])]
        arguments = " ".join(f"{relation.kind}:{names[relation.target]}" for relation in members)
        yield f"{self._name('E')}\t{label}:{names[source]} {arguments}\n"

    def _equivalence(self, members: list[Relation], names: Mapping[int, str]) -> Iterator[str]:
        """A line for each path of spans: the relations of a group follow one another."""
        following = {relation.source: relation.target for relation in members}
        starts = following.keys() - set(following.values())
        if len(following) < len(members) or len(starts) != 1:
            for relation in members:
                yield from self._relation(relation, names)
            return
        path = [starts.pop()]
        while path[-1] in following:
            path.append(following[path[-1]])
        if len(path) == len(members) + 1:
            yield f"*\t{members[0].kind} {' '.join(names[number] for number in path)}\n"
        else:
            for relation in members:
                yield from self._relation(relation, names)
