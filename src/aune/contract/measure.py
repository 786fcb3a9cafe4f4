"""The interface of every measure.

A measure consists of two pure functions. `count(comparison)` returns the contribution of each unit (document, sentence,
utterance) as named columns; `score(counts)` computes the values of any sum of units. Counts add up, so everything else
(totals, results per document, averages, intervals, tests) is written once, outside the measures.

`Counts` is a NamedTuple whose fields are arrays with one entry per unit first (further axes may follow), or other
`Counts`. `score` is array arithmetic that accepts any leading axes, and returns a NamedTuple of arrays: the values.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from aune.contract.options import Option, Range, format_value, options_of, select_options
from aune.errors import UsageError

Column: TypeAlias = NDArray[Any]
Counts: TypeAlias = Any  # a NamedTuple of columns, or of Counts: see the module's docstring
Score: TypeAlias = Any  # a NamedTuple of arrays
Better: TypeAlias = Literal["higher", "lower", "zero"]
Undefined: TypeAlias = Literal["zero", "one", "none"]
Experimental: TypeAlias = Annotated[Literal["experimental"], "the definition is ours and may change"]
"""An option with one value, for measures that may still change: their signatures and pages show it."""

ZERO_TO_ONE = Range(0, 1)
ANY_VALUE = Range()
NON_NEGATIVE = Range(0)
AT_MOST_ONE = Range(high=1)
WEIGHT_RANGE = Range(0, 1e6)
"""The range of weights: far beyond it, sums have no digits left for other numbers."""
SUPPORTS = (
    ("key",), ("key_mentions",), ("key_chains",), ("key_links",), ("words",), ("tokens",), ("cases",), ("anaphors",),
    ("utterances",), ("expected",), ("possible",), ("entities",), ("segments",), ("key_coreferent", "key_distinct"),
    ("true_positives", "false_negatives"), ("correct", "substitutions", "deletions"),
    ("correct", "incorrect", "partial", "missing"), ("unknown", "known"),
)  # fmt: skip
"""The counts that show how much there was to find, the simplest first."""
UNDEFINED_VALUES: Mapping[str, float] = {"zero": 0.0, "one": 1.0, "none": np.nan}


def ratio(part: Column, total: Column, empty: float = np.nan) -> Column:
    """Part / whole, and `empty` where the whole is 0.

    Undefined values (NaN) are only produced here.

    >>> ratio(np.array([1, 0]), np.array([2, 0])).tolist()
    [0.5, nan]
    """
    if isinstance(part, float) and isinstance(total, float):  # single numbers, as nearly all scores of a corpus are
        return np.float64(part / total if total else empty)
    part, total = np.asarray(part, float), np.asarray(total, float)
    is_defined = total != 0
    return np.where(is_defined, part / np.where(is_defined, total, 1.0), empty)


class RecallPrecision(NamedTuple):
    """The three values most measures have."""

    recall: Column
    precision: Column
    f1: Column


def f_score(recall: Column, precision: Column, beta: float = 1.0) -> Column:
    """The weighted harmonic mean of recall and precision; 0 when either is 0 (Popescu-Belis 1999, DÉF. 5).

    >>> f_score(np.array(0.5), np.array(1.0)).round(4).item()
    0.6667
    """
    return ratio((1 + beta**2) * recall * precision, beta**2 * precision + recall, 0.0)


def recall_precision(common: Column, key: Column, response: Column, undefined: Undefined = "none") -> RecallPrecision:
    """The shares of the key and of the response that both have in common, and the harmonic mean of the two."""
    return two_ratios(common, key, common, response, undefined)


def two_ratios(
    key_hits: Column, key_total: Column, response_hits: Column, response_total: Column, undefined: Undefined = "none"
) -> RecallPrecision:
    """Recall and precision with different counts of hits in the key and in the response, and their harmonic mean."""
    recall, precision = (
        ratio(key_hits, key_total, UNDEFINED_VALUES[undefined]),
        ratio(response_hits, response_total, UNDEFINED_VALUES[undefined]),
    )
    return RecallPrecision(recall, precision, f_score(recall, precision))


def keep_value_names(options: Mapping[str, Any]) -> Mapping[str, str]:
    """No value has another name, whatever the options."""
    return {}


def rename_for_beta(options: Mapping[str, Any]) -> Mapping[str, str]:
    """F1 is F with β = 1; with another β it has another name.

    >>> rename_for_beta({"beta": 1.0}), rename_for_beta({"beta": 2.0})
    ({}, {'f1': 'f(beta=2)'})
    """
    beta = options.get("beta", 1.0)
    return {} if beta == 1 else {"f1": f"f(beta={beta:g})"}


@dataclass(frozen=True, repr=False)
class Measure:
    """A measure: how to count, how to score, and what the values mean.

    Its name is the path of the file it lives in: `coref.muc` is `aune/tasks/coref/measures/muc.py`.
    """

    count: Callable[..., Counts]
    score: Callable[..., Score]
    better: Better = "higher"
    """Whether higher, lower or closer to zero is better, for the main value."""
    better_by_value: Mapping[str, Better] = field(default_factory=dict)
    """The direction of values that differ from `better`."""
    perfect: float | Mapping[str, float] = 1.0
    """The value of a perfect response, for all values or by value."""
    range: Range | Mapping[str, Range] = ZERO_TO_ONE
    """The possible numbers, whatever the input: for all values, or by value (values not named are shares)."""
    aliases: tuple[str, ...] = ()
    """Other names that people use, in lower case."""
    main: str = ""
    """The main value; the last one by default."""
    details: Callable[..., object] | None = None
    """`details(comparison)`: more than numbers (a confusion table, a correspondence), as plain data for JSON."""
    bootstrap: bool = True
    """False if resampling units would bias the value."""
    settle: Callable[[Sequence[Any]], list[Counts]] | None = None
    """Where counts depend on the whole corpus: `count` then returns a part for each chunk, which can be sent and kept,
    and `settle(parts)` returns the `Counts` of each part once all parts exist."""
    requires: Mapping[str, str] = field(default_factory=dict)
    """The packages it needs beyond the dependencies of aune, each with the extra that installs it."""
    needs: tuple[str, ...] = ()
    """The options that it cannot do without, such as `model`."""
    undefined: Mapping[str, str] = field(default_factory=dict)
    """Why a value can be undefined, by value."""
    parts: tuple[Measure, ...] = ()
    """The measures that an average of measures is made of."""
    by: str = ""
    """Set by `macro`: score each group of this attribute, then average the groups."""
    fixed_options: Mapping[str, Any] = field(default_factory=dict)
    """Options fixed in the name of the measure, as in `f_measure(beta=2)`."""
    units: str = "units"
    """The comparison's attribute with the units of the counts, if they are not the usual ones."""
    percent: bool = True
    """Whether tables show the values times 100."""
    rename_values: Callable[[Mapping[str, Any]], Mapping[str, str]] = keep_value_names
    """`rename_values(options)`: the values that have other names under some options."""
    value_names: Mapping[str, str] = field(default_factory=dict)
    """Set by `with_options`: the other names."""
    label: str = ""
    """The name, for measures that do not live in a file."""
    module: str = ""
    """The module that a measure belongs to, when its `count` is from another module."""
    support: tuple[str, ...] | None = None
    """The counts that add up to how much there was to find, whatever the response; by default found by their names."""

    @cached_property
    def name(self) -> str:
        if self.label:
            return self.label
        base = (self.module or self.count.__module__).removeprefix("aune.tasks.").replace(".measures.", ".")
        if self.fixed_options:
            base += (
                "("
                + ",".join(f"{key}={format_value(value)}" for key, value in sorted(self.fixed_options.items()))
                + ")"
            )
        return f"macro({base},by={self.by})" if self.by and not self.module else base

    @property
    def task(self) -> str:
        return self.count.__module__.removeprefix("aune.tasks.").split(".")[0]

    @property
    def short(self) -> str:
        """The name without its task, as tables show it."""
        return self.name.replace(f"{self.task}.", "")

    @property
    def documentation(self) -> str:
        """The docstring of the measure's file: definition, formula, source, conventions, example."""
        return inspect.cleandoc(sys.modules[self.module or self.count.__module__].__doc__ or self.count.__doc__ or "")

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The names of the values that `score` returns."""
        return tuple(self.value_names.get(name, name) for name in get_type_hints(self.score)["return"]._fields)

    def with_options(self, options: Mapping[str, Any]) -> Measure:
        """The measure with its values named for the options that it is used with."""
        value_names = self.rename_values({**options, **self.fixed_options})
        return replace(self, value_names=value_names, aliases=()) if value_names != self.value_names else self

    def name_values(self, score: Score) -> dict[str, Column]:
        """The values of a score by their names."""
        return dict(zip(self.values, score, strict=True))

    @cached_property
    def counts(self) -> Any:
        """The type of the counts, as `count` declares it, or `settle` if that function makes them."""
        if self.settle is None:
            return get_type_hints(self.count)["return"]
        return get_args(get_type_hints(self.settle)["return"])[0]

    @property
    def headline(self) -> str:
        return self.value_names.get(self.main, self.main) or self.values[-1]

    @cached_property
    def options(self) -> dict[str, Option]:
        return options_of(self.count) | options_of(self.score)

    def signed_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The values of options that a signature shows beside the measure's name."""
        known = self.options
        return {
            name: value
            for name, value in options.items()
            if name not in self.fixed_options
            and not (name in known and known[name].hidden_at_default and value == known[name].default)
        }

    @cached_property
    def support_counts(self) -> tuple[str, ...]:
        """The counts that add up to how much there was to find; none if the measure does not define them."""
        if self.support is not None:
            return self.support
        fields = set(getattr(self.counts, "_fields", ()))
        return next((names for names in SUPPORTS if set(names) <= fields), ())

    def check_packages(self) -> None:
        """Raise, before any work is done, if a package that the measure needs is missing."""
        for package, extra in self.requires.items():
            if find_spec(package) is None:
                raise UsageError(
                    f"{self.name} needs the package {package}: install it with pip install 'aune[{extra}]'"
                )

    def __repr__(self) -> str:
        return f"<aune.Measure {self.name}: {', '.join(self.values)}>"

    def obstacle(self, options: Collection[str]) -> str:
        """Why the measure cannot score under these options; empty if it can."""
        if lacking := [package for package in self.requires if find_spec(package) is None]:
            extras = ",".join(dict.fromkeys(self.requires[package] for package in lacking))
            return f"needs the package {', '.join(lacking)}: pip install 'aune[{extras}]'"
        if lacking := [name for name in self.needs if name not in options and name not in self.fixed_options]:
            return f"needs {', '.join(f'--{name}' for name in lacking)}"
        return ""

    def better_of(self, value: str) -> Better:
        return self.better_by_value.get(value, self.better)

    def perfect_of(self, value: str) -> float:
        return self.perfect[value] if isinstance(self.perfect, Mapping) else self.perfect

    def range_of(self, value: str) -> Range:
        return self.range.get(value, ZERO_TO_ONE) if isinstance(self.range, Mapping) else self.range

    def goodness(self, number: Column, value: str = "") -> Column:
        """Numbers of a value (the main one, if none is named) with the sign that makes higher better."""
        better = self.better_of(value or self.headline)
        return number if better == "higher" else -number if better == "lower" else -np.abs(number)

    def count_part(self, comparison: Any, options: Mapping[str, Any]) -> Any:
        """The return value of `count`, with those of the options that it takes."""
        return self.count(comparison, **self._options_for(self.count, options))

    def count_comparison(self, comparison: Any, options: Mapping[str, Any]) -> Counts:
        """The counts of a comparison that covers the whole corpus."""
        return self.count_all([comparison], options)[0]

    def count_all(self, comparisons: Sequence[Any], options: Mapping[str, Any]) -> list[Counts]:
        """The counts of every comparison of a system."""
        parts = [self.count_part(comparison, options) for comparison in comparisons]
        return self.settle(parts) if self.settle else parts

    def score_counts(self, counts: Counts, options: Mapping[str, Any]) -> Score:
        """The values of summed counts; for a macro measure the mean over the last leading axis, the groups."""
        values = self.score(counts, **self._options_for(self.score, options))
        return type(values)(*(mean_of_defined(value) for value in values)) if self.by else values

    def __call__(self, key: object, response: object, **options: Any) -> Any:
        """The values for one key and one response given as plain Python structures, paths or open files."""
        from aune import evaluate  # noqa: PLC0415 - through the public function: measures do not depend on evaluation

        return evaluate(self.task, key, {"response": response}, measures=[self], **options).scores[0]

    def _options_for(self, function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
        return select_options(function, {**options, **self.fixed_options})


def mean_of_defined(values: Column) -> Column:
    """The mean over the last axis without NaN, independent of the order; NaN where nothing is defined."""
    defined = ~np.isnan(values)
    return ratio(np.sort(np.where(defined, values, 0.0), axis=-1).sum(axis=-1), defined.sum(axis=-1))


# Counts as a matrix: one row per unit, one column per number.


class Layout(NamedTuple):
    """The layout of a `Counts` in a matrix: its type and, field by field, a shape or a `Layout`."""

    kind: Callable[..., Any]
    names: tuple[str, ...]
    fields: tuple[Any, ...]

    @property
    def width(self) -> int:
        return sum(part.width if isinstance(part, Layout) else math.prod(part) for part in self.fields)

    def columns(self, prefix: str = "") -> list[str]:
        """A dotted name per column."""
        names: list[str] = []
        for name, part in zip(self.names, self.fields, strict=True):
            if isinstance(part, Layout):
                names += part.columns(f"{prefix}{name}.")
            elif part:
                names += [f"{prefix}{name}[{','.join(map(str, index))}]" for index in np.ndindex(*part)]
            else:
                names.append(prefix + name)
        return names

    def unflatten(self, matrix: Column) -> Counts:
        """The counts from a matrix with any leading axes."""
        if matrix.ndim == 1 and not any(self.fields):  # single numbers
            return self.kind(*matrix)
        parts, start = [], 0
        for part in self.fields:
            width = part.width if isinstance(part, Layout) else math.prod(part)
            block = matrix[..., start : start + width]
            inner = part.unflatten(block) if isinstance(part, Layout) else block.reshape((*matrix.shape[:-1], *part))
            parts.append(inner)
            start += width
        return self.kind(*parts)


def layout_of(counts: Counts) -> Layout:
    """The place of each number of a `Counts` in a matrix."""
    fields = tuple(layout_of(part) if hasattr(part, "_fields") else np.shape(part)[1:] for part in counts)
    return Layout(type(counts), counts._fields, fields)


def leaves(counts: Counts) -> Iterator[Column]:
    """The arrays of a `Counts`, left to right."""
    for part in counts:
        if hasattr(part, "_fields"):
            yield from leaves(part)
        else:
            yield np.asarray(part, float)


def flatten(counts: Counts) -> Column:
    """One row per unit, one column per number, as float64.

    >>> class Links(NamedTuple):
    ...     common: Column
    ...     key: Column
    >>> flatten(Links(np.array([1, 2]), np.array([3, 4]))).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    arrays = list(leaves(counts))
    return np.concatenate([array.reshape(len(array), math.prod(array.shape[1:])) for array in arrays], axis=1)
