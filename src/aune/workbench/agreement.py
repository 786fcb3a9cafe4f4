"""The agreement between the annotators of a text: every measure for each pair, and κ and α, corrected for chance.

For an asymmetric measure, the first annotator of a pair is the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import msgspec

from aune.errors import UsageError
from aune.explain.annotators import annotators_agreement
from aune.workbench.comparison import PLAIN, Conventions, Score, page_score, pooled_scores, restrict_to_passage
from aune.workbench.comparison import document_pair as documents_of
from aune.workbench.documents import shared_words, state_document
from aune.workbench.model import State, Text


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two annotators, and their score on every measure."""

    first: str
    second: str
    scores: list[Score]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """The agreement between all annotators of a text."""

    pairs: list[Pair]
    chance: dict[str, list[Score]]
    """Chance-corrected agreement of each pair, and of all annotators under `overall`."""


def agreement(text: Text, layers: Mapping[str, State], conventions: Conventions = PLAIN) -> Agreement:
    """The agreement between layers, given by name."""
    return pooled_agreement([(text, layers)], conventions)


def pooled_agreement(
    annotated: Sequence[tuple[Text, Mapping[str, State]]], conventions: Conventions = PLAIN
) -> Agreement:
    """The agreement between the same annotators over several texts of one task."""
    names = list(annotated[0][1]) if annotated else []
    if len(names) < 2:
        raise UsageError("agreement needs at least two layers")
    if other := next((text.id for text, layers in annotated if set(layers) != set(names)), None):
        raise UsageError(f"found other annotators of {other!r} than of {annotated[0][0].id!r}: choose the same ones")
    task = annotated[0][0].task
    documents: dict[str, list[Any]] = {name: [] for name in names}
    for text, layers in annotated:
        states = {name: restrict_to_passage(layers[name], conventions.start, conventions.end) for name in names}
        words = shared_words(text, states.values())
        for name, state in states.items():
            documents[name].append(state_document(text, state, words).document)
    chance: dict[str, list[Score]] = {}
    for score in annotators_agreement(task, documents, **conventions.judgement_options(task)):
        chance.setdefault(score.system, []).append(page_score(score))
    return Agreement(
        pairs=[
            Pair(
                first=first, second=second,
                scores=pooled_scores(task, [documents_of(text, layers[first], layers[second], conventions)
                                        for text, layers in annotated], conventions),
            )
            for first, second in combinations(names, 2)
        ],
        chance=chance,
    )  # fmt: skip


class PairAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Two annotators over all texts that both of them annotated."""

    first: str
    second: str
    texts: int
    scores: list[Score]


class ProjectAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """The agreement between the annotators of many texts, not all of whom annotated every text."""

    task: str
    texts: int
    pairs: list[PairAgreement]
    overall: list[Score]
    """All pairs of annotators of all texts, pooled."""
    chance: list[Score]
    """Chance-corrected agreement between all annotators over all texts."""


def project_agreement(
    annotated: Sequence[tuple[Text, Mapping[str, State]]], conventions: Conventions = PLAIN
) -> ProjectAgreement:
    """The agreement between annotators over texts of one task, each annotated by at least two people."""
    if any(len(states) < 2 for _, states in annotated) or not annotated:
        raise UsageError("agreement needs texts that two annotators have finished")
    task = annotated[0][0].task
    pairs: dict[tuple[str, str], list[tuple[Any, Any]]] = {}
    positions: dict[str, list[Any]] = {}
    for number, (text, states) in enumerate(annotated):
        words = shared_words(text, states.values())
        for place, name in enumerate(sorted(states)):  # coefficients allow the annotators to differ between texts
            document = state_document(text, states[name], words).document
            positions.setdefault(f"annotator {place + 1}", []).append(replace(document, id=str(number)))
        for first, second in combinations(sorted(states), 2):
            key, response = documents_of(text, states[first], states[second], conventions)
            name = f"{number} {first} {second}"  # texts of different files may have the same name
            pairs.setdefault((first, second), []).append((replace(key, id=name), replace(response, id=name)))
    chance = annotators_agreement(task, positions, **conventions.judgement_options(task)).scores
    overall_name = "overall" if len(positions) > 2 else "–".join(positions)
    return ProjectAgreement(
        task=task,
        texts=len(annotated),
        pairs=[
            PairAgreement(
                first=first,
                second=second,
                texts=len(documents),
                scores=pooled_scores(task, documents, conventions),
            )
            for (first, second), documents in sorted(pairs.items())
        ],
        overall=pooled_scores(task, [pair for documents in pairs.values() for pair in documents], conventions),
        chance=[page_score(score) for score in chance if score.system == overall_name],
    )
