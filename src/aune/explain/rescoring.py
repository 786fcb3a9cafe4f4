"""Score runs again with a new version of their key: their values, ranks, and the corrections that caused the change."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.task import rename_document
from aune.corrections.document_diffs import Edit, list_edits
from aune.corrections.edit_wording import describe_edit
from aune.errors import AuneError, UsageError
from aune.evaluation.plan import collect_options, reading_functions, resolve_plan, scoring_functions
from aune.explain.correction_effects import Effect, ScoredRuns, read_runs
from aune.files import read_bytes
from aune.reading.argument_checks import forwards_options_to
from aune.reading.corpus import Corpus, InputRecord
from aune.reading.system_names import name_runs, system_names
from aune.results.result import Interval, Result, SystemScore, public_function
from aune.results.storage import load
from aune.statistics.comparison import compare_systems
from aune.statistics.intervals import with_intervals
from aune.statistics.sampling_units import sampling_unit

ADDED, REMOVED, OTHER_TEXT = "the document is new", "the document is gone", "the text is another one"
TOLERANCE = 1e-9  # of stored values; JSON does not round them


class Change(NamedTuple):
    """The ranking value of one system by both versions."""

    system: str
    before: float | None
    before_interval: Interval | None
    after: float | None
    after_interval: Interval | None
    change: float | None
    change_interval: Interval | None
    rank_before: int | None
    rank_after: int | None

    @property
    def has_moved(self) -> bool:
        return self.rank_before != self.rank_after


class Correction(NamedTuple):
    """A difference between both versions of a document, and its effect alone."""

    document: str
    edit: Edit | None
    """None if it is no edit of an item."""
    text: str
    effects: tuple[Effect, ...]

    @property
    def size(self) -> float:
        """The largest change of any system."""
        return max((abs(effect.change) for effect in self.effects), default=0.0)


class KeyVersion(NamedTuple):
    """One version of a key, as in the inputs of results."""

    path: str | None
    sha256: str | None
    version: str | None = None
    """Its name, if the caller gave one."""


@dataclass(frozen=True)
class Rescored:
    """Runs by two versions of a key."""

    before: Result
    after: Result
    measure: Measure
    keys: tuple[KeyVersion, KeyVersion]
    changes: list[Change]
    corrections: list[Correction]
    """The largest effects first."""

    @property
    def task(self) -> str:
        return self.after.task

    def to_dict(self) -> dict[str, Any]:
        return {
            "aune": "rescored",
            "version": 1,
            "task": self.task,
            "measure": self.measure.name,
            "value": self.measure.headline,
            "keys": [
                {name: value for name, value in key._asdict().items() if name != "version" or value}
                for key in self.keys
            ],
            "signature": str(self.after.scores[0].signature),
            "changes": [change._asdict() for change in self.changes],
            "corrections": [
                {**row._asdict(), "effects": [effect._asdict() for effect in row.effects]} for row in self.corrections
            ],
            "warnings": list(dict.fromkeys([*self.before.warnings, *self.after.warnings])),
        }

    def to(self, format: str, digits: int = 2) -> str:
        """Everything as text: table, json, csv, tsv, markdown, latex or html."""
        from aune import rescored_written  # noqa: PLC0415 - lazily: reports are a higher layer

        return str(rescored_written(self, format, digits))

    def __str__(self) -> str:
        return self.to("table").rstrip("\n")


def score_again(
    task: str,
    old: Any,
    new: Any,
    systems: Mapping[str, Any] | Sequence[str | Path] = (),
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    unit: str = "auto",
    old_version: str | None = None,
    new_version: str | None = None,
    measures: Sequence[str | Measure] = (),
    **options: Any,
) -> Rescored:
    """Runs scored by two versions of a key: before and after with intervals, ranks, and the corrections responsible.

    `old` is the old key, or a stored result (JSON, or a folder of rows): its responses are then read from the recorded
    paths and scored again. `measures` names the measure (by default the one that ranks, or the first of the stored
    result); intervals are computed as in `evaluate`, and the other options are the same.
    `old_version` and `new_version` name the two versions.

    >>> old, new = [[("the", "D"), ("cat", tag)] for tag in "VN"]
    >>> told = score_again("tagging", old, new, {"a": new, "b": old}, measures=["accuracy"])
    >>> [(change.system, change.before, change.after, change.rank_before, change.rank_after) for change in told.changes]
    [('a', 0.5, 1.0, 2, 1), ('b', 1.0, 0.5, 1, 2)]
    >>> [correction.text for correction in told.corrections]
    ['“cat” (word 1): V becomes N']
    """
    stored = _stored_result(old)
    if stored is not None:
        old_version = _stored_version(stored, old_version)
        measures = measures or [stored.scores[0].name]
        systems = systems or _stored_responses(stored)
        options = {**_stored_options(stored, measures), **options}
        old = _stored_key(stored)
    named = _name_systems(systems)
    if not named:
        raise UsageError("expected at least one response to score again")
    before_runs = read_runs(task, old, named, measures, {**options, "key_version": old_version})
    key = read_runs(task, new, {}, measures, {**options, "key_version": new_version}).key
    _check_names(before_runs.key, key)
    after_runs = replace(before_runs, key=_name_like(before_runs.key, key))
    if stored is not None:
        _check_same_scores(stored, before_runs)
    drawn = sampling_unit(before_runs.result, unit).name  # the new file has another name, and perhaps other documents
    settings = {"level": level, "draws": draws, "seed": seed, "unit": drawn}
    results = [with_intervals(runs.result, **settings) for runs in (before_runs, after_runs)]  # type: ignore[arg-type]
    before, after = (_scores(result, runs) for result, runs in zip(results, (before_runs, after_runs), strict=True))
    effects = before_runs.compare_values([score.main for score in before], [score.main for score in after])
    changes = [_make_change(*row, settings) for row in zip(before, after, effects, strict=True)]
    corrections = _list_corrections(before_runs, after_runs)
    keys = tuple(KeyVersion(runs.key.path, runs.key.sha256, runs.key.version) for runs in (before_runs, after_runs))
    return Rescored(results[0], results[1], before[0].measure, (keys[0], keys[1]), changes, corrections)


rescore = forwards_options_to(resolve_plan)(public_function(score_again, "rescore", lambda rescored: rescored.after))
"""The public function, which issues the warnings as well."""


def _check_names(old: Corpus, new: Corpus) -> None:
    """Refuse one name for two versions that differ."""
    if old.version and old.version == new.version and (None in (old.sha256, new.sha256) or old.sha256 != new.sha256):
        raise UsageError(f"found {old.version!r} as the name of both versions, expected two: change --new-version")


def _stored_version(stored: Result, named: str | None) -> str | None:
    """The name of the version of a stored result's key; refused if the caller gives another one."""
    name = next((record.version for record in stored.inputs if record.role == "key"), None)
    if name and named and name != named:
        raise UsageError(f"--old-version {named}: the stored result is by version {name}: leave the option out")
    return name or named


def _name_like(old: Corpus, new: Corpus) -> Corpus:
    """The new key; its only document has the name of the old one, which may come from the name of the file."""
    if len(old.documents) == len(new.documents) == 1:
        return replace(new, documents=[rename_document(new.documents[0], old.documents[0].id)])
    return new


def _name_systems(systems: Mapping[str, Any] | Sequence[str | Path]) -> dict[str, Any]:
    named = systems if isinstance(systems, Mapping) else system_names(list(systems), with_runs=True)
    return name_runs(named)[0]


def _scores(result: Result, runs: ScoredRuns) -> list[SystemScore]:
    return [result[system, runs.measure] for system in runs.responses]


def _make_change(before: SystemScore, after: SystemScore, effect: Effect, settings: Mapping[str, Any]) -> Change:
    value = before.measure.headline
    pair = _compare_versions(before, after, settings)
    return Change(
        before.system, effect.before, before.intervals.get(value), effect.after, after.intervals.get(value),
        None if effect.before is None or effect.after is None else effect.change, pair,
        effect.rank_before, effect.rank_after,
    )  # fmt: skip


def _compare_versions(before: SystemScore, after: SystemScore, settings: Mapping[str, Any]) -> Interval | None:
    """The interval of the difference, from the same units by both keys; None if the units differ."""
    versions = [replace(after, system="after"), replace(before, system="before")]
    try:
        comparisons = compare_systems(Result(before.measure.task, versions), **settings)
    except AuneError:
        return None
    if before.measure.better == "zero":  # its differences are of distances from zero
        return None
    return next((pair.ci for pair in comparisons.pairs if pair.value == before.measure.headline), None)


# The corrections.


def _list_corrections(before: ScoredRuns, after: ScoredRuns) -> list[Correction]:
    """The differences between both keys, document by document, with the effect of each."""
    old, new = ({document.id: document for document in runs.key.documents} for runs in (before, after))
    rows = [Correction(name, None, ADDED, ()) for name in new if name not in old]
    edits: list[tuple[str, Edit]] = []
    for name, document in old.items():
        if name not in new:
            rows.append(Correction(name, None, REMOVED, ()))
            continue
        try:
            edits += [(name, edit) for edit in list_edits(before.task, document, new[name])]
        except UsageError:
            rows.append(Correction(name, None, OTHER_TEXT, ()))
    effects = before.effects(edits)
    rows += [
        Correction(name, edit, describe_edit(before.task, edit, old[name]), tuple(changes))
        for (name, edit), changes in zip(edits, effects, strict=True)
    ]
    return sorted(rows, key=lambda row: (-round(row.size, 12), row.document, row.text))


# Stored results.


def _stored_result(old: Any) -> Result | None:
    """The stored result at a path; None if the path is a key."""
    if isinstance(old, Result):
        return old
    if not isinstance(old, str | Path):
        return None
    path = Path(old)
    if path.is_dir():
        return load(path) if (path / "result.json").is_file() else None
    if path.suffix.lower() != ".json" or not path.is_file() or b'"schema"' not in read_bytes(path)[:200]:
        return None
    return load(path)


def _stored_responses(stored: Result) -> dict[str, str]:
    return {record.system or "": _unchanged_path(record) for record in stored.inputs if record.role == "response"}


def _stored_key(stored: Result) -> str:
    return next(_unchanged_path(record) for record in stored.inputs if record.role == "key")


def _unchanged_path(record: InputRecord) -> str:
    """The path of an input; refused if the file is not the one that was scored."""
    what = f"the {record.role} {record.path or ''}".strip()
    if record.path is None or not Path(record.path).is_file():
        raise UsageError(f"{what}: is not where the result says: name the files, aune rescore TASK OLD NEW SYSTEMS")
    digest = hashlib.sha256(read_bytes(Path(record.path))).hexdigest()
    if digest != record.sha256:
        raise UsageError(f"{what}: is not the file that was scored (its digest was {str(record.sha256)[:12]})")
    return record.path


def _stored_options(stored: Result, measures: Sequence[str | Measure]) -> dict[str, Any]:
    """The options of a stored result, as far as its signature contains them."""
    name = measures[0] if isinstance(measures[0], str) else measures[0].name
    score = stored[stored.systems[0], name]
    fixed = dict(score.measure.fixed_options)
    known = _known_options(stored.task, score.measure)
    return {
        option: value
        for option, value in score.signature.options.items()
        if option in known and option not in fixed and not _is_derived(value)
    }


def _is_derived(value: Any) -> bool:
    return str(value).startswith("auto")


def _known_options(task: str, measure: Measure) -> set[str]:
    home = registry.task(task)
    return {"missing", "extra", *collect_options([*reading_functions(home), *scoring_functions(home, [measure])])}


def _check_same_scores(stored: Result, runs: ScoredRuns) -> None:
    """Refuse to continue if the stored scores cannot be reproduced: some option of them is unknown."""
    for score in runs.scores:
        known = stored[score.system, runs.measure]
        for value, number in known.values.items():
            again = score.values.get(value)
            if number != again and (number is None or again is None or abs(number - again) > TOLERANCE):
                raise UsageError(
                    f"{score.system}: the stored {score.name} {value} is {number} and now {again}: name the options "
                    f"that it was scored with ({known.signature})"
                )
