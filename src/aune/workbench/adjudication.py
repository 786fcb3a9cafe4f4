"""Make one key from several annotations: mentions first, chains second; each decision has an author and a reason.

The key is an ordinary layer, so decisions are events and can be undone. It starts with everything that all annotators
agree on (`initial_key`). Five kinds of questions follow. *Is this a mention?* (for entities, also: of which type) is
asked for each extent that some annotators marked and others did not. *Are these two chains of the key one entity?* is
asked for two chains that some annotator joins. *Which value has this feature?* is asked for a mention of the key that
annotators describe differently. *What is the name of this entity?* (or its notes, or a feature) is asked for a chain
of the key about which annotators disagree. *Is there this relation?* is asked for two chains of the key that some
annotators relate and others do not.

Questions are sorted by how much their answers can change. Joining chains of a and b mentions changes the sum of B³'s
recall by 2ab / (a + b). An extent is worth as much as joining it to the largest chain in which an annotator has it,
plus a half for being a mention at all. A feature, a name or a relation is worth the share of the pairs of annotators
who disagree about it.

For a pronoun the question is what it refers to: its label and its antecedents are one answer (`pronoun_answers.py`).

Annotators who never use a feature or a kind of relation do not count there. A name that only some give is accepted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import TypeAlias

import msgspec

from aune.errors import UsageError
from aune.workbench.anaphora import ANTECEDENT
from aune.workbench.decisions import (
    ACCEPT,
    DEFINE,
    DESCRIBE,
    FEATURE,
    KEEP_APART,
    REJECT,
    UNRELATED,
    Decision,
    chain_attributes,
    decisions,
    extent_id,
    feature_subject,
    new_id,
    with_attributes,
)
from aune.workbench.incremental_key import IncrementalKey
from aune.workbench.layer import active_events
from aune.workbench.model import Chain, Change, Event, Mention, Relation, State, mention_sort_key, to_builtins
from aune.workbench.pronoun_answers import (
    ARROW,
    answered_pronouns,
    antecedent_changes,
    antecedents_by_extent,
    as_antecedent,
    carried_extents,
    is_settled,
    split_answer,
)
from aune.workbench.questions import (
    Adjudication,
    ChainQuestion,
    ExtentQuestion,
    FeatureQuestion,
    LabelChoice,
    RelationQuestion,
    TieQuestion,
    ValueChoice,
)

Layers: TypeAlias = Mapping[str, State]
"""The annotations, by the names of their layers."""
LABEL_SEPARATOR = " + "
"""Joins two labels of one extent (metonymy)."""


class Annotations:
    """Several annotations of a text, aligned once for all the questions about them."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.by_extent: dict[str, dict[str, list[Mention]]] = {}
        """The mentions of each layer at an extent."""
        self.chain_extents: dict[str, dict[str, list[str]]] = {}
        """The extents of every chain of each layer."""
        for layer, state in layers.items():
            chains: dict[str, list[str]] = defaultdict(list)
            for mention in state.mentions.values():
                place = extent_id(mention)
                self.by_extent.setdefault(place, {}).setdefault(layer, []).append(mention)
                if mention.chain is not None:
                    chains[mention.chain].append(place)
            self.chain_extents[layer] = chains
        self._used_features = {
            layer: {feature for record in state.mentions.values() for feature in record.features}
            for layer, state in layers.items()
        }
        self._antecedents = {layer: antecedents_by_extent(state) for layer, state in layers.items()}
        self._carried = carried_extents(layers.values())
        self._tracked_key = IncrementalKey(self.by_extent, self.chain_extents)

    # Mentions.

    @cached_property
    def extent_questions(self) -> list[ExtentQuestion]:
        """The extents on which annotators disagree, the most important first."""
        questions = [
            self._extent(place, by_layer)
            for place, by_layer in self.by_extent.items()
            if place not in self._carried and not self._is_unanimous(place)
        ]
        return sorted(questions, key=lambda question: (-question.worth, question.parts, question.order))

    @cached_property
    def agreed_extents(self) -> list[str]:
        """The extents on which all annotators agree, in text order."""
        places = [place for place in self.by_extent if place not in self._carried and self._is_unanimous(place)]
        return sorted(places, key=lambda place: mention_sort_key(next(iter(self.by_extent[place].values()))[0]))

    def _is_unanimous(self, place: str) -> bool:
        by_layer = self.by_extent[place]
        return len(by_layer) == len(self.layers) and len({self._answer(place, layer) for layer in by_layer}) == 1

    def _answer(self, place: str, layer: str) -> str:
        """What an annotator says of an extent: its label or labels, and for a pronoun its antecedents."""
        label, antecedents = _joint_label(self.by_extent[place][layer]), self._antecedents[layer].get(place)
        return f"{label}{ARROW}{antecedents}" if antecedents else label

    def _extent(self, place: str, by_layer: Mapping[str, list[Mention]]) -> ExtentQuestion:
        labels: dict[str, list[str]] = {}
        others = 0
        for layer, mentions in by_layer.items():
            labels.setdefault(self._answer(place, layer), []).append(layer)
            chains = self.chain_extents[layer]
            others = max(
                others, *(len(chains[mention.chain]) - 1 if mention.chain is not None else 0 for mention in mentions)
            )
        sample = next(iter(by_layer.values()))[0]
        choices = [LabelChoice(label=label, layers=names) for label, names in labels.items()]
        return ExtentQuestion(
            about=place, parts=list(sample.parts), order=sample.order,
            choices=sorted(choices, key=lambda choice: (-len(choice.layers), choice.label)),
            without=[layer for layer in self.layers if layer not in by_layer], worth=_join_gain(1, others) + 0.5,
        )  # fmt: skip

    # Features.

    @cached_property
    def feature_questions(self) -> list[FeatureQuestion]:
        """The features on which the annotators of a mention disagree, the most important first."""
        if sum(bool(used) for used in self._used_features.values()) < 2:
            return []
        questions: list[FeatureQuestion] = []
        for place, by_layer in self.by_extent.items():
            if len(by_layer) > 1:
                for label in {mention.label for mentions in by_layer.values() for mention in mentions}:
                    questions += self._feature_questions_at(place, label)
        return sorted(
            questions,
            key=lambda question: (-question.worth, question.parts, question.order, question.label, question.feature),
        )

    def _feature_questions_at(self, place: str, label: str) -> list[FeatureQuestion]:
        questions = []
        for feature, values in self._feature_values(place, label).items():
            if len(set(values.values())) > 1:
                sample = next(iter(self.by_extent[place].values()))[0]
                choices, without = _value_choices(values)
                questions.append(
                    FeatureQuestion(
                        about=place,
                        label=label,
                        feature=feature,
                        parts=list(sample.parts),
                        order=sample.order,
                        choices=choices,
                        without=without,
                        worth=_disagreement_share([choice.layers for choice in choices], without),
                    )
                )
        return questions

    def _feature_values(self, place: str, label: str) -> dict[str, dict[str, str]]:
        """For each feature of a mention, its value in every layer that has the mention and uses the feature."""
        features_by_layer = {
            layer: mention.features
            for layer, mentions in self.by_extent[place].items()
            for mention in reversed(mentions)
            if mention.label == label
        }
        names = dict.fromkeys(name for features in features_by_layer.values() for name in features)
        return {
            name: {
                layer: features.get(name, "")
                for layer, features in features_by_layer.items()
                if name in self._used_features[layer]
            }
            for name in names
        }

    def _agreed_features(self, place: str, label: str) -> dict[str, str]:
        """The features of a mention on which all annotators agree."""
        values = self._feature_values(place, label)
        return {
            name: next(iter(by_layer.values())) for name, by_layer in values.items() if len(set(by_layer.values())) == 1
        }

    # The current key.

    def adjudication(self, key: State, decided: Sequence[Decision], most: int | None = None) -> Adjudication:
        """The state of the adjudication after the active decisions, with at most `most` questions of each kind."""
        current = self._tracked_key
        current.follow(key)
        by_operation: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for item in decided:
            by_operation[item.operation].add(tuple(item.about))
        rejected = {place for about in by_operation[REJECT] for place in about}
        accepted = {place for about in by_operation[ACCEPT] for place in about}
        mentions = [
            extent
            for extent in self.extent_questions
            if extent.about not in rejected
            and not is_settled(
                [key.mentions[name].label for name in current.names.get(extent.about, ())],
                [choice.label for choice in extent.choices],
                extent.about in accepted,
            )
        ]
        ties = self._open_ties(current, by_operation[KEEP_APART])
        features = self._open_features(current, by_operation[DESCRIBE])
        chains = self._open_chains(current, by_operation[DEFINE])
        relations = self._open_relations(current, by_operation[UNRELATED])
        return Adjudication(
            mentions=mentions[:most],
            ties=[self._tie(current, *item) for item in ties[:most]],
            features=features[:most],
            chains=chains[:most],
            relations=relations[:most],
            open={
                "mentions": len(mentions), "ties": len(ties), "features": len(features), "chains": len(chains),
                "relations": len(relations),
            },
            decisions=list(decided),
            agreed=len(self.agreed_extents),
        )  # fmt: skip

    def _open_features(self, current: IncrementalKey, decided: set[tuple[str, ...]]) -> list[FeatureQuestion]:
        questions = []
        for question in self.feature_questions:
            for name in current.names.get(question.about, ()):
                mention = current.key.mentions[name]
                if (
                    mention.label == question.label
                    and question.feature not in mention.features
                    and feature_subject(question.about, question.feature, question.label) not in decided
                ):
                    questions.append(msgspec.structs.replace(question, mention=name))
                    break
        return questions

    # Chains.

    def _open_ties(self, current: IncrementalKey, decided_apart: Iterable[tuple[str, ...]]) -> list[tuple[str, str]]:
        """The pairs of key chains on which annotators disagree, the most important first."""
        kept_apart = {frozenset(map(current.chain_at, pair)) for pair in decided_apart}
        ranked = []
        for pair in current.together:
            if frozenset(pair) not in kept_apart:
                (first, first_chain), (second, second_chain) = sorted(
                    ((current.chains[chain], chain) for chain in pair), key=lambda item: (item[0].position, item[1])
                )
                ranked.append(
                    (-_join_gain(first.size, second.size), first.position, second.position, first_chain, second_chain)
                )
        return [(first_chain, second_chain) for *_, first_chain, second_chain in sorted(ranked)]

    def _tie(self, current: IncrementalKey, first: str, second: str) -> TieQuestion:
        names = current.together[min(first, second), max(first, second)]
        others = [layer for layer in self.layers if layer not in names]
        return TieQuestion(
            about=[current.extent_of(first), current.extent_of(second)],
            first=first,
            second=second,
            together=[layer for layer in self.layers if layer in names],
            apart=[
                layer for layer in others if current.has_mention(layer, first) and current.has_mention(layer, second)
            ],
            worth=_join_gain(current.chains[first].size, current.chains[second].size),
        )

    # Attributes of chains.

    @cached_property
    def _chain_attributes(self) -> dict[str, dict[str, dict[str, str]]]:
        """The attributes of the chains of each layer, without chains that have none."""
        by_layer = {
            layer: {name: chain_attributes(chain) for name, chain in state.chains.items()}
            for layer, state in self.layers.items()
        }
        return {
            layer: {name: attributes for name, attributes in chains.items() if attributes}
            for layer, chains in by_layer.items()
        }

    @cached_property
    def _used_attributes(self) -> dict[str, set[str]]:
        """The attributes that each layer uses for at least one chain."""
        return {
            layer: {attribute for chain in chains.values() for attribute in chain}
            for layer, chains in self._chain_attributes.items()
        }

    def _open_chains(self, current: IncrementalKey, decided: set[tuple[str, ...]]) -> list[ChainQuestion]:
        """The questions about attributes of key chains on which annotators disagree, the most important first."""
        values: dict[tuple[str, str], dict[str, tuple[int, str]]] = defaultdict(dict)
        for layer, chains in self._chain_attributes.items():
            for chain, attributes in chains.items():
                homes = Counter(
                    home for place in self.chain_extents[layer].get(chain, ()) if (home := current.chain_at(place))
                )
                for (home, shared), (attribute, value) in product(homes.items(), attributes.items()):
                    before = values[home, attribute].get(layer, (0, ""))
                    values[home, attribute][layer] = max(before, (shared, value))
        answered = {(attribute, current.chain_at(place)) for attribute, place in decided}
        questions = []
        for (home, attribute), by_layer in values.items():
            if (attribute, home) in answered or attribute in chain_attributes(current.key.chains[home]):
                continue
            silent = [item for item in self.layers if item not in by_layer and attribute in self._used_attributes[item]]
            voices = {layer: value for layer, (_, value) in by_layer.items()}
            choices, without = _value_choices(voices | {item: "" for item in silent if current.has_mention(item, home)})
            if len(choices) > 1 or (without and attribute.startswith(FEATURE)):
                questions.append(
                    ChainQuestion(
                        about=[attribute, current.extent_of(home)],
                        what=attribute,
                        chain=home,
                        choices=choices,
                        without=without,
                        worth=_disagreement_share([item.layers for item in choices], without),
                    )
                )
        return sorted(questions, key=lambda item: (-item.worth, current.chains[item.chain].position, item.what))

    def _agreed_chain(self, chains: Mapping[str, str | None]) -> Chain:
        """A chain with the attributes on which the layers that use them agree, given its id in each layer."""
        by_layer = {layer: self._chain_attributes[layer].get(name or "", {}) for layer, name in chains.items()}
        alike = {}
        for attribute in {attribute for attributes in by_layer.values() for attribute in attributes}:
            values = {
                attributes.get(attribute, "")
                for layer, attributes in by_layer.items()
                if attribute in self._used_attributes[layer]
            }
            values -= {""} if not attribute.startswith(FEATURE) else set()
            if len(values) == 1:
                alike[attribute] = values.pop()
        return with_attributes(Chain(), alike)

    # Relations.

    def _open_relations(self, current: IncrementalKey, decided: set[tuple[str, ...]]) -> list[RelationQuestion]:
        """The relations of some annotators between chains, or mentions, of the key, the most important first."""
        used_kinds = {
            layer: {relation.kind for relation in state.relations.values()} for layer, state in self.layers.items()
        }
        annotators: dict[tuple[str, str, tuple[str, ...]], list[str]] = defaultdict(list)
        for layer, state in self.layers.items():
            for relation in state.relations.values():
                source = self._key_end(current, layer, relation.source, same_label=True)
                key_ends = (self._key_end(current, layer, target) for target in relation.targets)
                targets = {target for target in key_ends if target is not None} - {source}
                key_targets = tuple(sorted(targets, key=lambda end: (current.position_of(end), end)))
                if source is not None and targets and layer not in annotators[relation.kind, source, key_targets]:
                    annotators[relation.kind, source, key_targets].append(layer)
        key_relations = {(item.kind, item.source, frozenset(item.targets)) for item in current.key.relations.values()}
        answered = {(about[0], *map(current.end_at, about[1:])) for about in decided}
        pronouns = answered_pronouns(current.key)
        questions = []
        for (kind, source, ends), names in annotators.items():
            if kind == ANTECEDENT and source in pronouns:
                continue
            if names and (kind, source, frozenset(ends)) not in key_relations and (kind, source, *ends) not in answered:
                without = [layer for layer in self.layers if layer not in names and kind in used_kinds[layer]]
                questions.append(
                    RelationQuestion(
                        about=[kind, *map(current.extent_of, (source, *ends))],
                        kind=kind,
                        source=source,
                        targets=list(ends),
                        layers=names,
                        without=without,
                        worth=_disagreement_share([names], without),
                    )
                )
        return sorted(questions, key=lambda item: (-item.worth, current.position_of(item.source), item.about))

    def _key_end(self, current: IncrementalKey, layer: str, name: str, *, same_label: bool = False) -> str | None:
        """The end of an annotator's relation in the key: a chain, or a mention in tasks without chains."""
        mention = self.layers[layer].mentions.get(name)
        if mention is None:
            return self._main_chain(current, layer, name)
        names = current.names.get(extent_id(mention), ())
        ranked = sorted(names, key=lambda name: (current.key.mentions[name].label != mention.label, name))
        if same_label and ranked and current.key.mentions[ranked[0]].label != mention.label:
            return None
        return next(iter(ranked), None)

    def _main_chain(self, current: IncrementalKey, layer: str, chain: str) -> str | None:
        """The chain of the key that contains most of an annotator's chain."""
        homes = Counter(home for place in self.chain_extents[layer].get(chain, ()) if (home := current.chain_at(place)))
        return min(homes, key=lambda chain: (-homes[chain], chain)) if homes else None

    # Unanimous annotations, and the events that answer questions.

    def initial_key(self) -> State:
        """The extents that all annotators have, joined in one chain where all annotators join them."""
        if not self.layers:
            raise UsageError("a key is made from annotations: give at least one layer")
        first = next(iter(self.layers))
        mentions: dict[str, Mention] = {}
        homes: dict[tuple[str | None, ...], str] = {}
        placed = set(self.agreed_extents)
        for place in self.agreed_extents:
            layer_chains = tuple(
                mentions_here[-1].chain for mentions_here in (self.by_extent[place][layer] for layer in self.layers)
            )
            for mention in self.by_extent[place][first]:
                home = None
                if not mention.label:
                    home = homes.setdefault(layer_chains if None not in layer_chains else (place,), f"c{len(homes)}")
                features = self._agreed_features(place, mention.label)
                mentions[f"m{len(mentions)}"] = msgspec.structs.replace(mention, chain=home, features=features)
            for mention in self._antecedents_of(self._answer(place, first)):
                if extent_id(mention) not in placed:
                    placed.add(extent_id(mention))
                    mentions[f"m{len(mentions)}"] = as_antecedent(mention)
        chains = {
            home: self._agreed_chain(dict(zip(self.layers, layer_chains, strict=True)))
            if len(layer_chains) == len(self.layers)
            else Chain()
            for layer_chains, home in homes.items()
        }
        key = State(mentions, chains)
        self._tracked_key.follow(key)
        agreed_relations = [
            relation for relation in self._open_relations(self._tracked_key, set()) if not relation.without
        ]
        relations = {
            f"r{number}": Relation(kind=question.kind, source=question.source, targets=tuple(question.targets))
            for number, question in enumerate(agreed_relations)
        }
        return msgspec.structs.replace(key, relations=relations)

    def accept_event(self, key: State, about: str, label: str = "", reason: str = "") -> Event:
        """The event that adds an extent to the key as a mention, or as several mentions if it has several labels.

        The mention joins the key chain on which all annotators of the extent agree. If they disagree, or the key lacks
        their chains, it starts a new chain, and questions about that chain follow later.
        """
        by_layer = self.by_extent.get(about, {})
        sample = next((mentions[0] for layer, mentions in by_layer.items()
                       if label in (self._answer(about, layer), _joint_label(mentions))), None)  # fmt: skip
        if sample is None:
            raise UsageError(
                f"found no annotation of the extent {about!r} with the label {label!r}: choose one that is"
            )
        new = new_id()
        changes: list[Change] = []
        chain = None
        if not label:
            homes = [self._key_chains(layer, key, about) for layer in by_layer]
            agreed = homes[0] if len(homes[0]) == 1 and all(item == homes[0] for item in homes) else set()
            chain = min(agreed) if agreed else f"c-{new}"
            if not agreed:
                chains = {layer: mentions[-1].chain for layer, mentions in by_layer.items()}
                changes.append(("chains", chain, to_builtins(self._agreed_chain(chains))))
        self._tracked_key.follow(key)
        names = self._tracked_key.names
        former = (name for name in names.get(about, ()) if key.mentions[name].label == ANTECEDENT)
        first_name = next(former, f"m-{new}")  # an antecedent may be a pronoun too
        for number, item in enumerate(split_answer(label)[0].split(LABEL_SEPARATOR)):
            mention = msgspec.structs.replace(
                sample, label=item, chain=chain, features=self._agreed_features(about, item)
            )
            changes.append(("mentions", first_name if not number else f"m-{new}-{number}", to_builtins(mention)))
        if antecedents := self._antecedents_of(label):
            changes += antecedent_changes(names, first_name, antecedents, new)
        return Event(id=new, operation=ACCEPT, changes=tuple(changes), reason=reason, about=(about,))

    def _antecedents_of(self, answer: str) -> list[Mention]:
        """The mentions of annotators that an answer names as antecedents."""
        extents = [extent for extent in split_answer(answer)[1] if extent in self.by_extent]
        return [next(iter(self.by_extent[extent].values()))[0] for extent in extents]

    def _key_chains(self, layer: str, key: State, about: str) -> set[str]:
        """The key chains that contain the extents that an annotator puts in one chain with this extent."""
        self._tracked_key.follow(key)
        chains = {mention.chain for mention in self.by_extent[about][layer]} - {None}
        together = {place for chain in chains if chain is not None for place in self.chain_extents[layer][chain]}
        return {home for place in together if (home := self._tracked_key.chain_at(place))}


def adjudication_state(layers: Layers, key: State, log: Iterable[Event]) -> Adjudication:
    """The current state of the adjudication."""
    return Annotations(layers).adjudication(key, decisions(active_events(log)))


def initial_key(layers: Layers) -> State:
    """The key on which all annotators agree, before any decision."""
    return Annotations(layers).initial_key()


def accept_event(layers: Layers, key: State, about: str, label: str = "", reason: str = "") -> Event:
    """The event that adds an extent to the key as a mention."""
    return Annotations(layers).accept_event(key, about, label, reason)


def _joint_label(mentions: Sequence[Mention]) -> str:
    return (
        mentions[0].label
        if len(mentions) == 1
        else LABEL_SEPARATOR.join(sorted({mention.label for mention in mentions}))
    )


def _join_gain(first: int, second: int) -> float:
    return 2 * first * second / (first + second) if first and second else 0.0


def _value_choices(by_layer: Mapping[str, str]) -> tuple[list[ValueChoice], list[str]]:
    """The values, the most frequent first, and the layers that give no value."""
    values: dict[str, list[str]] = {}
    for layer, value in by_layer.items():
        values.setdefault(value, []).append(layer)
    without = values.pop("", [])
    choices = [ValueChoice(value=value, layers=names) for value, names in values.items()]
    return sorted(choices, key=lambda choice: (-len(choice.layers), choice.value)), without


def _disagreement_share(voices: Sequence[Sequence[str]], without: Sequence[str]) -> float:
    """The share of the pairs of annotators who disagree."""
    sizes = [len(names) for names in (*voices, without)]
    total = sum(sizes)
    same = sum(size * (size - 1) for size in sizes)
    return 1 - same / (total * (total - 1)) if total > 1 else 0.0
