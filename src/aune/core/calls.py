"""What people call from Python: evaluations whose warnings are Python's own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aune import STDIN
from aune.core import evaluation
from aune.core.corpus import system_names
from aune.core.door import hands_on_to
from aune.core.errors import AuneWarning
from aune.core.result import Result


@hands_on_to(evaluation.evaluated)
def score(task: str, key: Any, response: Any, **options: Any) -> Result:
    """The scores of one response. See `evaluate` for the options.

    >>> result = score("coref", [{1, 2, 3}, {4, 5}], [{1, 2}, {3, 4, 5}])
    >>> result["muc"].f1
    0.6666666666666666
    """
    return told(evaluation.evaluate(task, key, {_name(response): response}, **options))


@hands_on_to(evaluation.evaluated)
def evaluate(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str | Path], **options: Any) -> Result:
    """The scores of one or several systems against one key.

    `key` and the systems' responses are paths, open files, `-`, or plain Python structures (for coreference, a list of
    clusters, or a mapping from document names to clusters). What there is to know about them is told as `AuneWarning`s,
    which stand in the result too. Options by name:

    - `measures`: names or expressions (all the task's usual ones when left out, every one for `["all"]`);
    - `convention`: a named set of the task's options;
    - `key_format`, `response_format`: formats that should not be recognised from the content;
    - `missing`, `extra`: what happens to documents that only one side has;
    - `workers`, `engine`: how many processes count, or where: `processes`, or `dask` with a client or an address;
    - `progress`: called with what is being done and the share that is done;
    - any option of the task, its formats or its measures: `aune list options TASK` shows them. A reader's option with
      `response_` before its name is for the responses alone, such as `response_text_field="pred_text"` for a file that
      holds both sides.

    >>> both = evaluate("coref", [{1, 2, 3}], {"A": [{1, 2}, {3}], "B": [{1, 2, 3}]}, measures=["muc"])
    >>> both["A", "muc"].recall, both["B", "muc"].recall
    (0.5, 1.0)
    """
    return told(evaluation.evaluate(task, key, systems, **options))


def _name(response: Any) -> str:
    named = isinstance(response, str | Path) and response not in ("-", STDIN)
    return next(iter(system_names([str(response)]))) if named else "response"


def told(result: Result) -> Result:
    """The result, after the one who called its caller has been told what there is to know about it."""
    for warning in result.warnings:
        warnings.warn(warning, AuneWarning, stacklevel=4)
    return result
