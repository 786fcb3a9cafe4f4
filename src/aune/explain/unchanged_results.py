"""Results of two versions of a key on the units that are the same in both: what differs there is due to the systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from aune.contract import registry
from aune.corrections.unchanged_units import UNIT_ATTRIBUTES, UnchangedUnits, match_units
from aune.errors import UsageError
from aune.evaluation.plan import check_reader_options
from aune.numeric.grouping import group_items
from aune.reading.corpus import Corpus, InputRecord, read
from aune.results.result import Result, SystemScore, emit_warnings
from aune.results.rows import Rows
from aune.statistics.result_joining import join_results, load_result

OLDER_KEY = "older key"
"""The role of the other version of the key among the inputs of a result."""


class KeyVersions(NamedTuple):
    """Two versions of a key, and what they have in common."""

    old: InputRecord
    new: InputRecord
    units: UnchangedUnits

    @property
    def digests(self) -> list[str | None]:
        return [self.old.sha256, self.new.sha256]

    @property
    def digest(self) -> str:
        """What signatures call the old version: the beginning of its digest."""
        return (self.old.sha256 or "memory")[:12]


class Selection(NamedTuple):
    """The units that a measure is compared on.

    >>> Selection("sentence", 4, 1).text
    'compared on 3 of 4 sentences: the key of 1 sentence is not the same in both versions'
    >>> Selection("document", 3, 0).text
    'compared on all 3 documents: their key is the same in both versions'
    """

    attribute: str
    total: int
    left_out: int

    @property
    def text(self) -> str:
        if not self.left_out:
            return f"compared on all {self.total:,} {self.attribute}s: their key is the same in both versions"
        changed = f"{self.left_out:,} {self.attribute}{'s' * (self.left_out != 1)}"
        left = f"{self.total - self.left_out:,} of {self.total:,} {self.attribute}s"
        return f"compared on {left}: the key of {changed} is not the same in both versions"


def keep_unchanged(results: Any, old: Any, new: Any, *, key_format: str | None = None, **options: Any) -> Result:
    """Results of two versions of a key, on the sentences, utterances or documents that say the same in both.

    `results` are those of `aune.compare`, each by one of the two versions; what comes back is a result that
    `aune.compare` takes. `options` are those of the readers of the key. How many units are left out is in its
    warnings and signatures.

    >>> from aune import score
    >>> old = {"a": [("cat", "N")], "b": [("sat", "N")]}
    >>> new = {"a": [("cat", "N")], "b": [("sat", "V")]}
    >>> runs = {"first": score("tagging", old, old), "second": score("tagging", new, old)}
    >>> [result["accuracy"].accuracy for result in runs.values()]
    [1.0, 0.5]
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     common = keep_unchanged(runs, old, new)
    >>> [common[name, "accuracy"].accuracy for name in runs]
    [1.0, 1.0]
    >>> common.warnings[-1]
    'compared on 1 of 2 sentences: the key of 1 sentence is not the same in both versions'
    """
    results = _change_results(results, load_result)
    first = next(_iterate_results(results), None)
    if first is None:
        raise UsageError("expected at least one result to compare on unchanged units")
    options = check_reader_options(registry.task(first.task), options)
    return emit_warnings(restrict_results(results, read_versions(first.task, old, new, key_format, options)))


def read_versions(task: str, old: Any, new: Any, key_format: str | None, options: Mapping[str, Any]) -> KeyVersions:
    """Two versions of a key, read alike."""
    keys: list[Corpus] = [read(registry.task(task), source, key_format, **options) for source in (old, new)]
    units = match_units(task, keys[0].documents, keys[1].documents)
    return KeyVersions(keys[0].input_record(OLDER_KEY), keys[1].input_record("key"), units)


def restrict_results(results: Any, versions: KeyVersions) -> Result:
    """One result with all systems (as `join_results` takes them) on the units that both versions have in common."""
    all_results = list(_iterate_results(results))
    for result in all_results:
        _check_version(result, versions)
    versions = _with_names(versions, all_results)
    selections = _select_units(all_results, versions)
    joined = join_results(_change_results(results, lambda result: _restrict(result, selections, versions)))
    texts = dict.fromkeys(selection.text for selection in selections.values())
    return replace(joined, inputs=[versions.new, versions.old, *joined.inputs], warnings=[*joined.warnings, *texts])


def _iterate_results(results: Any) -> Iterator[Result]:
    """The results in a mapping, a list, or lists in them."""
    if isinstance(results, Mapping | list | tuple):
        for entry in results.values() if isinstance(results, Mapping) else results:
            yield from _iterate_results(entry)
    else:
        yield results


def _change_results(results: Any, change: Callable[[Any], Result]) -> Any:
    """The same mapping or list, with every result changed."""
    if isinstance(results, Mapping):
        return {name: _change_results(entry, change) for name, entry in results.items()}
    if isinstance(results, list | tuple):
        return [_change_results(entry, change) for entry in results]
    return change(results)


def _check_version(result: Result, versions: KeyVersions) -> None:
    """Refuse a result that was made by neither version."""
    for record in result.inputs:
        if record.role == "key" and record.sha256 and record.sha256 not in versions.digests:
            raise UsageError(
                f"{', '.join(result.runs)}: was scored by the key with the digest {record.sha256[:12]}, expected "
                f"{' or '.join(str(digest)[:12] for digest in versions.digests)}: name the two keys of the results"
            )


def _with_names(versions: KeyVersions, results: Sequence[Result]) -> KeyVersions:
    """The two versions with the names that the results give them; refused if one has two names, or both have one."""
    records = [record for result in results for record in result.inputs if record.role == "key" and record.version]
    old, new = (
        {str(record.version) for record in records if record.sha256 and record.sha256 == version.sha256}
        for version in (versions.old, versions.new)
    )
    is_one_file = versions.old.sha256 == versions.new.sha256
    if len(old) > 1 or len(new) > 1 or (old & new and not is_one_file):
        names = ", ".join(sorted(old | new))
        raise UsageError(f"found {names} as names of the versions of the key, expected one name for each: score again")
    named = (record._replace(version=min(names, default=None))
             for record, names in ((versions.old, old), (versions.new, new)))  # fmt: skip
    return versions._replace(old=next(named), new=next(named))


def _select_units(results: Sequence[Result], versions: KeyVersions) -> dict[str, Selection]:
    """By measure of all results: the smallest units that the rows of all systems have, and how many have changed."""
    scores = group_items((score.name, score) for result in results for score in result)
    common = [name for name in scores if all(name in {score.name for score in result} for result in results)]
    return {name: _select_for_measure(scores[name], versions.units) for name in common}


def _select_for_measure(scores: Sequence[SystemScore], units: UnchangedUnits) -> Selection:
    measure = scores[0].measure
    if measure.settle is not None:
        raise UsageError(
            f"{measure.name} is settled over the whole corpus, and has no value for a part of it: name other measures"
        )
    attribute = next(name for name in UNIT_ATTRIBUTES if all(name in score.rows.attributes for score in scores))
    names = {units.old_name(attribute, name) for score in scores for name in score.rows.attributes[attribute]}
    return Selection(attribute, len(names), len(names - units.names[attribute]))


def _restrict(result: Result, selections: Mapping[str, Selection], versions: KeyVersions) -> Result:
    """A result on the units that did not change, without the record of its key."""
    scores = [_restrict_score(score, selections[score.name], versions) for score in result if score.name in selections]
    return replace(result, scores=scores, inputs=[record for record in result.inputs if record.role != "key"])


def _restrict_score(score: SystemScore, selection: Selection, versions: KeyVersions) -> SystemScore:
    attribute, units = selection.attribute, versions.units
    names = [units.old_name(attribute, name) for name in score.rows.attributes[attribute]]
    places = [place for place, name in enumerate(names) if name in units.names[attribute]]
    if not places:
        has_documents_alone = score.stored is not None and attribute == "document"
        hint = "; smaller units are stored with --rows" if has_documents_alone else ""
        raise UsageError(f"{score.system}: no {attribute} of {score.name} has the same key in both versions{hint}")
    options = {
        **score.signature.options,
        "unchanged": f"{attribute}@{versions.digest}",
        "left_out": f"{selection.left_out}/{selection.total}",
    }
    return replace(
        score,
        rows=_select_rows(score.rows, places, units),
        signature=score.signature._replace(options=options),
        make_details=None,
        intervals={},
        stored=None,
    )


def _select_rows(rows: Rows, places: Sequence[int], units: UnchangedUnits) -> Rows:
    """Some rows; their units have the names of the old version."""
    columns = {}
    for name, values in rows.attributes.items():
        column = list(values)
        columns[name] = [units.old_name(name, column[place]) for place in places]
    return Rows(columns, np.ascontiguousarray(rows.matrix[list(places)]), rows.layout)
