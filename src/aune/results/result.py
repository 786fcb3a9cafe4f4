"""The result of an evaluation: a score per system and measure, with the rows behind it."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

from aune.contract import registry
from aune.contract.measure import Column, Counts, Measure
from aune.contract.options import check_known
from aune.contract.signature import Signature
from aune.errors import AuneWarning, UsageError, spell_for_python
from aune.reading.argument_checks import validate_call
from aune.reading.corpus import InputRecord
from aune.results.rows import Rows, group, iterate_groups, pivot_rows, plain_number, resolve_attribute

SCHEMA_VERSION = 2
"""The version of the JSON envelope: from 2 on it contains values by document, or another attribute, only on request."""
NO_DENOMINATOR = "nothing to count: the denominator is 0"
FRAME_LIBRARIES: Mapping[str, Mapping[str, Any]] = {"pandas": {}, "polars": {"infer_schema_length": None}}
"""The libraries that can make data frames, with the arguments that each needs."""

MOST_WARNINGS = 10
"""The number of warnings that the representation of a result shows."""

Interval: TypeAlias = tuple[float, float]
"""The lower and the upper end."""
Parameters = ParamSpec("Parameters")
Outcome = TypeVar("Outcome")


class GroupScores(NamedTuple):
    """Some groups of units: their names, an array per value, and their counts as a matrix."""

    names: list[str]
    values: Mapping[str, Column]
    counts: Column


@dataclass(frozen=True, eq=False)
class SystemScore:
    """One measure on one system: its values, and the rows of counts that they are computed from.

    Values are attributes and items: `scored.f1`, `scored["f1"]`. An undefined value is None; `reasons` says why.
    """

    system: str
    measure: Measure
    signature: Signature
    rows: Rows
    options: Mapping[str, Any] = field(default_factory=dict)
    make_details: Callable[[], Any] | None = None
    """Computes `details`, which take time and are seldom needed."""
    intervals: Mapping[str, Interval | None] = field(default_factory=dict)
    """The confidence interval of each value, once they are computed (see `aune.statistics.intervals`)."""
    stored: Mapping[str, float | None] | None = None
    """The values of a saved result, as they were printed."""
    run_of: str = ""
    """The system that this score is a run of; '' for a system with a single run."""

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def averaged_over(self) -> str:
        """The attribute whose groups a macro measure averages over; '' for other measures."""
        return resolve_attribute(self.measure.by, self.rows.attributes) if self.measure.by else ""

    @cached_property
    def values(self) -> dict[str, float | None]:
        if self.stored is not None:
            return dict(self.stored)
        if self.averaged_over:  # the score is averaged over the groups, which are an axis
            return self._plain_values(group(self.rows, self.averaged_over).counts)
        return self._plain_values(self.rows.layout.unflatten(self.rows.total))

    @cached_property
    def details(self) -> Any:
        """More than numbers (a correspondence, a confusion table), as plain data; None if a measure has none."""
        return self.make_details() if self.make_details else None

    @cached_property
    def counts(self) -> dict[str, float]:
        """The totals behind the values."""
        columns = self.rows.layout.columns()
        return {name: plain_number(total) for name, total in zip(columns, self.rows.total, strict=True)}

    @property
    def reasons(self) -> dict[str, str]:
        """The reason why each undefined value is undefined."""
        why = self.measure.undefined
        return {name: why.get(name, NO_DENOMINATOR) for name, value in self.values.items() if value is None}

    @property
    def main(self) -> float | None:
        """The main value of the measure."""
        return self.values[self.measure.headline]

    def sum_by_unit(self, unit: str = "document") -> Rows:
        """The rows added up by unit: the matrix from which intervals and tests resample.

        For a macro measure the groups are another axis of every count.
        """
        if self.averaged_over:
            return pivot_rows(self.rows, unit, self.averaged_over)[2]
        return group(self.rows, unit)

    def score_sums(self, sums: Column, layout: Any) -> dict[str, Column]:
        """The values of any number of summed counts in one call: an array per value."""
        return self.measure.name_values(self.measure.score_counts(layout.unflatten(sums), self.options))

    @validate_call
    def by(self, attribute: str) -> dict[str, dict[str, float | None]]:
        """The values for each value of an attribute: each document, label, speaker…"""
        self.check_values_by(attribute)
        values: dict[str, dict[str, float | None]] = {}
        for chunk in self.iterate_groups(attribute):
            columns = {value: list(map(plain_value, array.tolist())) for value, array in chunk.values.items()}
            for name, *row in zip(chunk.names, *columns.values(), strict=True):
                values[name] = dict(zip(columns, row, strict=True))
        return values

    def check_values_by(self, attribute: str) -> None:
        """Refuse an attribute by which the values of an average over groups cannot be broken down."""
        if not self.has_values_by(attribute):
            raise UsageError(f"{self.name} is an average over {self.averaged_over}: it has no value by {attribute}")

    def has_values_by(self, attribute: str) -> bool:
        """Whether there are values for each value of an attribute; an average over groups has them for its own only."""
        return self.averaged_over in ("", resolve_attribute(attribute, self.rows.attributes))

    def iterate_groups(self, attribute: str) -> Iterator[GroupScores]:
        """The groups of an attribute in order of first appearance, a few thousand at a time; without values if there
        are none by this attribute.
        """
        attribute = resolve_attribute(attribute, self.rows.attributes)
        has_values, options = self.has_values_by(attribute), self._score_options()
        for names, sums in iterate_groups(self.rows, attribute):
            counts = self.rows.layout.unflatten(sums)
            values = self.measure.name_values(self.measure.score(counts, **options)) if has_values else {}
            yield GroupScores(names, values, sums)

    @property
    def support(self) -> float | None:
        """The number of entities, words, links… in the key; None if the measure does not define it."""
        return _support(self.measure, self.counts)

    @validate_call
    def support_by(self, attribute: str) -> dict[str, float | None]:
        """The same for each value of an attribute: the support of a score by label."""
        return {name: _support(self.measure, counts) for name, counts in self.counts_by(attribute).items()}

    @validate_call
    def counts_by(self, attribute: str) -> dict[str, dict[str, float]]:
        """The counts for each value of an attribute."""
        columns = self.rows.layout.columns()
        return {
            name: {column: plain_number(number) for column, number in zip(columns, row, strict=True)}
            for chunk in self.iterate_groups(attribute)
            for name, row in zip(chunk.names, chunk.counts.tolist(), strict=True)
        }

    def _score_options(self) -> dict[str, Any]:
        return self.measure._options_for(self.measure.score, self.options)

    def _plain_values(self, counts: Counts) -> dict[str, float | None]:
        score = self.measure.score_counts(counts, self.options)
        return {name: plain_value(value) for name, value in self.measure.name_values(score).items()}

    def __getattr__(self, name: str) -> float | None:
        if name.startswith("_") or "measure" not in self.__dict__:  # for instance while a copy is being made
            raise AttributeError(name)
        if name not in self.measure.values:
            raise AttributeError(f"{self.measure.name} has no value {name!r}: it has {', '.join(self.measure.values)}")
        return self.values[name]

    @validate_call
    def __getitem__(self, name: str) -> float | None:
        check_known([name], self.values, f"value of {self.name}")
        return self.values[name]

    def __dir__(self) -> list[str]:
        """The names for tab completion, including the values."""
        return [*object.__dir__(self), *self.measure.values]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.measure.values)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={self._show_value(name)}" for name in self.values)
        return f"{self.name}({values})"

    def _show_value(self, name: str) -> str:
        value, interval = self.values[name], self.intervals.get(name)
        shown = "undefined" if value is None else f"{value:.4f}"
        return f"{shown} [{interval[0]:.4f}, {interval[1]:.4f}]" if interval else shown

    def entry(self) -> dict[str, Any]:
        """The score as an entry of the JSON envelope."""
        entry: dict[str, Any] = {
            "system": self.system,
            "measure": self.name,
            "signature": str(self.signature),
            "short": str(self.signature.short),
            "values": self.values,
            "counts": self.counts,
            "main": self.measure.headline,
            "better": self.measure.better,
        }
        if self.run_of:
            entry["run_of"] = self.run_of
        if self.intervals:
            entry["ci"] = {value: list(bounds) if bounds else None for value, bounds in self.intervals.items()}
        if self.measure.better_by_value:
            entry["better_by_value"] = {value: self.measure.better_of(value) for value in self.measure.values}
        if self.reasons:
            entry["undefined"] = self.reasons
        if self.details is not None:
            entry["details"] = self.details
        return entry


def _support(measure: Measure, counts: Mapping[str, float]) -> float | None:
    names = measure.support_counts
    if not names or not all(name in counts for name in names):  # counts by label would be too many columns
        return None
    return math.fsum(counts[name] for name in names)


def plain_value(value: Any) -> float | None:
    """A value as a float, or None where it is undefined."""
    number = float(value)
    return None if math.isnan(number) else number + 0.0  # no −0.0


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Every score of an evaluation, with its inputs and its warnings.

    `result["muc"]` is the score of the only system; `result["A", "muc"]` that of system A.
    """

    task: str
    scores: list[SystemScore]
    inputs: list[InputRecord] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(score.system for score in self.scores))

    @property
    def runs(self) -> dict[str, list[str]]:
        """Every system with the names of its runs; a system with a single run has itself as the only one."""
        runs: dict[str, dict[str, None]] = {}
        for score in self.scores:
            runs.setdefault(score.run_of or score.system, {})[score.system] = None
        return {system: list(names) for system, names in runs.items()}

    @property
    def has_runs(self) -> bool:
        """Whether some system has several runs."""
        return any(score.run_of for score in self.scores)

    @property
    def measures(self) -> list[Measure]:
        return list({score.name: score.measure for score in self.scores}.values())

    def __iter__(self) -> Iterator[SystemScore]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @validate_call
    def __getitem__(self, which: str | tuple[str, str]) -> SystemScore:
        system, name = which if isinstance(which, tuple) else (self._only_system(), which)
        if isinstance(which, tuple):
            check_known([system], self.systems, "system")
        known = {score.name: score for score in self.scores if score.system == system}
        short = {full.removeprefix(f"{self.task}."): full for full in known}
        aliases = {alias: full for full, score in known.items() for alias in score.measure.aliases}
        if name not in short:
            name = aliases.get(name.lower(), name)
        if "(" in name and name not in known:  # expressions can be written in several ways
            name = registry.measure(name, self.task).name
        check_known([name], [*short, *known], "measure of this result")
        return known[short.get(name, name)]

    def _only_system(self) -> str:
        systems = self.systems
        if len(systems) > 1:
            raise UsageError(f"this result has several systems: write result[SYSTEM, MEASURE] with one of {systems}")
        return systems[0]

    def documents(self) -> Iterator[dict[str, Any]]:
        """A record per system, measure and document: its values and counts."""
        for score in self.scores:
            values = score.by("document") if score.has_values_by("document") else {}
            counts = score.counts_by("document")
            for name in counts:
                yield {
                    "system": score.system,
                    "measure": score.name,
                    "document": name,
                    "values": values.get(name, {}),
                    "counts": counts[name],
                }

    def records(self) -> list[dict[str, Any]]:
        """A flat record per system, measure and value; with `low` and `high` where there are intervals."""
        has_intervals = any(score.intervals for score in self.scores)
        return [
            {
                "system": score.system,
                "measure": score.name,
                "value": value,
                "score": number,
                "signature": str(score.signature),
                **(_bounds(score.intervals.get(value)) if has_intervals else {}),
            }
            for score in self.scores
            for value, number in score.values.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The JSON envelope, as plain Python. See the page on results in the documentation."""
        from aune import __version__  # noqa: PLC0415

        return {
            "schema": SCHEMA_VERSION,
            "tool": {"name": "aune", "version": __version__},
            "task": self.task,
            "inputs": [record.named_fields for record in self.inputs],
            "scores": [score.entry() for score in self.scores],
            "warnings": self.warnings,
        }

    @validate_call
    def to_json(self, by: str | None = None) -> str:
        """The JSON envelope, the same bytes on every run; with `by`, it has a record per document, speaker… as well."""
        return self.to("json", by=by)

    @validate_call
    def frame(self, library: str | None = None) -> Any:
        """A data frame of `records`, in pandas or polars, whichever is installed (or the one named)."""
        return make_frame(self.records(), library)

    to_frame = frame

    @validate_call
    def document_frame(self, library: str | None = None) -> Any:
        """A data frame with a row per system, measure, document and value."""
        flat = [
            {
                "system": row["system"],
                "measure": row["measure"],
                "document": row["document"],
                "value": value,
                "score": number,
            }
            for row in self.documents()
            for value, number in row["values"].items()
        ]
        return make_frame(flat, library)

    def to(self, format: str, **options: Any) -> str:
        """The result as text: table, json, jsonl, csv, tsv, markdown or latex."""
        from aune import render  # noqa: PLC0415 - through the public function: results do not depend on reports

        return render(self, format, **options)

    def to_latex(self, **options: Any) -> str:
        """The table of a paper in LaTeX: a row per system, with every value, and its interval where there is one.

        The options are those of `to`: `caption="Results"` (plain text), `label="tab:results"`, `digits=1`,
        `values={"coref.muc": ["f1"]}`, `baselines=["first"]`, `test=aune.compare(result)` for letters,
        `name="usual"` for a row per measure.
        """
        return self.to("latex", **{"name": "paper", **options})

    def __str__(self) -> str:
        warnings = "".join(f"\nwarning: {warning}" for warning in self._first_warnings())
        return self.to("table").rstrip("\n") + ("\n" + warnings if warnings else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - only notebooks show HTML

        listed = "".join(f"<li>{escape(warning)}</li>" for warning in self._first_warnings())
        return self.to("html") + (f"<p>Warnings:</p><ul>{listed}</ul>\n" if listed else "")

    def _first_warnings(self) -> list[str]:
        """A summary of at most one screen."""
        rest = len(self.warnings) - MOST_WARNINGS
        return [*self.warnings[:MOST_WARNINGS], *([f"… and {rest} more in result.warnings"] if rest > 0 else [])]

    def _ipython_key_completions_(self) -> list[str | tuple[str, str]]:
        names = [measure.short for measure in self.measures]
        return list(names) if len(self.systems) == 1 else [(system, name) for system in self.systems for name in names]

    @classmethod
    @validate_call
    def from_json(cls, text: str, modules: Collection[str] = ()) -> Result:
        """Read the result that `to_json` wrote. With `by="document"` it has rows by document: groups, intervals and
        comparisons work again.

        `modules` are the modules of user-defined measures, if the scores need them.

        >>> from aune import score
        >>> result = score("coref", {"a": [{1, 2}], "b": [{1, 2, 3}]}, {"a": [{1, 2}], "b": [{1, 2}, {3}]})
        >>> Result.from_json(result.to_json(by="document"))["muc"].by("document")["b"]["recall"]
        0.5
        """
        from aune import load  # noqa: PLC0415 - through the public function: results do not depend on storage

        return load(io.StringIO(text), modules)


def _bounds(interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"low": low, "high": high}


def make_frame(records: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Records as a data frame of the given library, or of the first one installed."""
    from importlib import import_module  # noqa: PLC0415

    if library:
        check_known([library], FRAME_LIBRARIES, "library for data frames")
    for name in [library] if library else FRAME_LIBRARIES:
        try:
            return import_module(name).DataFrame(list(records), **FRAME_LIBRARIES[name])
        except ModuleNotFoundError:
            continue
    raise UsageError(f"a data frame needs {library or 'pandas or polars'}: install it, or use records()")


def emit_warnings(result: Result) -> Result:
    """The result, after its warnings were issued at the line of the public function's caller.

    The warnings then name the arguments of Python instead of the options of the command line.
    """
    if result.warnings:
        result = replace(result, warnings=list(map(spell_for_python, result.warnings)))
    for warning in result.warnings:
        warnings.warn(warning, AuneWarning, stacklevel=4)
    return result


def public_function(
    function: Callable[Parameters, Outcome], name: str, result_of: Callable[[Outcome], Result]
) -> Callable[Parameters, Outcome]:
    """The function under a public name, which also issues the warnings of the result in its outcome."""

    @wraps(function)
    def call(*arguments: Parameters.args, **options: Parameters.kwargs) -> Outcome:
        outcome = function(*arguments, **options)
        emit_warnings(result_of(outcome))
        return outcome

    call.__name__ = call.__qualname__ = name
    return call
