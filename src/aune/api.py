"""The public functions that score; their warnings are issued as Python warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aune import STDIN
from aune.evaluation.pipeline import run_evaluation
from aune.evaluation.plan import resolve_plan
from aune.reading.argument_checks import forwards_options_to
from aune.reading.system_names import system_names
from aune.results.result import Result, emit_warnings


@forwards_options_to(resolve_plan)
def score(task: str, key: Any, response: Any, **options: Any) -> Result:
    """The scores of one response. See `evaluate` for the options.

    >>> result = score("coref", [{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}])
    >>> result["muc"].f1
    0.6666666666666666
    """
    return emit_warnings(run_evaluation(task, key, {_system_name(response): response}, **options).result)


@forwards_options_to(resolve_plan)
def evaluate(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str | Path], **options: Any) -> Result:
    """The scores of one or several systems against one key.

    `key` and the systems' responses are paths, open files, `-`, or plain Python structures (for coreference, a list of
    clusters, or a mapping from document names to clusters). Warnings are issued as `AuneWarning`s and are part of the
    result too. Options by name:

    - `measures`: names or expressions (all the task's usual ones when left out, every one for `["all"]`);
    - `convention`: a named set of the task's options;
    - `key_format`, `response_format`: formats that should not be recognised from the content;
    - `missing`, `extra`: what happens to documents that only one side has;
    - `workers`, `engine`: how many processes count, or where: `processes`, or `dask` with a client or an address;
    - `progress`: called with what is being done and the share that is done;
    - any option of the task, its formats or its measures: `aune list options TASK` shows them. A reader's option with
      `response_` before its name is for the responses alone, such as `response_text_field="pred_text"` for a file that
      contains both sides.

    >>> result = evaluate("coref", [{1, 2, 3}], {"A": [{1, 2}, {3}], "B": [{1, 2, 3}]}, measures=["muc"])
    >>> result["A", "muc"].recall, result["B", "muc"].recall
    (0.5, 1.0)
    """
    return emit_warnings(run_evaluation(task, key, systems, **options).result)


def _system_name(response: Any) -> str:
    is_path = isinstance(response, str | Path) and response not in ("-", STDIN)
    return next(iter(system_names([str(response)]))) if is_path else "response"
