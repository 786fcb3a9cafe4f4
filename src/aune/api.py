"""The public functions that score; their warnings are issued as Python warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from aune import STDIN
from aune.errors import UsageError
from aune.evaluation.pipeline import run_evaluation
from aune.evaluation.plan import resolve_plan
from aune.evaluation.small_calls import score_small
from aune.reading.argument_checks import forwards_options_to
from aune.reading.system_names import system_names
from aune.results.result import Result, emit_warnings

IntervalMethod = Literal["auto", "effective", "percentile", "bca", "jackknife", "delta"]
INTERVAL_DEFAULTS: Mapping[str, Any] = {"level": 0.95, "draws": 10_000, "seed": 1, "unit": "auto"}


@forwards_options_to(resolve_plan)
def score(
    task: str,
    key: Any,
    response: Any,
    *,
    ci: bool = False,
    ci_method: IntervalMethod | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    unit: str = "auto",
    **options: Any,
) -> Result:
    """The scores of one response. See `evaluate` for the options.

    >>> result = score("coref", [{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}])
    >>> result["muc"].f1
    0.6666666666666666
    """
    small = None if ci or ci_method else score_small(task, key, response, options)
    scored = small or run_evaluation(task, key, {_system_name(response): response}, **options).result
    return emit_warnings(_add_intervals(scored, ci, ci_method, level=level, draws=draws, seed=seed, unit=unit))


@forwards_options_to(resolve_plan)
def evaluate(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str | Path],
    *,
    ci: bool = False,
    ci_method: IntervalMethod | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    unit: str = "auto",
    **options: Any,
) -> Result:
    """The scores of one or several systems against one key.

    `key` and the systems' responses are paths, open files, `-`, or plain Python structures (for coreference, a list of
    clusters, or a mapping from document names to clusters). Warnings are issued as `AuneWarning`s and are part of the
    result too. Options by name:

    - `measures`: names or expressions (all the task's usual ones when left out, every one for `["all"]`);
    - `convention`: a named set of the task's options;
    - `key_format`, `response_format`: formats that should not be recognised from the content;
    - `missing`, `extra`: what happens to documents that only one side has;
    - `workers`, `engine`: how many processes count, or where: `processes`, or `dask` with a client or an address;
    - `ci=True`: a confidence interval for every value, in `result["muc"].intervals`, tables and frames. `ci_method`,
      `level`, `draws`, `seed` and `unit` (what is drawn: document, sentence…) are those of `aune.statistics.intervals`;
    - `progress`: called with what is being done and the share that is done;
    - any option of the task, its formats or its measures: `aune list options TASK` shows them. A reader's option with
      `response_` before its name is for the responses alone, such as `response_text_field="pred_text"` for a file that
      contains both sides.

    >>> result = evaluate("coref", [{1, 2, 3}], {"A": [{1, 2}, {3}], "B": [{1, 2, 3}]}, measures=["muc"])
    >>> result["A", "muc"].recall, result["B", "muc"].recall
    (0.5, 1.0)
    """
    scored = run_evaluation(task, key, systems, **options).result
    return emit_warnings(_add_intervals(scored, ci, ci_method, level=level, draws=draws, seed=seed, unit=unit))


def _add_intervals(result: Result, ci: bool, method: IntervalMethod | None, **settings: Any) -> Result:
    """The result with an interval for every value, if they were requested."""
    if ci or method:
        from aune.statistics.intervals import with_intervals  # noqa: PLC0415 - scores alone do not wait for it

        return with_intervals(result, method or "auto", **settings)
    if idle := [name for name, value in settings.items() if value != INTERVAL_DEFAULTS[name]]:
        raise UsageError(f"{', '.join(idle)}: about confidence intervals, so request them too: ci=True")
    return result


def _system_name(response: Any) -> str:
    is_path = isinstance(response, str | Path) and response not in ("-", STDIN)
    return next(iter(system_names([str(response)]))) if is_path else "response"
