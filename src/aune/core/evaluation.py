"""From a key and responses to scores: read, pair, compare, count, add, score. One direction, no way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from aune import STDIN, __version__
from aune.core import registry
from aune.core.asked import RESPONSE, Asked, asked_options, check_read, chosen_measures, for_responses, scorers
from aune.core.corpus import Corpus, Extra, Missing, is_file_like, pair, read, system_names
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.core.measure import Measure
from aune.core.options import File, check_known, options_of
from aune.core.result import Result, Scored
from aune.core.rows import joined_units, rows_of
from aune.core.signature import signature
from aune.core.task import Pair, Task

CHUNK = 5_000  # documents compared at once: enough for array speed, few enough to see progress

Progress = Callable[[str, float], None]
"""Called with what is being done and the share that is done."""

Seen = Callable[[str, Sequence[Any]], None]
"""Called with each system and its comparisons, for those who want more than scores."""


def score(task: str, key: Any, response: Any, **options: Any) -> Result:
    """The scores of one response. See `evaluate` for the options.

    >>> result = score("coref", [{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}])
    >>> result["muc"].f1
    0.6666666666666666
    """
    return evaluate(task, key, {_name(response): response}, **options)


def _name(response: Any) -> str:
    named = isinstance(response, str | Path) and response not in ("-", STDIN)
    return next(iter(system_names([str(response)]))) if named else "response"


def evaluate(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str],
    *,
    measures: Sequence[str | Measure] | None = None,
    convention: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: Missing = "empty",
    extra: Extra = "ignore",
    progress: Progress | None = None,
    seen: Any = None,
    **options: Any,
) -> Result:
    """The scores of one or several systems against one key.

    `key` and the systems' responses are paths, open files, `-`, or plain Python structures (for coreference, a list of
    clusters, or a mapping from document names to clusters). `measures` are names or expressions (all the task's usual
    ones when left out, every one for `["all"]`). Any option of the task, its formats or its measures can be given by
    name; `aune list options TASK` shows them. A reader's option with `response_` before its name is for the responses
    alone, such as `response_text_field="pred_text"` for a file that holds both sides. `seen` is called with each
    system and its comparisons (a `Seen`), for those who want more than scores.

    >>> both = evaluate("coref", [{1, 2, 3}], {"A": [{1, 2}, {3}], "B": [{1, 2, 3}]}, measures=["muc"])
    >>> both["A", "muc"].recall, both["B", "muc"].recall
    (0.5, 1.0)
    """
    home = registry.task(task)
    if not systems:
        raise UsageError("expected at least one response to score")
    named = systems if isinstance(systems, Mapping) else system_names(systems)
    chosen = chosen_measures(home, measures)
    for one in chosen:
        one.check_packages()
    asked = asked_options(home, chosen, convention, options)
    _check_systems(named, asked.given)
    corpora = _read_all(home, key, named, key_format, response_format, asked.given)
    used = {name for corpus in corpora.values() for name in corpus.options}
    formats = {corpus.format or "plain Python" for corpus in corpora.values()}
    check_read(home, asked.given, used, formats, scorers(home, chosen))
    expected = corpora.pop("")
    if not measures and home.usual:
        fitting = home.usual(expected.documents)
        chosen = [one for one in chosen if one.name.partition(".")[2] in fitting]
    result = Result(task, [], [expected.input("key")], list(expected.warnings))
    for position, (system, response) in enumerate(corpora.items()):
        pairs, notes = pair(home, expected, response, missing=missing, extra=extra)
        if not pairs:
            raise NothingToScoreError(f"{system}: no document left to score")
        result.inputs.append(response.input("response", system))
        result.warnings.extend([*response.warnings, *notes])
        tell = _part_of(progress, position, len(corpora))
        policy = {"missing": missing, "extra": extra} if len(pairs) > 1 or notes else {}
        reading = {**_reading(expected, response, asked.given), **policy}
        result.scores.extend(_scores(home, system, pairs, chosen, asked, reading, result, tell, seen))
    return result


def _read_all(
    task: Task,
    key: Any,
    systems: Mapping[str, Any],
    key_format: str | None,
    response_format: str | None,
    given: Mapping[str, Any],
) -> dict[str, Corpus]:
    """The key (under the empty name) and every response, or all that is wrong with any of them."""
    found: dict[str, Corpus] = {}
    problems: list[Problem] = []
    if sum(given in ("-", STDIN) for given in (key, *systems.values()) if isinstance(given, str)) > 1:
        raise UsageError("standard input (-) can be only one of the files")
    for name, source in {"": key, **systems}.items():
        form = response_format if name else key_format
        try:
            mine = for_responses(given) if name else given
            found[name] = read(task, source, form if is_file_like(source) else None, **mine)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _reading(key: Corpus, response: Corpus, given: Mapping[str, Any]) -> dict[str, Any]:
    """How both sides were read, for the signature: as the key, and what was given for the response alone."""
    found = dict(key.options)
    for name, value in response.options.items():
        if RESPONSE + name in given:
            found[RESPONSE + name] = value
        elif name in given:
            found.setdefault(name, value)
    return found


def _scores(
    task: Task, system: str, pairs: list[Pair], measures: Sequence[Measure], asked: Asked,
    reading: Mapping[str, Any], result: Result, tell: Progress | None, seen: Seen | None,
) -> Iterator[Scored]:  # fmt: skip
    compare_options = _of_system(system, asked.of(options_of(task.compare)))
    compare_options |= task.survey((key for key, _ in pairs), compare_options)
    comparisons = []
    for start in range(0, len(pairs), CHUNK):
        comparisons.append(task.compare(pairs[start : start + CHUNK], **compare_options))
        if tell:
            tell(f"comparing {system}", 0.5 * min(1.0, (start + CHUNK) / len(pairs)))
    if seen:
        seen(system, comparisons)
    units = {
        name: joined_units([getattr(one, name) for one in comparisons]) for name in {one.units for one in measures}
    }
    for index, measure in enumerate(measures):
        options = asked.of(measure.options) | dict(measure.given)
        rows = rows_of(units[measure.units], measure.counted_all(comparisons, options))
        if measure.by:
            check_known([measure.by], rows.attributes, "attribute to average over")
        comparing = {name: value for name, value in compare_options.items() if name not in reading}
        comparing |= comparisons[0].signed
        printed = {**reading, **comparing, **{k: v for k, v in options.items() if k not in measure.given}}
        explain = measure.details and partial(measure.details, comparisons, **measure._taken(measure.details, options))
        yield Scored(system, measure, signature(measure.name, printed, __version__), rows, options, explain)
        if tell:
            tell(f"scoring {system}", 0.5 + 0.5 * (index + 1) / len(measures))
    result.warnings.extend(f"{system}: {note}" for note in _notes(task, comparisons))  # measures may add facts


def _notes(task: Task, comparisons: Sequence[Any]) -> list[str]:
    """What a user should know of all comparisons of a system together."""
    if task.told is None:
        return [note for comparison in comparisons for note in comparison.warnings]
    facts: Counter[Any] = Counter()
    for comparison in comparisons:
        facts.update(comparison.facts)
    return list(task.told(facts))


def _of_system(system: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the file of this system where files are named by system; none for a system without one."""
    return {
        name: value.by_system.get(system) if isinstance(value, File) and value.by_system else value
        for name, value in options.items()
    }


def _check_systems(systems: Iterable[str], options: Mapping[str, Any]) -> None:
    for value in options.values():
        if isinstance(value, File):
            check_known(value.by_system, systems, "system")


def _part_of(progress: Progress | None, position: int, systems: int) -> Progress | None:
    if progress is None:
        return None
    return lambda what, share: progress(what, (position + share) / systems)
