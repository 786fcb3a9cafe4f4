"""From a key and responses to scores: read, pair, compare, count, add, score. One direction, no way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from aune import STDIN, __version__
from aune.core import registry
from aune.core.corpus import Corpus, Extra, Missing, is_file_like, pair, read, system_names
from aune.core.errors import InputError, NothingToScoreError, Problem, UsageError
from aune.core.measure import Measure
from aune.core.options import File, Option, check_known, options_of
from aune.core.result import Result, Scored
from aune.core.rows import joined_units, rows_of
from aune.core.signature import signature
from aune.core.task import Pair, Task

CHUNK = 5_000  # documents compared at once: enough for array speed, few enough to see progress

Progress = Callable[[str, float], None]
"""Called with what is being done and the share that is done."""

Seen = Callable[[str, Sequence[Any]], None]
"""Called with each system and its comparisons, for those who want more than scores."""

RESPONSE = "response_"  # before the name of a reader's option: for the responses alone


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
    _check_read(home, chosen, asked.given, corpora.values())
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


def chosen_measures(task: Task, names: Sequence[str | Measure] | None) -> list[Measure]:
    """The measures that names and expressions mean: the task's usual ones for none, every one for `all`."""
    wanted: list[str | Measure] = list(names) if names else list(task.measures)
    found: dict[str, Measure] = {}
    for name in wanted:
        if name == "all":
            found |= {one.name: one for one in registry.measures(task.name)}
        else:
            one = registry.measure(name, task.name) if isinstance(name, str) else name
            if one.task != task.name and one.task in registry.task_names():
                raise UsageError(f"{one.name} is a measure of {one.task}, not of {task.name}")
            found[one.name] = one
    return list(found.values())


class Asked:
    """The options a user gave, and the convention that fills in for those not given."""

    def __init__(self, given: Mapping[str, Any], preset: Mapping[str, Any]) -> None:
        self.given = given
        self.preset = preset

    def of(self, known: Mapping[str, Option]) -> dict[str, Any]:
        """A value for each of these options: the one given, else the convention's, else the default.

        An option with fewer choices than its namesakes (a measure that always completes the mention sets, say) keeps
        its own default when the value given is not among them.
        """
        values = {}
        for name, option in known.items():
            value = self.given.get(name, self.preset.get(name, option.default))
            values[name] = option.checked(value) if option.accepts(value) or not option.choices else option.default
        return values


def asked_options(task: Task, measures: Sequence[Measure], convention: str | None, given: Mapping[str, Any]) -> Asked:
    """The options, checked: every one is known to somebody, and has a value that somebody accepts."""
    if convention is not None:
        check_known([convention], task.conventions, f"convention of {task.name}")
    named = convention or next(iter(task.conventions), None)
    preset = task.conventions[named] if named else {}
    takers: dict[str, list[Option]] = {}
    for function in _takers(task, measures):
        for name, option in options_of(function).items():
            takers.setdefault(name, []).append(option)
    for form in registry.formats(task.name):
        for name, option in options_of(form.read).items():
            takers.setdefault(RESPONSE + name, []).append(option)
    _check_scored(task, given, takers)
    check_known(given, takers, f"option of {task.name}")
    return Asked({name: _accepted(takers[name], value) for name, value in given.items()}, preset)


def _check_scored(task: Task, given: Mapping[str, Any], takers: Mapping[str, Any]) -> None:
    """Refuse an option that only measures which are not scored would understand."""
    for name in given:
        owners = [one.name for one in registry.measures(task.name) if name in one.options]
        if name not in takers and owners:
            raise UsageError(f"option {name!r} is one of {', '.join(owners)}, not of the measures scored")


def _check_read(task: Task, measures: Sequence[Measure], given: Mapping[str, Any], corpora: Collection[Corpus]) -> None:
    """Refuse an option that only formats which were not read would understand."""
    used = {name for corpus in corpora for name in corpus.options}
    used |= {name for function in _scorers(task, measures) for name in options_of(function)}
    for name in given:
        own = name.removeprefix(RESPONSE)
        if own not in used:
            owners = [form.name for form in registry.formats(task.name) if own in options_of(form.read)]
            formats = sorted({corpus.format or "plain Python" for corpus in corpora})
            whose = f"one of the formats {', '.join(owners)}" if owners else "for plain Python"
            raise UsageError(f"option {name!r} is {whose}, not of {', '.join(formats)}, which was read")


def _takers(task: Task, measures: Sequence[Measure]) -> list[Callable[..., Any]]:
    readers = [form.read for form in registry.formats(task.name)]
    return [task.documents, *readers, *_scorers(task, measures)]


def _scorers(task: Task, measures: Sequence[Measure]) -> list[Callable[..., Any]]:
    """What takes options apart from readers."""
    listing = [task.errors] if task.errors else []
    return [task.compare, *listing, *(part for one in measures for part in (one.count, one.score))]


def _accepted(takers: Sequence[Option], value: Any) -> Any:
    for option in takers:
        try:
            return option.checked(value)
        except UsageError as error:
            refusal = error
    raise refusal


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


def for_responses(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the responses' readers see them.

    >>> for_responses({"text_field": "text", "response_text_field": "pred_text"})["text_field"]
    'pred_text'
    """
    own = {name.removeprefix(RESPONSE): value for name, value in given.items() if name.startswith(RESPONSE)}
    return {**given, **own}


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
    result.warnings.extend(f"{system}: {note}" for note in _notes(task, comparisons))
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
        comparing |= getattr(comparisons[0], "signed", {})
        printed = {**reading, **comparing, **{k: v for k, v in options.items() if k not in measure.given}}
        explain = measure.details and partial(measure.details, comparisons, **measure._taken(measure.details, options))
        yield Scored(system, measure, signature(measure.name, printed, __version__), rows, options, explain)
        if tell:
            tell(f"scoring {system}", 0.5 + 0.5 * (index + 1) / len(measures))


def _notes(task: Task, comparisons: Sequence[Any]) -> list[str]:
    """What a user should know of all comparisons of a system together."""
    if task.told is None:
        return [note for comparison in comparisons for note in getattr(comparison, "warnings", ())]
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
