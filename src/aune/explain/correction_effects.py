"""The effect of a correction of a key on the scores and ranks of systems, one correction at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.contract.measure import Measure
from aune.corrections.document_diffs import Edit
from aune.corrections.item_edits import edit_documents
from aune.errors import AuneError
from aune.evaluation.pairing import pair_corpora
from aune.evaluation.pipeline import evaluate
from aune.evaluation.plan import check_version, options_for_responses, select_measures
from aune.reading.corpus import Corpus, read
from aune.results.result import Result, SystemScore, plain_value

ENGINE_OPTIONS = ("progress", "workers", "engine")
"""Options of an evaluation that change no number: documents in memory are counted in this process."""


class Effect(NamedTuple):
    """The effect of a change of the key on one system."""

    system: str
    before: float | None
    after: float | None
    rank_before: int | None
    rank_after: int | None

    @property
    def change(self) -> float:
        return 0.0 if self.before is None or self.after is None else self.after - self.before

    @property
    def has_moved(self) -> bool:
        return self.rank_before != self.rank_after


@dataclass(frozen=True)
class ScoredRuns:
    """Runs with the key that scores them: read once, and scored for every version of the key."""

    task: str
    key: Corpus
    responses: Mapping[str, Corpus]
    measure: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def result(self) -> Result:
        return self.score(self.key, self.responses)

    @property
    def scores(self) -> list[SystemScore]:
        return [self.result[system, self.measure] for system in self.responses]

    def score(self, key: Corpus, responses: Mapping[str, Corpus], **policies: Any) -> Result:
        return evaluate(self.task, key, responses, **{**self.options, "measures": [self.measure], **policies})

    def effects(self, edits: Sequence[tuple[str, Edit]]) -> list[list[Effect]]:
        """The effect of each of some edits of documents, each alone, on every system."""
        before = [score.main for score in self.scores]
        trials = [self._values_after(document, edit) for document, edit in edits]
        return [self.compare_values(before, after) for after in trials]

    def compare_values(self, before: Sequence[float | None], after: Sequence[float | None]) -> list[Effect]:
        rows = zip(self.responses, before, after, self.ranks(before), self.ranks(after), strict=True)
        return [Effect(*row) for row in rows]

    def ranks(self, values: Sequence[float | None]) -> list[int | None]:
        """The rank of each system, by the value that ranks; equal values share a rank."""
        measure = self.scores[0].measure
        worth = [None if value is None else float(measure.goodness(np.array(value))) for value in values]
        known = [number for number in worth if number is not None]
        return [None if number is None else 1 + sum(other > number for other in known) for number in worth]

    def _values_after(self, document: str, edit: Edit) -> list[float | None]:
        """The value of each system by the key with an edit: of one document, if counts of documents add up."""
        if self._are_additive:
            values = self._values_by_document(document, edit)
            if values is not None:
                return values
        documents = edit_documents(self.task, self.key.documents, document, edit)
        changed = self.score(replace(self.key, documents=documents), self.responses)
        return [changed[system, self.measure].main for system in self.responses]

    @cached_property
    def _are_additive(self) -> bool:
        measure = self.scores[0].measure
        return measure.settle is None and not self.scores[0].averaged_over

    def _values_by_document(self, document: str, edit: Edit) -> list[float | None] | None:
        """None if the columns of one document are not those of all."""
        [original] = [candidate for candidate in self.key.documents if candidate.id == document]
        [changed] = edit_documents(self.task, [original], document, edit)
        values = []
        for score in self.scores:
            response = self._partners[score.system].get(document)
            if response is None:
                values.append(score.main)
                continue
            totals = [
                self._original_total(score.system, document, original, response),
                self._document_total(score.system, changed, response),
            ]
            if any(total is None or len(total) != len(score.rows.total) for total in totals):
                return None
            after = np.asarray(score.rows.total) - totals[0] + totals[1]
            named = score.score_sums(after[None, :], score.rows.layout)
            values.append(plain_value(np.ravel(named[score.measure.headline])[0]))
        return values

    @cached_property
    def _partners(self) -> dict[str, dict[str, Any]]:
        """The response to each document of the key, by system; without documents that have no response."""
        task = registry.task(self.task)
        missing = self.options.get("missing", "empty")
        return {
            system: {key.id: response for key, response in pair_corpora(task, self.key, corpus, missing=missing).pairs}
            for system, corpus in self.responses.items()
        }

    @cached_property
    def _original_totals(self) -> dict[tuple[str, str], Any]:
        return {}

    def _original_total(self, system: str, document: str, key: Any, response: Any) -> Any:
        name = system, document
        if name not in self._original_totals:
            self._original_totals[name] = self._document_total(system, key, response)
        return self._original_totals[name]

    def _document_total(self, system: str, key: Any, response: Any) -> Any:
        try:
            scored = self.score(
                replace(self.key, documents=[key]), {system: replace(self.responses[system], documents=[response])}
            )
        except AuneError:  # a document without anything to count
            return None
        return np.asarray(scored[system, self.measure].rows.total)


def read_runs(
    task: str,
    key: Any,
    systems: Mapping[str, Any],
    measures: Sequence[str | Measure],
    options: Mapping[str, Any],
) -> ScoredRuns:
    """The key and the responses of systems in memory, for one measure; options are those of `aune.evaluate`."""
    home = registry.task(task)
    [measure, *_] = select_measures(home, measures or [home.ranking])
    settings = {name: value for name, value in options.items() if name not in ENGINE_OPTIONS}
    key_format, response_format = settings.pop("key_format", None), settings.pop("response_format", None)
    version = check_version(settings.pop("key_version", None))
    corpus = replace(read(home, key, key_format, **settings), version=version)
    response_options = options_for_responses(settings)
    responses = {name: read(home, source, response_format, **response_options) for name, source in systems.items()}
    return ScoredRuns(home.name, corpus, responses, measure.name, settings)


def iterate_moves(effects: Sequence[Effect]) -> Iterator[Effect]:
    """The effects that change a value or a rank, the largest first."""
    yield from sorted(
        (effect for effect in effects if effect.change or effect.has_moved),
        key=lambda effect: (-abs(effect.change), effect.system),
    )
