"""Compare two annotations of tags or of anaphora: the answer of each annotator for each word or pronoun.

All tags of a word form one answer, and so do all antecedents of a pronoun. Answers of the key and the response are
paired by extent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from aune.workbench.anaphora import PRONOUN, resolutions
from aune.workbench.comparison import PLAIN, Conventions, restrict_to_passage, scores
from aune.workbench.model import Mention, State, Text, mention_sort_key
from aune.workbench.spans import SpanComparison, SpanPair

CORRECT, OTHER_TAG, OTHER_ANSWER, OMISSION, INSERTION = (
    "correct", "other tag", "other antecedent", "omission", "insertion",
)  # fmt: skip


class Answer(NamedTuple):
    """The answer of an annotator for one extent."""

    mention: str
    values: frozenset[object]


def compare_answers(text: Text, key: State, response: State, conventions: Conventions = PLAIN) -> SpanComparison:
    """Two annotations of tags or of anaphora, compared; each wrong answer costs 1."""
    states = [restrict_to_passage(state, conventions.start, conventions.end) for state in (key, response)]
    find = tag_answers if text.task == "tagging" else antecedent_answers
    key_answers, response_answers = (find(state) for state in states)
    different = OTHER_TAG if text.task == "tagging" else OTHER_ANSWER
    samples = {place: states[0].mentions[answer.mention] for place, answer in key_answers.items()}
    samples |= {place: states[1].mentions[answer.mention] for place, answer in response_answers.items()}
    pairs = [
        _pair(samples[place], key_answers.get(place), response_answers.get(place), different)
        for place in sorted(samples, key=lambda place: mention_sort_key(samples[place]))
    ]
    return SpanComparison(
        scores=scores(text, key, response, conventions),
        twins=pairs,
        disagreements=[pair for pair in pairs if pair.cost],
    )


def _pair(mention: Mention, key: Answer | None, response: Answer | None, different: str) -> SpanPair:
    if key is None or response is None:
        kind = OMISSION if response is None else INSERTION
    else:
        kind = CORRECT if key.values == response.values else different
    return SpanPair(
        key=key and key.mention, response=response and response.mention, kind=kind, cost=float(kind != CORRECT),
        start=mention.start, end=mention.end,
    )  # fmt: skip


def tag_answers(state: State) -> Mapping[object, Answer]:
    """The tags of every word and compound, by extent."""
    tags: dict[object, set[object]] = {}
    first: dict[object, str] = {}
    for name, mention in state.mentions.items():
        tags.setdefault(mention.parts, set()).add(mention.label)
        first.setdefault(mention.parts, name)
    return {place: Answer(first[place], frozenset(labels)) for place, labels in tags.items()}


def antecedent_answers(state: State) -> Mapping[object, Answer]:
    """The antecedents of every pronoun, by the extent of the pronoun."""
    answers: dict[object, Answer] = {}
    for resolution in resolutions(state):
        mention = state.mentions[resolution.pronoun]
        values: set[object] = {state.mentions[name].parts for name in resolution.antecedents}
        answers[mention.parts] = Answer(resolution.pronoun, frozenset(values or {mention.label or PRONOUN}))
    return answers
