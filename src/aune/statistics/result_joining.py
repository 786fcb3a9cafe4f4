"""One result with the systems of several results, from Python or saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aune.contract.signature import Signature
from aune.errors import UsageError
from aune.files import is_possible_path
from aune.reading.python_inputs import refusal
from aune.results.result import Result, SystemScore
from aune.results.storage import load

INTERVAL_SETTINGS = frozenset({"ci", "level", "unit", "draws", "seed", "blocks", "below", "rough"})
"""The parts of a signature about intervals, which change no value."""


def join_results(results: Any) -> Result:
    """One result with the systems of several; a mapping names them, and a list in it is several runs of a system."""
    if isinstance(results, Result | str | Path):
        return load_result(results)
    has_names = isinstance(results, Mapping)
    entries = results.items() if has_names else ((None, entry) for entry in results)
    groups = [(name if name is None else str(name), _load_group(entry)) for name, entry in entries]
    if not groups or not all(group for _, group in groups):
        raise UsageError("expected at least two systems to compare")
    first = groups[0][1][0]
    parts = [part for name, group in groups for part in _named_results(name, group)]
    for part in parts:
        check_same_run(first, part)
    systems = [system for part in parts for system in part.systems]
    if repeated := next((system for system in systems if systems.count(system) > 1), None):
        raise UsageError(
            f"two systems are called {repeated!r}: give the results by name, as {{'first': …, 'second': …}}"
        )
    common = set.intersection(*({item.name for item in part} for part in parts))
    common_scores = [score for part in parts for score in part if score.name in common]
    if not common_scores:
        raise UsageError("the results have no measure in common: score them with the same ones")
    inputs = [item for number, part in enumerate(parts) for item in part.inputs if item.role != "key" or not number]
    return Result(first.task, common_scores, inputs, [warning for part in parts for warning in part.warnings])


def load_result(source: Result | str | Path) -> Result:
    """A result, or the one that was saved at a path."""
    if isinstance(source, Result):
        return source
    if not isinstance(source, str | Path) or not is_possible_path(str(source)):
        raise refusal(
            source, "a result, or the path of a saved one", "aune.evaluate gives results, aune.save saves them"
        )
    return load(source)


def _load_group(entry: Any) -> list[Result]:
    """The results of several runs in a list, or a single one."""
    return [load_result(run) for run in entry] if isinstance(entry, list | tuple) else [load_result(entry)]


def _named_results(name: str | None, group: list[Result]) -> Iterator[Result]:
    """The results of a group with the names of their systems; `None` leaves these unchanged."""
    if len(group) == 1:
        yield group[0] if name is None else _rename_systems(group[0], name)
        return
    if name is None or any(len(result.systems) > 1 for result in group):
        raise UsageError("expected the runs of a system by its name, each of one system: {'name': [result, result]}")
    for number, result in enumerate(group, 1):
        yield replace(result, scores=[replace(score, system=f"{name}/{number}", run_of=name) for score in result])


def _rename_systems(result: Result, name: str) -> Result:
    """A result whose only system gets this name; several systems get it as a prefix."""
    return replace(result, scores=[_rename_score(score, name, len(result.runs) == 1) for score in result])


def _rename_score(score: SystemScore, name: str, is_alone: bool) -> SystemScore:
    if not is_alone:
        return replace(score, system=f"{name}/{score.system}", run_of=f"{name}/{score.run_of}" if score.run_of else "")
    run = score.system.removeprefix(score.run_of) if score.run_of else ""
    return replace(score, system=f"{name}{run}", run_of=name if score.run_of else "")


def check_same_run(first: Result, other: Result) -> None:
    """Refuse results that were not made with the same key and options."""
    if first.task != other.task:
        raise UsageError(f"found results of {first.task} and of {other.task}, expected results of one task")
    _check_same_key(first, other)
    signatures = {score.name: score.signature for score in first}
    for score in other:
        known = signatures.get(score.name, score.signature)
        if _value_signature(known) != _value_signature(score.signature):
            raise UsageError(f"found {score.signature} and {known}, expected the same options: score them the same way")


def _check_same_key(first: Result, other: Result) -> None:
    """Refuse results of different keys, by their digests and by the names of their versions."""
    records = [next((record for record in run.inputs if record.role == "key"), None) for run in (first, other)]
    digests = [record.sha256 if record else None for record in records]
    names = [record.version if record else None for record in records]
    versions = " and ".join(f"version {name}" if name else "no named version" for name in names) if any(names) else ""
    if None not in digests and digests[0] != digests[1]:
        raise UsageError(
            f"the results are of different keys{f' ({versions})' if versions else ''}: score the systems against the "
            "same file"
        )
    if None not in names and names[0] != names[1]:
        same = " of the same file" if None not in digests else ""
        raise UsageError(f"the results name different versions of the key{same} ({versions}): use one version")


def _value_signature(signature: Signature) -> Signature:
    """A signature without the parts that change no value."""
    options = {name: value for name, value in signature.options.items() if name not in INTERVAL_SETTINGS}
    return signature._replace(options=options, version="")
