"""What a call means: its task, measures, options, inputs, policies and engine, resolved once into a `Plan`.

Every command and every function that takes options by name calls this module before anything is read. Each option is
then known to some reader, comparison or measure, and has a value that one of them accepts. Calls that score use
`resolve_plan`; those that compare or count without scoring use `resolve_options`, and those that only read use
`check_reader_options`. Once files are recognised, `check_options_used` refuses options that only other formats
take. No code after this module interprets options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from aune import STDIN
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import NameList, Option, OptionFile, check_known, options_of, signed_options
from aune.contract.task import Task
from aune.errors import InputError, Problem, UnknownNameError, UsageError
from aune.evaluation.counting import Engine, Job, Progress, count_here
from aune.evaluation.pairing import ExtraPolicy, MissingPolicy, check_policies
from aune.numeric.grouping import group_items
from aune.reading.corpus import Corpus, OpenedFiles, open_files, read, read_files
from aune.reading.source import is_file_like
from aune.reading.system_names import name_runs, system_names

Input: TypeAlias = OpenedFiles | Corpus
"""One side of an evaluation: files that are not read yet, or documents."""

RESPONSE_PREFIX = "response_"  # before the name of a reader's option: the option is for the responses alone

OptionsByName = dict[str, list[Option]]
"""The functions that take each option, by its name: options of the same name may accept different values."""


EVALUATION_OPTIONS = (
    "measures",
    "convention",
    "key_format",
    "response_format",
    "missing",
    "extra",
    "workers",
    "engine",
    "key_version",
)
"""The other named arguments of an evaluation."""


def select_measures(task: Task, names: str | Sequence[str | Measure] | None) -> list[Measure]:
    """The measures that names and expressions mean: the task's usual ones for an empty list, every one for `all`."""
    requested = registry.split_names(names) if isinstance(names, str) else names
    entries: list[str | Measure] = list(requested) if requested else list(task.comparing.measures)
    chosen: dict[str, Measure] = {}
    for name in entries:
        if name == "all":
            chosen |= {measure.name: measure for measure in registry.measures(task.name)}
        else:
            candidate = registry.measure(name, task.name) if isinstance(name, str) else name
            if candidate.task != task.name and candidate.task in registry.task_names():
                raise UsageError(f"{candidate.name} is a measure of {candidate.task}, not of {task.name}")
            chosen[candidate.name] = candidate
    return list(chosen.values())


def select_usable_measures(
    task: Task, names: str | Sequence[str | Measure] | None, options: Collection[str]
) -> tuple[list[Measure], list[str]]:
    """The measures that names mean, and notes about measures of `all` that cannot score here.

    A measure that is given by its name is never left out, so that a missing package or option is an error.
    """
    selected = select_measures(task, names)
    requested = registry.split_names(names) if isinstance(names, str) else names
    if not requested or "all" not in requested:
        return selected, []
    others = [name for name in requested if name != "all"]
    named = {measure.name for measure in select_measures(task, others)} if others else set()
    obstacles = {
        measure.name: reason
        for measure in selected
        if measure.name not in named and (reason := measure.obstacle(options))
    }
    notes = [
        f"all leaves out {', '.join(name.partition('.')[2] for name in left_out)}: {reason}"
        for reason, left_out in group_items((reason, name) for name, reason in obstacles.items()).items()
    ]
    return [measure for measure in selected if measure.name not in obstacles], notes


class ResolvedOptions:
    """The options of a call, and the convention that provides values for the others."""

    def __init__(self, explicit: Mapping[str, Any], preset: Mapping[str, Any]) -> None:
        self.explicit = explicit
        self.preset = preset

    def values_for(self, options: Mapping[str, Option]) -> dict[str, Any]:
        """A value for each of these options: from the call, else from the convention, else the default.

        An option that accepts fewer values than its namesakes (in a measure that always completes the mention sets)
        keeps its default if it does not accept the given value.
        """
        values = {}
        for name, option in options.items():
            value = self.explicit.get(name, self.preset.get(name, option.default))
            values[name] = option.convert(value) if option.accepts(value) or not option.choices else option.default
        return values

    def measure_options(self, measure: Measure) -> dict[str, Any]:
        """A value for each option of a measure, including those that its expression fixes."""
        return self.values_for(measure.options) | dict(measure.fixed_options)


def resolve_options(
    task: Task, measures: Sequence[Measure], convention: str | None, options: Mapping[str, Any]
) -> ResolvedOptions:
    """The options of a call that scores: those of the task, its readers and these measures, and a convention."""
    if convention is not None:
        check_known([convention], task.comparing.conventions, f"convention of {task.name}")
    convention_name = convention or next(iter(task.comparing.conventions), None)
    preset = task.comparing.conventions[convention_name] if convention_name else {}
    if not options:  # then no format and no other measure is even imported
        return ResolvedOptions({}, preset)
    known = collect_options([*reading_functions(task), *scoring_functions(task, measures)])
    for form in registry.formats(task.name):
        for name, option in options_of(form.read).items():
            known.setdefault(RESPONSE_PREFIX + name, []).append(option)
    for name in options:
        owners = [measure.name for measure in registry.measures(task.name) if name in measure.options]
        if name not in known and owners:
            raise UsageError(f"option {name!r} is one of {', '.join(owners)}, not of the measures scored")
        if name not in known:
            raise UnknownNameError(f"option of {task.name}", name, [*known, *EVALUATION_OPTIONS])
    return ResolvedOptions(convert_options(options, known, f"option of {task.name}"), preset)


def check_reader_options(task: Task, options: Mapping[str, Any], what: str = "option") -> dict[str, Any]:
    """The options of a call that reads and does not score."""
    return convert_options(options, collect_options(reading_functions(task)), what)


def convert_options(options: Mapping[str, Any], known: Mapping[str, Sequence[Option]], what: str) -> dict[str, Any]:
    """The values converted to the types that the options declare; raises `UsageError` for those that none accepts."""
    check_known(options, known, what)
    return {name: _convert_value(known[name], value) for name, value in options.items()}


def collect_options(functions: Iterable[Callable[..., Any]]) -> OptionsByName:
    """The functions that take each option, for some functions."""
    known: OptionsByName = {}
    for function in functions:
        for name, option in options_of(function).items():
            known.setdefault(name, []).append(option)
    return known


def check_options_used(
    task: Task,
    options: Mapping[str, Any],
    used: Collection[str],
    formats: Collection[str],
    functions: Iterable[Callable[..., Any]] = (),
) -> None:
    """Refuse an option that only formats take which were not read.

    `used` are the options of the readers that ran, `formats` the formats that they read; `others` may take options too.
    """
    known = {*used, *collect_options(functions)}
    for name in options:
        bare_name = name.removeprefix(RESPONSE_PREFIX)
        if bare_name not in known:
            owners = [form.name for form in registry.formats(task.name) if bare_name in options_of(form.read)]
            origin = f"one of the formats {', '.join(owners)}" if owners else "for plain Python"
            raise UsageError(f"option {name!r} is {origin}, not of {', '.join(sorted(formats))}, which was read")


def scoring_functions(task: Task, measures: Sequence[Measure]) -> list[Callable[..., Any]]:
    """The functions that take options, other than readers."""
    listing = [task.explaining.errors] if task.explaining.errors else []
    return [
        task.comparing.compare,
        *listing,
        *(part for measure in measures for part in (measure.count, measure.score)),
    ]


def reading_functions(task: Task) -> list[Callable[..., Any]]:
    return [task.reading.documents, *(form.read for form in registry.formats(task.name))]


def _convert_value(options: Sequence[Option], value: Any) -> Any:
    for option in options:
        try:
            return option.convert(value)
        except UsageError as error:
            refusal = error
    raise refusal


def options_for_responses(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the responses' readers see them.

    >>> options_for_responses({"text_field": "text", "response_text_field": "pred_text"})["text_field"]
    'pred_text'
    """
    overrides = {
        name.removeprefix(RESPONSE_PREFIX): value for name, value in options.items() if name.startswith(RESPONSE_PREFIX)
    }
    return {**options, **overrides}


# The plan.


@dataclass(frozen=True, eq=False)
class Plan:
    """A fully resolved evaluation; nothing of it is read yet."""

    task: Task
    measures: Sequence[Measure]
    has_usual_measures: bool
    """Whether the measures are the task's usual ones, of which some may not fit the key."""
    key: Any
    systems: Mapping[str, Any]
    """The response of each system, as given by the caller."""
    formats: tuple[str | None, str | None]
    """The formats of the key and of the responses; None where the content decides."""
    job: Job
    """How each chunk is read, paired, compared and counted, with every option and the policies for documents that only
    one side has."""
    signed_options: Mapping[str, Mapping[str, Any]]
    """The options of the comparison that the signature of each system shows."""
    open_engine: Callable[[], AbstractContextManager[Engine]]
    progress: Progress
    run_of: Mapping[str, str]
    """The system that a run belongs to, for each run of a system with several."""
    notes: Sequence[str] = ()
    """Notes for the user about the choice of measures."""
    key_version: str | None = None
    """The name of the version of the key, for the record of the key in the result."""

    @property
    def explicit_options(self) -> Mapping[str, Any]:
        """The given options, as the key's reader sees them."""
        return self.job.read_options[0]


def resolve_plan(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str | Path],
    *,
    measures: str | Sequence[str | Measure] | None = None,
    convention: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: MissingPolicy = "empty",
    extra: ExtraPolicy = "ignore",
    progress: Progress | None = None,
    engine: Any = None,
    workers: int = 1,
    keep: bool = False,
    key_version: str | None = None,
    **options: Any,
) -> Plan:
    """The plan of a call; raises `UsageError`. With `keep`, comparisons are returned and everything runs here.

    `key_version` names the version of the key in the result.
    """
    named_systems, run_of = _name_systems(systems)
    settings = _resolve_settings(task, measures, convention, options)
    for value in settings.explicit.values():
        if isinstance(value, OptionFile):
            check_known(value.by_system, named_systems, "system")
    check_policies(missing, extra)
    compare_options = {system: _system_options(system, settings.compare_options) for system in named_systems}
    definition, selected = settings.task, settings.measures
    job = Job(
        definition.name,
        settings.sendable_measures,
        compare_options,
        settings.count_options,
        (settings.explicit, options_for_responses(settings.explicit)),
        missing,
        extra,
        keep=keep,
    )
    signed = {
        system: signed_options(definition.comparing.compare, values) for system, values in compare_options.items()
    }
    opener = _engine_opener(None if keep else engine, workers, definition.name, selected)
    return Plan(
        definition, selected, not measures, key, named_systems, (key_format, response_format), job, signed, opener,
        progress or (lambda what, share: None), run_of, settings.notes, check_version(key_version),
    )  # fmt: skip


class Settings(NamedTuple):
    """What a call means apart from its inputs: resolved once for all calls with the same measures and options."""

    task: Task
    measures: Sequence[Measure]
    sendable_measures: tuple[str | Measure, ...]
    explicit: Mapping[str, Any]
    """The given options, converted."""
    compare_options: Mapping[str, Any]
    count_options: Mapping[str, Mapping[str, Any]]
    notes: Sequence[str]


def _resolve_settings(
    task: str, measures: str | Sequence[str | Measure] | None, convention: str | None, options: Mapping[str, Any]
) -> Settings:
    names = tuple(measures) if isinstance(measures, list) else measures
    values = [task, convention, *(names if isinstance(names, tuple) else [names]), *options.values()]
    if not PLAIN_VALUES.issuperset(map(type, values)) or any(":" in value for value in values if type(value) is str):
        return _make_settings(task, measures, convention, options)
    key = task, names, convention, *((name, type(value), value) for name, value in options.items())
    if key not in _SETTINGS:
        settings = _make_settings(task, measures, convention, options)
        resolved = [settings.explicit, settings.compare_options, *settings.count_options.values()]
        if len(_SETTINGS) == MOST_SETTINGS or any(
            isinstance(value, OptionFile | NameList) and value for part in resolved for value in part.values()
        ):
            return settings
        _SETTINGS[key] = settings
    return _SETTINGS[key]


PLAIN_VALUES: frozenset[type] = frozenset({str, int, float, bool, type(None)})
"""The types of values that mean the same in every call: measures of users may change, and so may files."""
MOST_SETTINGS = 256
_SETTINGS: dict[Hashable, Settings] = {}


def _make_settings(
    task: str, measures: str | Sequence[str | Measure] | None, convention: str | None, options: Mapping[str, Any]
) -> Settings:
    definition = registry.task(task)
    selected, notes = select_usable_measures(definition, measures, options)
    for measure in selected:
        measure.check_packages()
    resolved = resolve_options(definition, selected, convention, options)
    return Settings(
        definition,
        selected,
        tuple(map(_sendable_measure, selected)),
        resolved.explicit,
        resolved.values_for(options_of(definition.comparing.compare)),
        {measure.name: resolved.measure_options(measure) for measure in selected},
        notes,
    )


def check_version(name: str | None) -> str | None:
    """The name of a version of a key; refused if it is blank, long, or no text on one line."""
    if name is not None and not (isinstance(name, str) and name.strip() and name.isprintable() and len(name) <= 80):
        raise UsageError(f"--key-version {name!r}: expected the name of a version, such as 2.1, on one line")
    return name


def _name_systems(systems: Mapping[str, Any] | Sequence[str | Path]) -> tuple[dict[str, Any], dict[str, str]]:
    """The response of each run by name, and the system of each run for systems with several runs."""
    if not systems:
        raise UsageError("expected at least one response to score")
    named = (
        {str(name): systems[name] for name in systems}
        if isinstance(systems, Mapping)
        else system_names(systems, with_runs=True)
    )
    if not all(map(str.strip, named)):
        raise UsageError("found a system without a name, expected one for each: write {'name': response}")
    return name_runs(named)


def _sendable_measure(measure: Measure) -> str | Measure:
    """A measure by its name if the registry has the same one; the measure itself if it comes with files."""
    if any(isinstance(value, OptionFile | NameList) for value in measure.fixed_options.values()):
        return measure
    try:
        known = registry.measure(measure.name, measure.task)
        return measure.name if known == measure or "(" in measure.name else measure
    except (UsageError, ValueError):
        return measure


def _system_options(system: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the file of this system where files are given by system; none for a system without a file."""
    return {
        name: value.by_system.get(system) if isinstance(value, OptionFile) and value.by_system else value
        for name, value in options.items()
    }


def _engine_opener(
    engine: Any, workers: int, task: str, measures: Sequence[Measure]
) -> Callable[[], AbstractContextManager[Engine]]:
    """A function that opens the engine, given by its name, as `name=address`, as a function, or by the worker count."""
    if workers < 1:
        raise UsageError(f"workers {workers}: expected a number of processes from 1")
    if engine is None and workers == 1:
        return lambda: nullcontext(count_here)
    name, _, address = ("processes" if engine is None else engine if isinstance(engine, str) else "").partition("=")
    if name:
        return partial(registry.engine(name), workers, address, registry.required_modules(task, measures))
    if hasattr(engine, "submit") and hasattr(engine, "scheduler"):  # a client of Dask
        return partial(registry.engine("dask"), workers, engine, registry.required_modules(task, measures))
    if not callable(engine):
        raise UsageError(f"engine {engine!r}: expected here, processes, dask=ADDRESS, a Dask client, or a function")
    return lambda: nullcontext(engine)


# Its inputs.


class Inputs(NamedTuple):
    """The key and the response of each system."""

    key: Input
    responses: Mapping[str, Input]

    @property
    def all_inputs(self) -> list[Input]:
        return [self.key, *self.responses.values()]


def open_inputs(plan: Plan) -> Inputs:
    """The key and every response; raises an `InputError` with the problems of all of them."""
    if sum(source in ("-", STDIN) for source in (plan.key, *plan.systems.values()) if isinstance(source, str)) > 1:
        raise UsageError("standard input (-) can be only one of the files")
    problems: list[Problem] = []

    def open_input(source: Any, form: str | None, options: Mapping[str, Any]) -> Input:
        try:
            if isinstance(source, Corpus) or not is_file_like(source):
                return read(plan.task, source, **options)
            files = open_files(plan.task, source, form, options)
            problems.extend(files.problems)
            return files
        except InputError as error:
            problems.extend(error.problems)
            return Corpus([])

    key_options, response_options = plan.job.read_options
    key = open_input(plan.key, plan.formats[0], key_options)
    responses = {name: open_input(source, plan.formats[1], response_options) for name, source in plan.systems.items()}
    inputs = Inputs(key, responses)
    if problems:
        for source, options in [(key, key_options), *((response, response_options) for response in responses.values())]:
            if isinstance(source, OpenedFiles):
                problems += read_files(source, options)[1]
        raise InputError(problems)
    _check_readers_options(plan, inputs)
    return inputs


def _check_readers_options(plan: Plan, inputs: Inputs) -> None:
    """Refuse an option that only formats take which are not read."""
    if not plan.explicit_options:
        return
    used = {name for source in inputs.all_inputs for name in source.options}
    formats: set[str] = set()
    for source in inputs.all_inputs:
        formats |= {source.format or "plain Python"} if isinstance(source, Corpus) else {"+".join(source.formats)}
    check_options_used(plan.task, plan.explicit_options, used, formats, scoring_functions(plan.task, plan.measures))


def signed_reading_options(plan: Plan, key: Input, response: Input) -> dict[str, Any]:
    """How both sides were read, for the signature: as the key, with the options given for the response alone."""
    options = dict(key.options)
    for name, value in response.options.items():
        if RESPONSE_PREFIX + name in plan.explicit_options:
            options[RESPONSE_PREFIX + name] = value
        elif name in plan.explicit_options:
            options.setdefault(name, value)
    return options


def read_inputs(plan: Plan, inputs: Inputs) -> tuple[Corpus, dict[str, Corpus]]:
    """Read the key and every response; raises an `InputError` with the problems of all of them."""
    problems: list[Problem] = []

    def read_input(source: Input, options: Mapping[str, Any]) -> Corpus:
        if isinstance(source, Corpus):
            return source
        corpus, file_problems = read_files(source, options)
        problems.extend(file_problems)
        return corpus

    key_options, response_options = plan.job.read_options
    key = read_input(inputs.key, key_options)
    responses = {system: read_input(source, response_options) for system, source in inputs.responses.items()}
    if problems:
        raise InputError(problems)
    return key, responses
