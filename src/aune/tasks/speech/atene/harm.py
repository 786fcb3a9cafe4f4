"""The most costly errors: the margins that are lost under ATENE, attributed to the errors that caused the loss.

If the margin of an entity's beginning or end, or of a stretch outside entities, falls from the key to the response,
the weights λ·f of the changed features show which of the surrounding words are responsible. The loss is divided among
the errors on those words. Errors are counted by kind, to show which kinds do harm.

    missing name     a word of an entity deleted
    unknown name     a word of an entity, unknown to the models, substituted
    close name       a word of an entity substituted by one that sounds or looks similar
    other name       a word of an entity substituted by any other
    split name       a word inserted between two words of an entity
    inserted name    a word inserted, or substituted for another, that looks like an entity where there is none
    function word    a function word deleted, inserted, or wrong
    other word       anything else

Source: the thesis of Ben Jannet 2015, Perspectives (characterisation of errors), eq. 5.15.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from aune.numeric.arrays import Floats, Ints
from aune.tasks.speech.alignment.words import DELETION, INSERTION, OPTIONAL, SUBSTITUTION, Alignment, AlignmentKind
from aune.tasks.speech.atene.margins import Margins, margin, margins, model_for
from aune.tasks.speech.atene.maxent import OUTSIDE, Model, ModelName
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.measures.content_wer import stop_words
from aune.tasks.speech.text.phonemes import pronouncer

CLOSE_DISTANCE = 0.35  # maximal share of different letters in similar words
KINDS = (
    "missing name", "unknown name", "close name", "other name", "split name", "inserted name", "function word",
    "other word",
)  # fmt: skip


class Harm(NamedTuple):
    """For every error of an alignment: its lost margin, its kind, and the features that lost the most."""

    lost: Floats
    kind: list[str]
    features: list[str]


class MarginLoss(NamedTuple):
    """A position where a class is expected, in both texts (-1 if there is none), and the margin lost there."""

    which: ModelName
    label: int
    key: int
    response: int
    lost: float
    blamed: tuple[int, ...] = ()
    """The responsible errors, if the response has no word at the position."""


def harm(comparison: Comparison, path: str, kind: AlignmentKind = "similar", sounds: str = "") -> Harm:
    """The cost of each error under the model in a file."""
    model, alignment = model_for(comparison, path), comparison.alignment(kind)
    model_margins = margins(comparison, path, kind, sounds)
    texts = list(comparison.wordings(kind))
    rows = model.indices([key for key, _ in texts]), model.indices([response for _, response in texts])
    blame = _Blame(model, alignment, rows)
    for decision in _margin_losses(comparison, alignment, model_margins, model, *rows):
        blame.share(decision)
    outside = margin(model.probabilities("inside", rows[1]), np.full(len(rows[1]), OUTSIDE))
    return Harm(blame.lost, error_kinds(comparison, alignment, model, outside, sounds), blame.features())


class _Blame:
    """Divides losses among errors."""

    def __init__(self, model: Model, alignment: Alignment, rows: tuple[Ints, Ints]) -> None:
        self.model, self.rows = model, rows
        self.lost = np.zeros(len(alignment.kind))
        self.starts = alignment.key.starts, alignment.response.starts
        self.reasons: dict[int, dict[str, float]] = {}
        real = alignment.kind < OPTIONAL
        on_key, on_response = real & (alignment.kind != INSERTION), real & (alignment.kind != DELETION)
        self.by_key = dict(zip(alignment.key_at[on_key].tolist(), np.flatnonzero(on_key).tolist(), strict=True))
        self.by_response = dict(
            zip(alignment.response_at[on_response].tolist(), np.flatnonzero(on_response).tolist(), strict=True)
        )

    def share(self, decision: MarginLoss) -> None:
        if decision.response < 0:
            for error in decision.blamed:
                self._add(error, decision.lost / len(decision.blamed), "missing")
            return
        weights: dict[int, float] = {}
        names: dict[int, str] = {}
        for template, loss in zip(self.model.templates, self._template_losses(decision), strict=True):
            for _, offset in template.parts:
                for error in self._errors(decision, offset):
                    weights[error] = weights.get(error, 0.0) + max(loss, 0.0) / len(template.parts)
                    if loss > 0:
                        names.setdefault(error, template.name)
        if not weights:
            return
        total = sum(weights.values())
        for error, weight in weights.items():
            part = weight / total if total else 1 / len(weights)
            self._add(error, decision.lost * part, names.get(error, "context"))

    def _add(self, error: int, lost: float, name: str) -> None:
        self.lost[error] += lost
        reasons = self.reasons.setdefault(error, {})
        reasons[name] = reasons.get(name, 0.0) + lost

    def _errors(self, decision: MarginLoss, offset: int) -> set[int]:
        """The errors on words at this offset in the same utterance; other utterances are no context."""
        sides = (self.by_response, self.starts[1], decision.response), (self.by_key, self.starts[0], decision.key)
        candidates = (
            errors.get(place + offset)
            for errors, starts, place in sides
            if place >= 0 and _utterance_of(starts, place) == _utterance_of(starts, place + offset)
        )
        return {error for error in candidates if error is not None}

    def _template_losses(self, decision: MarginLoss) -> Floats:
        """By template: its contribution to the right class on the key, less that on the response."""
        weights = self.model.weights[decision.which]
        response_weights = weights[self.rows[1][decision.response]].astype(float)
        totals = response_weights.sum(axis=0) + self.model.bias[decision.which]
        totals[decision.label] = -np.inf
        rival = int(np.argmax(totals))
        losses = response_weights[:, rival] - response_weights[:, decision.label]
        if decision.key >= 0:
            key_weights = weights[self.rows[0][decision.key]].astype(float)
            losses -= key_weights[:, rival] - key_weights[:, decision.label]
        result: Floats = losses
        return result

    def features(self) -> list[str]:
        named = []
        for error in range(len(self.lost)):
            reasons = self.reasons.get(error, {})
            named.append(", ".join(sorted(reasons, key=lambda name: (-reasons[name], name))[:3]))
        return named


def _utterance_of(starts: Ints, place: int) -> int:
    """The utterance of a word, from the word's index among all words."""
    return int(np.searchsorted(starts, place, "right"))


def _margin_losses(
    comparison: Comparison,
    alignment: Alignment,
    model_margins: Margins,
    model: Model,
    rows_of_key: Ints,
    response_rows: Ints,
) -> list[MarginLoss]:
    """Every position where margin was lost."""
    entities, decisions = comparison.entities, []
    by_key = {
        int(place): error
        for error, place in enumerate(alignment.key_at)
        if alignment.kind[error] in (SUBSTITUTION, DELETION)
    }
    for number, unit in enumerate(entities.unit.tolist()):
        key_first, response_first = int(alignment.key.starts[unit]), int(alignment.response.starts[unit])
        start, end = key_first + int(entities.start[number]), key_first + int(entities.end[number])
        place = (
            response_first + int(model_margins.places.start[number]),
            response_first + int(model_margins.places.end[number]) - 1,
        )
        has_words = place[1] >= place[0]
        blamed = tuple(by_key[word] for word in range(start, end) if word in by_key)
        label = model.classes.get(entities.labels[number]) or _likeliest(model, rows_of_key[start])
        for which, key_at, response_at, lost in (
            ("begin", start, place[0], model_margins.begin_key[number] - model_margins.begin_response[number]),
            ("end", end - 1, place[1], model_margins.end_key[number] - model_margins.end_response[number]),
        ):
            if lost > 0 and (has_words or blamed):
                decision = MarginLoss(which, label, key_at, response_at if has_words else -1, float(lost), blamed)  # type: ignore[arg-type]
                decisions.append(decision)
    outside = margin(model.probabilities("inside", response_rows), np.full(len(response_rows), OUTSIDE))
    firsts = alignment.response.starts[model_margins.segment_unit]
    for number in np.flatnonzero(model_margins.segment_loss < 0).tolist():
        start, end = (
            int(firsts[number] + bound[number]) for bound in (model_margins.response_start, model_margins.response_end)
        )
        if end > start:
            worst = start + int(np.argmin(outside[start:end]))
            decisions.append(MarginLoss("inside", OUTSIDE, -1, worst, -float(model_margins.segment_loss[number])))
    return decisions


def _likeliest(model: Model, row: Ints) -> int:
    """The most likely type under the models for an entity whose type they do not know."""
    return 1 + int(np.argmax(model.probabilities("begin", row[None, :])[0, 1:]))


def error_kinds(
    comparison: Comparison, alignment: Alignment, model: Model, outside: Floats, sounds: str = ""
) -> list[str]:
    """The kind of every error."""
    entity = np.append(comparison.entity_of(alignment), -1)
    stops = stop_words("fr" if sounds == "fr" else "en")
    pronounce = pronouncer(sounds) if sounds else None
    words = comparison.words
    named = []
    for kind, key_at, response_at in zip(
        alignment.kind.tolist(), alignment.key_at.tolist(), alignment.response_at.tolist(), strict=True
    ):
        key_word = words[alignment.key.codes[key_at]] if kind != INSERTION and key_at < alignment.key.size else ""
        response_word = words[alignment.response.codes[response_at]] if kind in (SUBSTITUTION, INSERTION) else ""
        if key_word and entity[key_at] >= 0:
            named.append(_name_kind(key_word, response_word, model, pronounce))
        elif kind == INSERTION and key_at and entity[key_at] >= 0 and entity[key_at] == entity[key_at - 1]:
            named.append("split name")
        elif response_word and outside[response_at] < 0:
            named.append("inserted name")
        elif (key_word or response_word).lower() in stops:
            named.append("function word")
        else:
            named.append("other word")
    return named


def _name_kind(
    key_word: str, response_word: str, model: Model, pronounce: Callable[[Sequence[str]], list[str]] | None
) -> str:
    if not response_word:
        return "missing name"
    if pronounce is not None and pronounce([key_word]) == pronounce([response_word]):
        return "close name"
    if not model.lexica.words[key_word.lower()]:
        return "unknown name"
    near = Levenshtein.normalized_distance(key_word.lower(), response_word.lower()) <= CLOSE_DISTANCE
    return "close name" if near else "other name"


def harm_by_kind(harm: Harm, edits: Ints) -> dict[str, dict[str, Any]]:
    """The number of errors of each kind, and the margin that they lost, in total and on average; no optional words."""
    table = {}
    real = edits < OPTIONAL
    for name in KINDS:
        selected = np.array([error_kind == name for error_kind in harm.kind]) & real if len(real) else real
        if selected.any():
            lost = math.fsum(harm.lost[selected].tolist())
            table[name] = {"errors": int(selected.sum()), "lost": lost, "each": lost / int(selected.sum())}
    return table
