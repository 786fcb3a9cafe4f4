"""What annotators answer for a pronoun, as adjudication compares it: its label together with its antecedents.

The answer `pronoun → 8-11, 20-25` names the extents of the antecedents in text order. Antecedents are no questions of
their own: they come into the key with the answers that need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aune.workbench.anaphora import ANAPHORS, ANTECEDENT, PRONOUN, resolutions
from aune.workbench.decisions import extent_id
from aune.workbench.model import Change, Mention, Relation, State, to_builtins

ARROW = " → "
SEPARATOR = ", "


def antecedents_by_extent(state: State) -> dict[str, str]:
    """The extents of the antecedents of each pronoun that has some, by the extent of the pronoun."""
    if not any(relation.kind == ANTECEDENT for relation in state.relations.values()):
        return {}
    return {
        extent_id(state.mentions[answer.pronoun]): SEPARATOR.join(extent_id(state.mentions[name]) for name in names)
        for answer in resolutions(state)
        if (names := [name for name in answer.antecedents if name in state.mentions])
    }


def split_answer(answer: str) -> tuple[str, list[str]]:
    """The label of an answer, and the extents of its antecedents.

    >>> split_answer("pronoun → 8-11, 20-25"), split_answer("none")
    (('pronoun', ['8-11', '20-25']), ('none', []))
    """
    label, _, extents = answer.partition(ARROW)
    return label, extents.split(SEPARATOR) if extents else []


def carried_extents(states: Iterable[State]) -> set[str]:
    """The extents that are nothing but antecedents of pronouns for everybody who marked them."""
    carried: set[str] = set()
    others: set[str] = set()
    for state in states:
        targets = {name for item in state.relations.values() if item.kind == ANTECEDENT for name in item.targets}
        for name, mention in state.mentions.items():
            is_carried = name in targets and mention.label == ANTECEDENT and not mention.features
            (carried if is_carried else others).add(extent_id(mention))
    return carried - others


def is_settled(labels: Sequence[str], choices: Sequence[str], is_accepted: bool) -> bool:
    """Whether mentions of the key answer a question, by their labels: to be an antecedent says nothing of a pronoun."""
    if is_accepted or not labels:
        return bool(labels)
    asks_for_pronoun = any(split_answer(choice)[0] in ANAPHORS for choice in choices)
    return not asks_for_pronoun or any(label != ANTECEDENT for label in labels)


def antecedent_changes(
    names: Mapping[str, Sequence[str]], pronoun: str, antecedents: Sequence[Mention], id: str
) -> list[Change]:
    """The changes that give a pronoun of the key its antecedents; `names` are the mentions of the key by extent."""
    changes: list[Change] = []
    targets = []
    for number, mention in enumerate(antecedents):
        known = names.get(extent_id(mention), ())
        target = known[0] if known else f"m-{id}-to-{number}"
        if not known:
            changes.append(("mentions", target, to_builtins(as_antecedent(mention))))
        targets.append(target)
    relation = Relation(kind=ANTECEDENT, source=pronoun, targets=tuple(targets))
    return [*changes, ("relations", f"r-{id}", to_builtins(relation))]


def as_antecedent(mention: Mention) -> Mention:
    """A mention of the key at the place of another one, which pronouns can refer to."""
    return Mention(parts=mention.parts, order=mention.order, label=ANTECEDENT)


def answered_pronouns(key: State) -> set[str]:
    """The pronouns of the key that have an antecedent."""
    sources = {relation.source for relation in key.relations.values() if relation.kind == ANTECEDENT}
    return {name for name in sources if name in key.mentions and key.mentions[name].label == PRONOUN}
